// Defines the functions of a library that is loaded when it is first needed (dlopen(3)), under their own names. For C only.
#pragma once
#include <dlfcn.h>
#include <stdatomic.h>

// One of the library's functions that the program uses.
struct late_name {
    const char *name;
    struct late_name *next;
};

// Defines `late_library()`, which loads the library; null where it is not installed, or is of a version that lacks a function that is used.
// Any thread may call: all get the same handle.
#define LATE_LIBRARY(file)                                                                                             \
    static struct late_name *late_names;                                                                               \
    static void *late_library(void) {                                                                                  \
        static _Atomic(void *) loaded;                                                                                 \
        void *library = atomic_load_explicit(&loaded, memory_order_acquire);                                           \
        if (library || !(library = dlopen(file, RTLD_NOW | RTLD_LOCAL))) return library;                               \
        for (struct late_name *each = late_names; each; each = each->next) {                                           \
            if (dlsym(library, each->name)) continue;                                                                  \
            dlclose(library);                                                                                          \
            return 0;                                                                                                  \
        }                                                                                                              \
        atomic_store_explicit(&loaded, library, memory_order_release);                                                 \
        return library;                                                                                                \
    }

// Defines a function of that library which finds the real one on its first call. Not to be called where the library is missing.
#define LATE_FUNCTION(result, name, parameters, arguments)                                                             \
    __attribute__((constructor)) static void late_##name(void) {                                                       \
        static struct late_name entry = {#name, 0};                                                                    \
        entry.next = late_names;                                                                                       \
        late_names = &entry;                                                                                           \
    }                                                                                                                  \
    result name parameters {                                                                                           \
        static _Atomic(void *) found;                                                                                  \
        void *function = atomic_load_explicit(&found, memory_order_relaxed);                                           \
        if (!function) {                                                                                               \
            if (!late_library() || !(function = dlsym(late_library(), #name))) __builtin_trap();                       \
            atomic_store_explicit(&found, function, memory_order_relaxed);                                             \
        }                                                                                                              \
        return ((__typeof__(name) *)function) arguments;                                                               \
    }
