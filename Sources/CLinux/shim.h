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

#include "keeper.h"
#include "namespace.h"

// Declared by hand because <sys/socket.h> hides it without _GNU_SOURCE.
int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);

// The same for <pthread.h>.
int pthread_setname_np(pthread_t thread, const char *name);

// Whether this process was started with the signal ignored, or has it ignored since.
static inline int pushrig_ignores(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static inline int pushrig_name_thread(pthread_t thread, const char *name) { return pthread_setname_np(thread, name); }

#endif
