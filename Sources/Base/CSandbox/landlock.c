// Files, TCP ports, signals and abstract sockets that a process may reach: Landlock, by the kernel's documentation
// (userspace-api/landlock.rst). Debian 12's headers know its first two versions only, hence the numbers.
#define _GNU_SOURCE
#include "include/sandbox.h"
#include "landlock.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

// The same on every architecture.
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 };

enum {
    FS_EXECUTE = 1 << 0,
    FS_WRITE_FILE = 1 << 1,
    FS_READ_FILE = 1 << 2,
    FS_READ_DIRECTORY = 1 << 3,
    FS_REMOVE_DIRECTORY = 1 << 4,
    FS_REMOVE_FILE = 1 << 5,
    FS_MAKE_DIRECTORY = 1 << 7,
    FS_MAKE_FILE = 1 << 8,
    FS_VERSION_1 = (1 << 13) - 1,
    FS_REFER = 1 << 13,        // version 2
    FS_TRUNCATE = 1 << 14,     // version 3
    FS_DEVICE_CONTROL = 1 << 15, // version 5
    // The rights that a rule for a file, and not for a directory, may hold.
    FS_OF_FILES = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_DEVICE_CONTROL,

    NET_BIND = 1 << 0, // version 4
    NET_CONNECT = 1 << 1,

    SCOPE_ABSTRACT_SOCKETS = 1 << 0, // version 6
    SCOPE_SIGNALS = 1 << 1,
};

struct ruleset_attributes {
    uint64_t fs, net, scoped;
};

struct path_attributes {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

int kine_landlock_version(void) {
    long version = syscall(CREATE_RULESET, 0, 0, 1 /* LANDLOCK_CREATE_RULESET_VERSION */);
    return version > 0 ? (int)version : 0;
}

static uint64_t known_access(int version) {
    uint64_t known = FS_VERSION_1;
    if (version >= 2) known |= FS_REFER;
    if (version >= 3) known |= FS_TRUNCATE;
    if (version >= 5) known |= FS_DEVICE_CONTROL;
    return known;
}

int kine_landlock_create(int may_connect) {
    int version = kine_landlock_version();
    if (version == 0) { errno = EOPNOTSUPP; return -1; }
    struct ruleset_attributes attributes = {.fs = known_access(version)};
    size_t size = sizeof attributes.fs;
    if (version >= 4) {
        attributes.net = NET_BIND | (may_connect ? 0 : NET_CONNECT);
        size += sizeof attributes.net;
    }
    if (version >= 6) {
        attributes.scoped = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS;
        size += sizeof attributes.scoped;
    }
    return (int)syscall(CREATE_RULESET, &attributes, size, 0);
}

// Async-signal-safe.
static int allow_descriptor(int ruleset, int descriptor, uint64_t allowed) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return -1;
    if (!S_ISDIR(status.st_mode)) allowed &= FS_OF_FILES;
    struct path_attributes rule = {.allowed = allowed, .parent = descriptor};
    return (int)syscall(ADD_RULE, ruleset, 1 /* LANDLOCK_RULE_PATH_BENEATH */, &rule, 0);
}

int kine_landlock_allow(int ruleset, const char *path, int access) {
    uint64_t allowed = 0;
    if (access & KINE_READ) allowed |= FS_EXECUTE | FS_READ_FILE | FS_READ_DIRECTORY;
    if (access & KINE_DEVICE) allowed |= FS_READ_FILE | FS_WRITE_FILE;
    if (access & KINE_WRITE)
        allowed |= FS_READ_FILE | FS_READ_DIRECTORY | FS_WRITE_FILE | FS_TRUNCATE | FS_REMOVE_FILE |
                   FS_REMOVE_DIRECTORY | FS_MAKE_FILE | FS_MAKE_DIRECTORY | FS_REFER;
    int descriptor = open(path, O_PATH | O_CLOEXEC);
    if (descriptor < 0) return -1;
    int result = allow_descriptor(ruleset, descriptor, allowed & known_access(kine_landlock_version()));
    int saved = errno;
    close(descriptor);
    errno = saved;
    return result;
}

int kine_landlock_enter(int ruleset) {
    // The C library and the sanitizers read the own mappings. libdispatch reads /proc/THREAD/stat of threads whose numbers are
    // unknown yet, or ends the process: hence all files of /proc, without listing it. Landlock still refuses the environment,
    // memory and descriptors of other processes, as it refuses ptrace.
    const char *const paths[] = {"/proc", "/proc/self"};
    for (int i = 0; i < 2; i++) {
        int directory = open(paths[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (directory < 0) continue; // without /proc it goes too
        (void)!allow_descriptor(ruleset, directory, i == 0 ? FS_READ_FILE : FS_READ_FILE | FS_READ_DIRECTORY);
        close(directory);
    }
    return (int)syscall(RESTRICT_SELF, ruleset, 0);
}
