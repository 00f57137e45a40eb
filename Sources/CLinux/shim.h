// What Glibc's Swift module leaves out. No feature macro is defined here: two shims that differ in one do not
// compile together.
#ifndef PUSHRIG_CLINUX_SHIM_H
#define PUSHRIG_CLINUX_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Declared by hand because <sys/socket.h> hides it without _GNU_SOURCE.
int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);

// The same for <pthread.h>.
int pthread_setname_np(pthread_t thread, const char *name);

static inline int pushrig_name_thread(pthread_t thread, const char *name) { return pthread_setname_np(thread, name); }

// Starts a program that dies with the thread that starts it, by SIGKILL: posix_spawn has no way to ask for that.
// `descriptors` become its standard input, output and error. The child hears all signals. Gives the process's id, or the
// negative errno of what failed. Between fork and exec the child makes only calls that are safe there.
static inline pid_t pushrig_spawn(char *const arguments[], char **environment, const int descriptors[3]) {
    int told[2];
    if (pipe(told) != 0) return -errno;
    fcntl(told[0], F_SETFD, FD_CLOEXEC);
    fcntl(told[1], F_SETFD, FD_CLOEXEC);
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        sigset_t none;
        sigemptyset(&none);
        int failed = prctl(PR_SET_PDEATHSIG, SIGKILL) != 0;
        if (getppid() != parent) _exit(127);
        for (int number = 0; number < 3 && !failed; number++) failed = dup2(descriptors[number], number) < 0;
        // Whoever started us may ignore some, as `nohup` and a shell's `&` do.
        const int heard[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXFSZ};
        for (unsigned place = 0; place < sizeof heard / sizeof *heard; place++) signal(heard[place], SIG_DFL);
        sigprocmask(SIG_SETMASK, &none, NULL);
        if (!failed) {
            extern char **environ;
            environ = environment;
            execvp(arguments[0], arguments);
        }
        int error = errno;
        if (write(told[1], &error, sizeof error) < 0) _exit(126);
        _exit(127);
    }
    int error = child < 0 ? errno : 0;
    close(told[1]);
    if (child > 0) {
        ssize_t count;
        do { count = read(told[0], &error, sizeof error); } while (count < 0 && errno == EINTR);
        if (count != sizeof error) error = 0;
        if (error != 0) waitpid(child, NULL, 0);
    }
    close(told[0]);
    return error != 0 ? -error : child;
}

#endif
