// A mount namespace of a process's own, in which files may be laid over others without anybody else seeing it. To be called
// by a process with one thread. Each call gives 0, or the errno of what failed.
#ifndef PUSHRIG_CLINUX_NAMESPACE_H
#define PUSHRIG_CLINUX_NAMESPACE_H

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

// <sched.h> hides it without _GNU_SOURCE; its flags are those of <linux/sched.h>.
int unshare(int flags);

enum {
    pushrig_new_mounts = 0x00020000,
    pushrig_new_users = 0x10000000,
};

// With `pushrig_new_users` also a user namespace, so that no right of the system's is needed. A program with capabilities of
// its file would not own its files in /proc, which are to be written next.
static inline int pushrig_unshare(int flags) {
    if (flags & pushrig_new_users) prctl(PR_SET_DUMPABLE, 1);
    return unshare(flags) == 0 ? 0 : errno;
}

// From now on nothing that is mounted here is seen elsewhere; what is mounted elsewhere still comes in.
static inline int pushrig_keep_mounts(void) {
    return mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == 0 ? 0 : errno;
}

// Lays a file over another one; both have to be there.
static inline int pushrig_lay_over(const char *file, const char *place) {
    return mount(file, place, NULL, MS_BIND, NULL) == 0 ? 0 : errno;
}

// This process, and what it becomes by exec, is killed when its parent ends; false when that has happened already.
static inline int pushrig_die_with(pid_t parent) {
    return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
}

// What descendants leave behind becomes a child of this process.
static inline int pushrig_adopt_orphans(void) {
    return prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 ? 0 : errno;
}

#endif
