// Writing to the process's own /proc, as a child does before it runs a program.
#define _GNU_SOURCE
#include "own_proc.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

char *kine_decimal(char *end, uint32_t number) {
    do *--end = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return end;
}

int kine_write_own_proc(const char *path, const char *text, size_t length) {
    // The /proc of a process that must not be dumped is root's. It still has its parent's memory here: for this moment only.
    int dumpable = prctl(PR_GET_DUMPABLE);
    if (dumpable != 1) prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t written = file < 0 ? -1 : write(file, text, length);
    int saved = errno;
    if (file >= 0) close(file);
    if (dumpable != 1) prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    errno = saved;
    return written == (ssize_t)length ? 0 : -1;
}
