// Preloaded by scripts/sanitize under the thread sanitizer, which sees the atomic operations of Swift's Mutex only where they were
// compiled with it: a lock that had to be waited for is taken in the standard library, and what it protects looked like a race.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slowly(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool try_slowly(SELF) __asm__(TRY_LOCK);
SWIFT void unlock_slowly(SELF) __asm__(UNLOCK);

SWIFT void lock_slowly(uint32_t thread, SELF) {
    SWIFT void (*next)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK);
    next(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool try_slowly(SELF) {
    SWIFT bool (*next)(SELF) = dlsym(RTLD_NEXT, TRY_LOCK);
    bool is_taken = next(self);
    if (is_taken && __tsan_acquire) __tsan_acquire(self);
    return is_taken;
}

SWIFT void unlock_slowly(SELF) {
    SWIFT void (*next)(SELF) = dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(self);
    next(self);
}
