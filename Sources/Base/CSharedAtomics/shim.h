// Atomic 64-bit words at an address: for memory that two processes share. Swift's own Atomic is a value with a place of its
// own and cannot be laid over a mapping.
#pragma once
#include <stdint.h>

// `word` is aligned to 8 bytes in all of these.
static inline uint64_t kine_atomic_load_acquire(const void *word) {
    return __atomic_load_n((const uint64_t *)word, __ATOMIC_ACQUIRE);
}

static inline uint64_t kine_atomic_load_relaxed(const void *word) {
    return __atomic_load_n((const uint64_t *)word, __ATOMIC_RELAXED);
}

static inline void kine_atomic_store_relaxed(void *word, uint64_t value) {
    __atomic_store_n((uint64_t *)word, value, __ATOMIC_RELAXED);
}

static inline void kine_atomic_store_release(void *word, uint64_t value) {
    __atomic_store_n((uint64_t *)word, value, __ATOMIC_RELEASE);
}

static inline uint64_t kine_atomic_exchange(void *word, uint64_t value) {
    return __atomic_exchange_n((uint64_t *)word, value, __ATOMIC_ACQ_REL);
}

// No later read is moved before an earlier one.
static inline void kine_atomic_fence_acquire(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
