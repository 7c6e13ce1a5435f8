// Files: the user's, the system's secrets, and memory that is filled through them.
#define _GNU_SOURCE
#include "attempts.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
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

const struct attempt file_attempts[] = {
    {"read", read_file},         {"list", list},
    {"change", change_file},     {"make", make_file},
    {"remove", remove_file},     {"fill", fill_file},
    {"memory file", memory_file}, {"secret memory", secret_memory},
    {"shared memory", shared_memory}, {0, 0},
};
