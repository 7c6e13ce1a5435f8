// Files in memory and their seals (memfd_create(2)), and the limit of a process's memory.
#define _GNU_SOURCE
#include "CLinux.h"

#include <sys/resource.h>

// Older C libraries do not name it; Linux 5.1.
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

static int sealed_memory_file(const char *name, off_t size, int seals) {
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) return -1;
    if (ftruncate(fd, size) == 0 && (seals == 0 || fcntl(fd, F_ADD_SEALS, seals) == 0)) return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

int kine_bounded_memory_file(const char *name, off_t size) {
    return sealed_memory_file(name, size, F_SEAL_SHRINK | F_SEAL_GROW);
}

int kine_memory_file(const char *name, off_t size) { return sealed_memory_file(name, size, 0); }

int kine_seal_memory(int fd, int read_only) {
    int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW;
    return fcntl(fd, F_ADD_SEALS, read_only ? seals | F_SEAL_FUTURE_WRITE : seals);
}

int64_t kine_sealed_size(int fd) {
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0) return -1;
    if (!(seals & F_SEAL_SHRINK)) return 0;
    struct stat status;
    return fstat(fd, &status) == 0 ? status.st_size : -1;
}

void kine_limit_private_memory(uint64_t bytes) {
    // The sanitizers map more than any such limit for themselves.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    setrlimit(RLIMIT_DATA, &limit);
#else
    (void)bytes;
#endif
}
