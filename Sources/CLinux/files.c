// Files: room on the disk, copies inside the kernel, names.
#define _GNU_SOURCE
#include "CLinux.h"

int kine_reserve(int fd, int64_t start, int64_t end) {
    return fallocate(fd, FALLOC_FL_KEEP_SIZE, start, end - start);
}

int64_t kine_copy_range(int from, int64_t from_offset, int to, int64_t to_offset, int64_t count) {
    __off64_t source = from_offset, target = to_offset;
    return copy_file_range(from, &source, to, &target, (size_t)count, 0);
}

int kine_open_unnamed(const char *directory, int mode) {
    return open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

int kine_exchange_paths(const char *one, const char *other) {
    return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}

int kine_rename_to_free_name(const char *from, const char *to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}
