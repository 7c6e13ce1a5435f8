// Files: the user's, the system's secrets, and memory that is filled through them.
#define _GNU_SOURCE
#include "attempts.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <signal.h>
#include <unistd.h>

static int close_after(int fd) {
    if (fd < 0) return 0;
    close(fd);
    return 1;
}

static int read_file(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    char byte;
    int got = read(fd, &byte, 1) == 1;
    close(fd);
    return got;
}

static int list(const char *path) {
    DIR *directory = opendir(path);
    if (!directory) return 0;
    closedir(directory);
    return 1;
}

static int change_file(const char *path) { return close_after(open(path, O_WRONLY | O_CLOEXEC)); }

static int make_file(const char *directory) {
    char path[4096];
    snprintf(path, sizeof path, "%s/hostile-%d", directory, getpid());
    if (!close_after(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600))) return 0;
    unlink(path);
    return 1;
}

static int remove_file(const char *path) { return unlink(path) == 0; }

// 256 MiB in one file.
static int fill_file(const char *directory) {
    char path[4096];
    snprintf(path, sizeof path, "%s/hostile-%d", directory, getpid());
    signal(SIGXFSZ, SIG_IGN);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return 0;
    int error = posix_fallocate(fd, 0, 256 << 20);
    close(fd);
    unlink(path);
    errno = error;
    return error == 0;
}

static int memory_file(const char *argument) {
    (void)argument;
    return close_after(memfd_create("hostile", MFD_CLOEXEC));
}

static int secret_memory(const char *argument) {
    (void)argument;
    return close_after((int)syscall(447, 0));
}

// It stays where its pages are given back, and is counted nowhere then.
static int shared_memory(const char *argument) {
    (void)argument;
    void *memory = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 0;
    munmap(memory, 1 << 20);
    return 1;
}

// Whether a call succeeded, and did something: it may be answered without being made.
static int changed(const char *path, int (*attempt)(const char *path)) {
    struct stat before, after;
    if (stat(path, &before) != 0) return 0;
    attempt(path);
    int error = errno;
    if (stat(path, &after) != 0) return 0;
    int result = before.st_mode != after.st_mode || before.st_mtime != after.st_mtime || before.st_size != after.st_size;
    if (before.st_mode != after.st_mode) chmod(path, before.st_mode & 07777);
    errno = error;
    return result;
}

static int with_descriptor(const char *path, int flags, int (*attempt)(int fd)) {
    int fd = open(path, flags | O_CLOEXEC);
    if (fd < 0) return 0;
    int result = attempt(fd), error = errno;
    close(fd);
    errno = error;
    return result;
}

static int chmod_all_ways(const char *path) {
    return syscall(SYS_fchmodat, AT_FDCWD, path, 0777) == 0 || syscall(452 /* fchmodat2 */, AT_FDCWD, path, 0777, 0) == 0 ||
           chmod(path, 0777) == 0;
}

static int chmod_descriptor(int fd) { return fchmod(fd, 0777) == 0; }
static int chmod_open(const char *path) { return with_descriptor(path, O_RDONLY, chmod_descriptor); }
static int change_mode(const char *path) { return changed(path, chmod_all_ways); }
static int change_own_mode(const char *path) { return changed(path, chmod_open); }

static const struct timespec past[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};

static int set_times(const char *path) { return utimensat(AT_FDCWD, path, past, 0) == 0; }
static int times_descriptor(int fd) { return futimens(fd, past) == 0; }
static int times_open(const char *path) { return with_descriptor(path, O_RDONLY, times_descriptor); }
static int change_times(const char *path) { return changed(path, set_times); }
static int change_own_times(const char *path) { return changed(path, times_open); }

static int change_owner(const char *path) {
    return syscall(SYS_fchownat, AT_FDCWD, path, getuid(), getgid(), 0) == 0 || lchown(path, getuid(), getgid()) == 0;
}

// The calls that take a structure say that they have looked at it.
static int read_attributes(const char *path) {
    char names[4096];
    return listxattr(path, names, sizeof names) >= 0 || llistxattr(path, names, sizeof names) >= 0 ||
           getxattr(path, "user.secret", names, sizeof names) >= 0 || errno == ENODATA ||
           syscall(465 /* listxattrat */, AT_FDCWD, path, 0, names, sizeof names) >= 0 ||
           syscall(464 /* getxattrat */, AT_FDCWD, path, 0, "user.secret", 0, 0) >= 0 || errno == EINVAL;
}

static int set_attribute(const char *path) {
    if (setxattr(path, "user.hostile", "1", 1, 0) == 0 || lsetxattr(path, "user.hostile", "1", 1, 0) == 0) {
        removexattr(path, "user.hostile");
        return 1;
    }
    static const long calls[] = {463 /* setxattrat */, 466 /* removexattrat */, 468 /* file_getattr */, 469 /* file_setattr */};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (syscall(calls[i], AT_FDCWD, path, 0, 0, 0, 0) == 0 || errno == EFAULT || errno == EINVAL || errno == E2BIG) return 1;
    return 0;
}

static int empty_file(const char *path) { return truncate(path, 0) == 0; }
static int open_emptying(const char *path) { return close_after(open(path, O_RDONLY | O_TRUNC | O_CLOEXEC)); }
static int empty_own(const char *path) { return changed(path, open_emptying); }

// Others wait, 45 seconds mostly, until they may open the file.
static int lease_descriptor(int fd) { return fcntl(fd, F_SETLEASE, F_RDLCK) == 0 || fcntl(fd, F_SETLEASE, F_WRLCK) == 0; }
static int lease(const char *path) { return with_descriptor(path, O_RDONLY, lease_descriptor); }

static int flags_descriptor(int fd) {
    int flags = FS_NODUMP_FL;
    return ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
}
static int set_flags(const char *path) { return with_descriptor(path, O_RDONLY, flags_descriptor); }

// The names that appear in a directory.
static int watch(const char *path) {
    int fd = inotify_init1(IN_CLOEXEC);
    if (fd < 0) return 0;
    int result = inotify_add_watch(fd, path, IN_ALL_EVENTS) >= 0, error = errno;
    close(fd);
    errno = error;
    return result;
}

const struct attempt file_attempts[] = {
    {"read", read_file},         {"list", list},
    {"change", change_file},     {"make", make_file},
    {"remove", remove_file},     {"fill", fill_file},
    {"memory file", memory_file}, {"secret memory", secret_memory},
    {"shared memory", shared_memory}, {"mode", change_mode},
    {"own mode", change_own_mode}, {"times", change_times},
    {"own times", change_own_times}, {"owner", change_owner},
    {"attribute", set_attribute}, {"attributes", read_attributes}, {"empty", empty_file},
    {"empty own", empty_own},    {"lease", lease},
    {"flags", set_flags},        {"watch", watch},
    {0, 0},
};
