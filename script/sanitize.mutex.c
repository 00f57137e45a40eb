// Shows the lock of Swift's Synchronization.Mutex to the thread sanitizer; linked into what script/sanitize builds, and
// into nothing else.
//
// The quick way into the lock and out of it is compiled into the program, where the sanitizer sees it. When threads meet at
// the lock they take the slow way, in a library that is built without the sanitizer: each handover would look like a race.
// So the three slow functions are put in front of the library's own, by their symbols, and say what they do.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

// As Swift calls a method: the address of the lock in the register of `self`.
#define METHOD __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *lock
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

METHOD void pushrig_lock_slow(uint32_t thread, SELF) __asm__(LOCK);
METHOD bool pushrig_try_lock_slow(SELF) __asm__(TRY_LOCK);
METHOD void pushrig_unlock_slow(SELF) __asm__(UNLOCK);

static void *library(const char *symbol) {
    void *found = dlsym(RTLD_NEXT, symbol);
    if (found == NULL) {
        fprintf(stderr, "sanitize: this Swift has no %s; see script/sanitize.mutex.c\n", symbol);
        abort();
    }
    return found;
}

METHOD void pushrig_lock_slow(uint32_t thread, SELF) {
    METHOD void (*slow)(uint32_t, SELF) = library(LOCK);
    slow(thread, lock);
    __tsan_acquire(lock);
}

METHOD bool pushrig_try_lock_slow(SELF) {
    METHOD bool (*slow)(SELF) = library(TRY_LOCK);
    bool isLocked = slow(lock);
    if (isLocked) __tsan_acquire(lock);
    return isLocked;
}

METHOD void pushrig_unlock_slow(SELF) {
    METHOD void (*slow)(SELF) = library(UNLOCK);
    __tsan_release(lock);
    slow(lock);
}
