// Files: room on the disk, copies inside the kernel, names.
#define _GNU_SOURCE
#include "CLinux.h"

#include <libgen.h>
#include <limits.h>

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

int kine_replacement_refusal(const char *path) {
    struct statx file, directory;
    char parent[PATH_MAX];
    if (statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &file) != 0) return 0;
    if (file.stx_attributes & STATX_ATTR_MOUNT_ROOT) return EBUSY;
    if (file.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) return EPERM;
    if (snprintf(parent, sizeof parent, "%s", path) >= (int)sizeof parent) return 0;
    if (statx(AT_FDCWD, dirname(parent), 0, STATX_BASIC_STATS, &directory) != 0) return 0;
    uid_t user = geteuid();
    if (directory.stx_mode & S_ISVTX && user != 0 && user != file.stx_uid && user != directory.stx_uid) return EPERM;
    return 0;
}

int kine_exchange_paths(const char *one, const char *other) {
    return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}

int kine_rename_to_free_name(const char *from, const char *to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

int kine_pipe_has_writer(int fd) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) return 1;
    // Copies a byte and leaves it in the pipe; zero is the pipe's end (tee(2)).
    ssize_t count = tee(fd, ends[1], 1, SPLICE_F_NONBLOCK);
    close(ends[0]);
    close(ends[1]);
    return count != 0;
}
