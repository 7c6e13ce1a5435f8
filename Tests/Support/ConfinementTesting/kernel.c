// The kernel: namespaces, mounts, machinery that goes past a filter, and calls of foreign architectures.
#define _GNU_SOURCE
#include "attempts.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Whether the kernel looked at a call whose arguments are wrong.
static int looked(long result) { return result >= 0 || errno == EINVAL || errno == EFAULT || errno == E2BIG; }

static int user_namespace(const char *argument) {
    (void)argument;
    pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (pid < 0) return 0;
    if (pid == 0) _exit(0);
    waitpid(pid, 0, 0);
    return 1;
}

// Whether it may: in a process of its own, since this one goes on.
static int network_namespace(const char *argument) {
    (void)argument;
    int status = 0;
    pid_t pid = fork();
    if (pid < 0) return 0;
    if (pid == 0) _exit(unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 ? 0 : errno);
    waitpid(pid, &status, 0);
    errno = WEXITSTATUS(status);
    return status == 0;
}

static int mount_something(const char *argument) {
    (void)argument;
    // No such place: a mount that is allowed says so.
    return mount("none", "/nonexistent", "tmpfs", 0, 0) == 0 || errno == ENOENT || errno == EACCES;
}

static int ring(const char *argument) {
    (void)argument;
    char parameters[256];
    memset(parameters, 0, sizeof parameters);
    return looked(syscall(425, 1, parameters));
}

static int program(const char *argument) {
    (void)argument;
    return looked(syscall(SYS_bpf, 0, 0, 0));
}

static int keys(const char *argument) {
    (void)argument;
    return looked(syscall(SYS_keyctl, 0 /* KEYCTL_GET_KEYRING_ID */, -4 /* the user's */, 0, 0, 0)) || errno == ENOKEY;
}

// Those of the user's other programs.
static int semaphores(const char *argument) {
    (void)argument;
    struct sembuf operation = {0, 0, IPC_NOWAIT};
    return looked(semop(-1, &operation, 1));
}

static int performance(const char *argument) {
    (void)argument;
    return looked(syscall(SYS_perf_event_open, 0, 0, -1, -1, 0));
}

static int faults(const char *argument) {
    (void)argument;
    return looked(syscall(SYS_userfaultfd, 1 /* of the process itself */));
}

// getpid of 32-bit x86, by the old gate.
static int foreign_gate(const char *argument) {
    (void)argument;
#ifdef __x86_64__
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
    if ((int)result > 0) return 1;
    errno = -(int)result;
    return 0;
#else
    errno = ENOSYS;
    return 0;
#endif
}

// getpid of x32.
static int foreign_number(const char *argument) {
    (void)argument;
    return syscall(0x40000000L | SYS_getpid) > 0;
}

const struct attempt kernel_attempts[] = {
    {"user namespace", user_namespace}, {"network namespace", network_namespace},
    {"mount", mount_something},         {"io_uring", ring},
    {"bpf", program},                   {"keyring", keys},
    {"performance counters", performance}, {"userfaultfd", faults},
    {"int 0x80", foreign_gate},         {"x32", foreign_number},
    {"semaphores", semaphores},
    {0, 0},
};
