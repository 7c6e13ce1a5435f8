// Starts a process. posix_spawn knows neither a parent-death signal nor close_range, nor anything that confines: hence fork.
#define _GNU_SOURCE
#include "landlock.h"
#include "namespaces.h"
#include "own_proc.h"
#include "seccomp.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Lowers a limit for good; a hard limit that is lower already stays.
static int lower_limit(__rlimit_resource_t resource, int64_t value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return -1;
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > (rlim_t)value) limit.rlim_max = (rlim_t)value;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(resource, &limit);
}

// A kernel without the file, or one that refuses, does no harm.
static void adjust_oom_score(int value) {
    char digits[12];
    char *end = digits + sizeof digits, *start = kine_decimal(end, (uint32_t)value);
    (void)kine_write_own_proc("/proc/self/oom_score_adj", start, (size_t)(end - start));
}

static int limit_resources(const struct kine_spawn_options *options) {
    if (options->cgroup_processes > 0 && write(options->cgroup_processes, "0", 1) != 1) return -1;
    if (options->oom_score_adjustment) adjust_oom_score(options->oom_score_adjustment);
    // 1 and not 0: a program that the kernel pipes cores into gets none then either (core(5), fs/coredump.c).
    if (options->no_core_file && lower_limit(RLIMIT_CORE, 1) != 0) return -1;
    if (options->data_limit && lower_limit(RLIMIT_DATA, options->data_limit) != 0) return -1;
    if (options->stack_limit && lower_limit(RLIMIT_STACK, options->stack_limit) != 0) return -1;
    if (options->file_limit && lower_limit(RLIMIT_FSIZE, options->file_limit) != 0) return -1;
    return 0;
}

// Gives up all capabilities, root's too. With no_new_privs exec brings none back.
static int drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return (int)syscall(SYS_capset, &header, none);
}

// The last step before exec: from here on, fewer and fewer calls succeed.
static int confine(const struct kine_spawn_options *options, int ruleset) {
    if (options->no_new_privileges && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    // Processes whose parents have ended stay among its descendants, and are counted with them.
    if (options->no_new_privileges && prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) return -1;
    if (ruleset >= 0 && kine_landlock_enter(ruleset) != 0) return -1;
    if (options->no_capabilities && drop_capabilities() != 0) return -1;
    if (options->filter && kine_filter_enter(options->filter) != 0) return -1;
    return 0;
}

// Gives the descriptors the numbers that the program expects, and lets it inherit no other. `report` and `ruleset` are
// moved above the program's, so that no dup2 overwrites one that is still needed.
static int arrange_descriptors(const struct kine_spawn_options *options, int *report, int *ruleset) {
    int high[KINE_SPAWN_DESCRIPTORS];
    int count = options->fd_count;
    for (int i = 0; i < count; i++) {
        high[i] = options->fds[i] < 0 ? -1 : fcntl(options->fds[i], F_DUPFD_CLOEXEC, count);
        if (options->fds[i] >= 0 && high[i] < 0) return -1;
    }
    int moved = fcntl(*report, F_DUPFD_CLOEXEC, count);
    if (moved < 0) return -1;
    *report = moved;
    if (*ruleset >= 0 && (*ruleset = fcntl(*ruleset, F_DUPFD_CLOEXEC, count)) < 0) return -1;
    for (int i = 0; i < count; i++) {
        int source = high[i] >= 0 ? high[i] : open("/dev/null", O_RDWR | O_CLOEXEC);
        if (source < 0 || (source == i ? fcntl(i, F_SETFD, 0) : dup2(source, i)) < 0) return -1;
    }
    // close_range, Linux 5.11 with its flag; before that, one by one.
    if (syscall(436, count, ~0U, 4 /* CLOSE_RANGE_CLOEXEC */) != 0)
        for (int fd = count; fd < 1024; fd++) fcntl(fd, F_SETFD, FD_CLOEXEC);
    return 0;
}

static void reset_signals(uint64_t ignored) {
    for (int number = 1; number < 65; number++)
        if (number != SIGKILL && number != SIGSTOP)
            signal(number, ignored >> (number - 1) & 1 ? SIG_IGN : SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, 0);
}

// Whether the parent, which waits for the report, has died. getppid would tell too, but returns 0 in a process namespace.
static int parent_has_died(int report) {
    struct pollfd entry = {.fd = report};
    return poll(&entry, 1, 0) == 1 && (entry.revents & POLLERR);
}

struct owner {
    uid_t user;
    gid_t group;
};

// The child's steps to exec; returns only if one failed, with errno set.
static void become(const char *path, char *const argv[], char *const envp[], const struct kine_spawn_options *options,
                   struct owner owner, int *report) {
    int ruleset = options->landlock_ruleset;
    if (kine_namespaces_keep_user(options->namespaces, owner.user, owner.group) != 0) return;
    // Before the descriptors, since its cgroup's may be one of their targets; and before the /proc that it keeps.
    if (limit_resources(options) != 0 || kine_namespaces_mount_proc(options->namespaces) != 0) return;
    if (arrange_descriptors(options, report, &ruleset) != 0) return;
    if (options->new_session) setsid();
    else if (options->new_process_group) setpgid(0, 0);
    // Before the signal at the parent's death, which a change of the user takes away.
    if (options->user && (setgroups(0, 0) != 0 || setgid(options->user) != 0 || setuid(options->user) != 0)) return;
    if (options->parent_death_signal) {
        prctl(PR_SET_PDEATHSIG, options->parent_death_signal);
        if (parent_has_died(*report)) { errno = ESRCH; return; } // before the call above
    }
    if (options->directory && chdir(options->directory) != 0) return;
    if (confine(options, ruleset) != 0) return;
    reset_signals(options->ignored_signals);
    execve(path, argv, envp);
}

pid_t kine_spawn(const char *path, char *const argv[], char *const envp[], const struct kine_spawn_options *options) {
    if (options->fd_count > KINE_SPAWN_DESCRIPTORS) { errno = EINVAL; return -1; }
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) return -1;
    struct owner owner = {geteuid(), getegid()};
    sigset_t all, previous;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &previous); // no handler of ours may run in the child
    pid_t pid = kine_fork_into(options->namespaces);
    if (pid == 0) {
        close(report[0]);
        become(path, argv, envp, options, owner, &report[1]);
        int failure = errno;
        (void)!write(report[1], &failure, sizeof failure);
        _exit(127);
    }
    int saved = errno;
    sigprocmask(SIG_SETMASK, &previous, 0);
    close(report[1]);
    if (pid < 0) { close(report[0]); errno = saved; return -1; }
    int failure = 0;
    ssize_t got;
    do { got = read(report[0], &failure, sizeof failure); } while (got < 0 && errno == EINTR);
    close(report[0]);
    if (got != (ssize_t)sizeof failure) return pid;
    while (waitpid(pid, 0, 0) < 0 && errno == EINTR) {}
    errno = failure;
    return -1;
}
