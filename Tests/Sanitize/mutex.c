// Shows the thread sanitizer what it cannot see: the slow paths of Swift's Mutex live in a library that is not
// instrumented. The fast paths are compiled into the program and need no help. Linked into the tests by `make tsan`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void (*Lock)(uint32_t state, SELF);
typedef SWIFT void (*Unlock)(SELF);

SWIFT void lock_slow(uint32_t state, SELF) __asm__(LOCK);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t state, SELF) {
    static Lock original;
    if (!original) original = (Lock)dlsym(RTLD_NEXT, LOCK);
    original(state, self);
    __tsan_acquire(self);
}

SWIFT void unlock_slow(SELF) {
    static Unlock original;
    if (!original) original = (Unlock)dlsym(RTLD_NEXT, UNLOCK);
    __tsan_release(self);
    original(self);
}
