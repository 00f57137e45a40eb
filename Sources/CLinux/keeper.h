// The keeper of a program that is under test: a small process between us and it, so that nothing of it outlives us,
// however we end. It starts the program when told, passes signals on to its process group, adopts whatever the program
// leaves behind (a subreaper), and kills all of it when told to or when our end of the control socket closes, which is
// also what SIGKILL to us does. Forked early, so that no later start copies a large process; it never returns to Swift and
// makes only calls that are safe after a fork.
#ifndef PUSHRIG_CLINUX_KEEPER_H
#define PUSHRIG_CLINUX_KEEPER_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

// What the two say to each other: a kind and a number.
struct pushrig_word {
    int32_t kind;
    int32_t value;
};

enum {
    // To the keeper: start the program; send its group the signal `value` (SIGKILL: kill all that descends from it).
    pushrig_word_start = 1,
    pushrig_word_signal = 2,
    // From the keeper: it runs, as process `value`; it could not be started, errno `value`; it ended, wait status `value`;
    // no process of it is left.
    pushrig_word_started = 3,
    pushrig_word_refused = 4,
    pushrig_word_ended = 5,
    pushrig_word_gone = 6,
};

static inline void pushrig_keeper_say(int control, int32_t kind, int32_t value) {
    struct pushrig_word word = {kind, value};
    while (send(control, &word, sizeof word, MSG_NOSIGNAL) < 0 && errno == EINTR) {}
}

// In the child, between fork and exec: a group of its own, all signals at their defaults and heard.
static inline void pushrig_keeper_run(
    char *const arguments[], char **environment, const int streams[2], int told, pid_t keeper) {
    int failed = setpgid(0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0;
    if (getppid() != keeper) _exit(127);
    for (int number = 0; number < 3 && !failed; number++) failed = dup2(streams[number > 0], number) < 0;
    struct sigaction usual = {.sa_handler = SIG_DFL};
    for (int number = 1; number <= 64; number++) sigaction(number, &usual, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (!failed) {
        extern char **environ;
        environ = environment;
        execvp(arguments[0], arguments);
    }
    int error = errno;
    if (write(told, &error, sizeof error) < 0) _exit(126);
    _exit(127);
}

// Its process, or the negative errno of what failed.
static inline pid_t pushrig_keeper_start(char *const arguments[], char **environment, const int streams[2]) {
    int told[2];
    if (pipe(told) != 0) return -errno;
    fcntl(told[0], F_SETFD, FD_CLOEXEC);
    fcntl(told[1], F_SETFD, FD_CLOEXEC);
    pid_t keeper = getpid();
    pid_t child = fork();
    if (child == 0) pushrig_keeper_run(arguments, environment, streams, told[1], keeper);
    int error = child < 0 ? errno : 0;
    close(told[1]);
    if (child > 0) {
        ssize_t count;
        do { count = read(told[0], &error, sizeof error); } while (count < 0 && errno == EINTR);
        if (count != (ssize_t)sizeof error) error = 0;
        if (error != 0) waitpid(child, NULL, 0);
    }
    close(told[0]);
    return error != 0 ? -error : child;
}

// To the group, which has its leader's number and is none of ours once it is empty.
static inline void pushrig_keeper_signal(pid_t *group, int number) {
    if (*group > 0 && kill(-*group, number) != 0 && errno == ESRCH) *group = -1;
}

// SIGKILL to the group and to each of our children; what they leave behind becomes ours, and is met the next time.
static inline void pushrig_keeper_sweep(pid_t *group) {
    pushrig_keeper_signal(group, SIGKILL);
    int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (list < 0) return;
    char text[4096];
    ssize_t count = read(list, text, sizeof text);
    close(list);
    pid_t number = 0;
    for (ssize_t index = 0; index < count; index++) {
        if (text[index] >= '0' && text[index] <= '9') {
            number = number * 10 + (text[index] - '0');
        } else {
            if (number > 1) kill(number, SIGKILL);
            number = 0;
        }
    }
}

static inline void pushrig_keeper_live(
    int control, char *const arguments[], char **environment, const int streams[2]) {
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &usual, NULL);
    sigset_t set;
    sigfillset(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    int deaths = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_NAME, "pushrig-keeper");
    // 0: there is none; -1: it is empty, though something that left it still runs.
    pid_t leader = 0, group = 0;
    int is_killing = 0, is_orphaned = 0, rounds = 0;
    while (1) {
        struct pollfd waited[2] = {{control, POLLIN, 0}, {deaths, POLLIN, 0}};
        poll(waited + is_orphaned, 2 - is_orphaned, is_killing ? 10 : -1);
        struct signalfd_siginfo about;
        while (read(deaths, &about, sizeof about) > 0) {}
        int status, has_children = 1;
        while (1) {
            pid_t ended = waitpid(-1, &status, WNOHANG);
            if (ended < 0) has_children = 0;
            if (ended <= 0) break;
            if (ended != leader) continue;
            leader = 0;
            pushrig_keeper_signal(&group, 0);
            pushrig_keeper_say(control, pushrig_word_ended, status);
        }
        if (!has_children && group != 0) {
            group = 0;
            is_killing = 0;
            pushrig_keeper_say(control, pushrig_word_gone, 0);
        }
        // What does not die of SIGKILL within some seconds hangs in the kernel.
        if (is_orphaned && (group == 0 || ++rounds > 300)) _exit(0);
        struct pushrig_word word;
        ssize_t count = is_orphaned ? -1 : recv(control, &word, sizeof word, MSG_DONTWAIT);
        if (count == (ssize_t)sizeof word) {
            if (word.kind == pushrig_word_start && group == 0) {
                pid_t started = pushrig_keeper_start(arguments, environment, streams);
                if (started > 0) leader = group = started;
                pushrig_keeper_say(
                    control, started > 0 ? pushrig_word_started : pushrig_word_refused, started > 0 ? started : -started);
            } else if (word.kind == pushrig_word_start) {
                pushrig_keeper_say(control, pushrig_word_refused, EBUSY);
            } else if (word.value == SIGKILL) {
                is_killing = group != 0;
            } else {
                pushrig_keeper_signal(&group, word.value);
            }
        } else if (!is_orphaned && (count == 0 || (errno != EAGAIN && errno != EINTR))) {
            is_orphaned = is_killing = 1;
            if (group == 0) _exit(0);
        }
        if (is_killing) pushrig_keeper_sweep(&group);
    }
}

// Makes a keeper for a program; `streams` become the program's standard input and its output and error. Gives our end of
// the control socket (messages of `pushrig_word`, one each) and the keeper's process, or the negative errno of what failed.
static inline int pushrig_keeper_make(
    char *const arguments[], char **environment, const int streams[2], pid_t *process) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return -errno;
    pid_t keeper = fork();
    if (keeper == 0) {
        // Out of the way first, then to known places; of everything else, such as our files and the keepers of others, it
        // must hold nothing.
        int kept[3] = {ends[1], streams[0], streams[1]};
        for (int index = 0; index < 3; index++) kept[index] = fcntl(kept[index], F_DUPFD, 16);
        for (int index = 0; index < 3; index++) {
            if (kept[index] < 0 || dup2(kept[index], 3 + index) < 0) _exit(126);
            fcntl(3 + index, F_SETFD, FD_CLOEXEC);
        }
        for (int number = 0; number < 3; number++) dup2(4, number);
#ifdef SYS_close_range
        if (syscall(SYS_close_range, 6u, ~0u, 0u) != 0)
#endif
            for (int number = 6; number < 65536; number++) close(number);
        const int moved[2] = {4, 5};
        pushrig_keeper_live(3, arguments, environment, moved);
    }
    int error = errno;
    close(ends[1]);
    if (keeper < 0) {
        close(ends[0]);
        return -error;
    }
    *process = keeper;
    return ends[0];
}

#endif
