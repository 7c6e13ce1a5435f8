// Other processes: their memory, environment and descriptors, signals to them, and shared memory of System V.
#define _GNU_SOURCE
#include "attempts.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

// The process with that number; without one, the parent: the engine. It has no number in a process namespace: then one that nobody
// has, since 0 would mean this process itself.
static pid_t process(const char *argument) {
    if (*argument) return (pid_t)atoi(argument);
    return getppid() > 0 ? getppid() : INT_MAX;
}

static int open_of(const char *argument, const char *file) {
    char path[64], byte;
    snprintf(path, sizeof path, "/proc/%d/%s", process(argument), file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t got = read(fd, &byte, 1);
    close(fd);
    return got == 1;
}

static int environment(const char *argument) { return open_of(argument, "environ"); }
static int command_line(const char *argument) { return open_of(argument, "cmdline"); }

static int memory_by_file(const char *argument) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", process(argument));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

static int memory_by_call(const char *argument) {
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)4096, 1};
    // Nothing is mapped there: that it says so means that it looked.
    return process_vm_readv(process(argument), &here, 1, &there, 1, 0) >= 0 || errno == EFAULT;
}

static int trace(const char *argument) {
    if (ptrace(PTRACE_SEIZE, process(argument), 0, 0) != 0) return 0;
    ptrace(PTRACE_DETACH, process(argument), 0, 0);
    return 1;
}

// Processes that were started about when this one was: other extensions, with other destinations' keys.
static int neighbours(const char *argument) {
    (void)argument;
    for (pid_t pid = getpid() - 200; pid < getpid() + 200; pid++) {
        char number[16], thread[64];
        snprintf(number, sizeof number, "%d", pid);
        // Its own threads have numbers of that kind, too.
        snprintf(thread, sizeof thread, "/proc/self/task/%d", pid);
        if (pid > 1 && access(thread, F_OK) != 0 && (environment(number) || memory_by_call(number))) return 1;
    }
    errno = EPERM;
    return 0;
}

static int descriptor_by_file(const char *argument) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/2", process(argument));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

static int descriptor_by_call(const char *argument) {
    int pid = (int)syscall(434 /* pidfd_open */, process(argument), 0);
    if (pid < 0) return 0;
    int fd = (int)syscall(438 /* pidfd_getfd */, pid, 2, 0), saved = errno;
    if (fd >= 0) close(fd);
    close(pid);
    errno = saved;
    return fd >= 0;
}

static int signal_process(const char *argument) { return kill(process(argument), 0) == 0; }

static int signal_by_descriptor(const char *argument) {
    int ends[2];
    if (pipe(ends) != 0) return 0;
    int got = fcntl(ends[0], F_SETOWN, process(argument)) == 0, saved = errno;
    close(ends[0]);
    close(ends[1]);
    errno = saved;
    return got;
}

// A limit of its own, so that it can write no file.
static int limit_process(const char *argument) {
    struct rlimit limit;
    return syscall(SYS_prlimit64, process(argument), RLIMIT_FSIZE, 0, &limit) == 0;
}

static int slow_down(const char *argument) { return setpriority(PRIO_PROCESS, (id_t)process(argument), 19) == 0; }

// All processes of the user, to the priority that this one has.
static int slow_down_all(const char *argument) {
    (void)argument;
    return setpriority(PRIO_USER, 0, getpriority(PRIO_PROCESS, 0)) == 0;
}

static int attach_shared_memory(const char *argument) {
    void *memory = shmat(atoi(argument), 0, SHM_RDONLY);
    if (memory == (void *)-1) return 0;
    shmdt(memory);
    return 1;
}

// A process that wants to live on, away from its parent, its session and whoever counts it.
static int flee(const char *argument) {
    (void)argument;
    pid_t pid = fork();
    if (pid < 0) return 0;
    if (pid == 0) {
        setsid();
        if (fork() != 0) _exit(0);
        while (1) pause();
    }
    waitpid(pid, 0, 0);
    return 1;
}

static int execute(const char *path) {
    pid_t pid = fork();
    if (pid < 0) return 0;
    if (pid == 0) {
        char *arguments[] = {(char *)path, 0}, *none[] = {0};
        execve(path, arguments, none);
        _exit(errno);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    errno = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A child of its parent's, which would not be counted with this process.
static int make_sibling(const char *argument) {
    (void)argument;
    pid_t pid = fork();
    if (pid < 0) return 0;
    if (pid == 0) {
        long sibling = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
        _exit(sibling > 0 ? 0 : sibling == 0 ? 255 : errno);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    errno = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    return errno == 0;
}

// The processes that it leaves behind would then be others' to find.
static int disown(const char *argument) {
    (void)argument;
    return prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) == 0;
}

static int signal_at_parents_death;

// The first thread has the signal, hence before main.
__attribute__((constructor)) static void outlive(void) {
    prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
    prctl(PR_GET_PDEATHSIG, &signal_at_parents_death, 0, 0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

static int outlive_parent(const char *argument) {
    (void)argument;
    return signal_at_parents_death != SIGKILL;
}

static int raise_limit(const char *argument) {
    (void)argument;
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    return setrlimit(RLIMIT_DATA, &limit) == 0;
}

const struct attempt process_attempts[] = {
    {"environment", environment},       {"command line", command_line},
    {"memory by file", memory_by_file}, {"memory by call", memory_by_call},
    {"trace", trace},                   {"descriptor by file", descriptor_by_file},
    {"descriptor by call", descriptor_by_call}, {"signal", signal_process},
    {"signal by descriptor", signal_by_descriptor}, {"limit", limit_process},
    {"slow down", slow_down},           {"attach", attach_shared_memory},
    {"flee", flee},                     {"execute", execute},
    {"raise limit", raise_limit},       {"neighbours", neighbours},
    {"slow down all", slow_down_all},   {"sibling", make_sibling},
    {"disown", disown},                 {"outlive", outlive_parent},
    {0, 0},
};
