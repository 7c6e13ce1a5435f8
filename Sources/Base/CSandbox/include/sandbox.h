// Starts a process and confines it between fork and exec, which posix_spawn cannot. Everything that allocates is done before
// the fork; between fork and exec only async-signal-safe calls are made.
#pragma once
#include <linux/filter.h>
#include <stdint.h>
#include <sys/types.h>

// MARK: Landlock (landlock.c)

// The version of Landlock that this kernel has (landlock_create_ruleset(2)); 0 where it has none, or has it switched off.
int kine_landlock_version(void);

enum kine_landlock_access {
    KINE_READ = 1,  // read files, list directories, execute
    KINE_WRITE = 2, // read and write files, make and remove them and directories; no execution
    KINE_DEVICE = 4 // read and write, of a file that is there
};

// Makes a ruleset that allows no files yet, no TCP port of its own, and TCP connections as asked for; signals and abstract
// sockets stay within the process and its descendants. Rules unknown to the kernel's version are left out. Returns a descriptor
// that closes on exec, or -1 with errno set.
int kine_landlock_create(int may_connect);

// Allows a path and everything below it. Returns 0, or -1 with errno set, ENOENT where there is no such path.
int kine_landlock_allow(int ruleset, const char *path, int access);

// MARK: System calls (seccomp.c)

// Room for the longest program that kine_filter_build makes.
#define KINE_FILTER_LENGTH 512

// Exceptions from the refused system calls, which fail with EPERM; clone3, openat2 and calls later than Linux 6.17's fail with ENOSYS, so that
// libraries use others.
struct kine_filter_policy {
    int may_use_sockets;     // TCP, UDP, and the kernel's messages on routes; otherwise no socket can be made
    int may_listen;          // on a socket that it is given and that listens already; with may_use_sockets the call does nothing
    int may_bind;            // sockets to addresses of IP: for UDP, since Landlock refuses TCP's ports
    int may_signal;          // any process: something else holds it back (Landlock, from version 6 on)
    int may_watch;           // directories, by inotify: any of which it knows the name
    int may_set_modes;       // of files that it has open; otherwise the call does nothing
    int may_hide_memory;     // memory files and shared memory without a file: a cgroup counts them
};

struct kine_filter {
    uint16_t length;
    uint16_t own_pid_count;
    uint16_t own_pid[16]; // the instructions that compare with the process's own number, which only it knows
    struct sock_filter program[KINE_FILTER_LENGTH];
};

// Whether the kernel takes such filters.
int kine_filter_is_available(void);

// Returns 0, or -1 where the program is too long.
int kine_filter_build(struct kine_filter *filter, const struct kine_filter_policy *policy);

// Confines the calling thread, and every thread and process that it starts from now on, for good: by the ruleset, where it is not negative,
// and by the filter, where there is one. Returns 0, or -1 with errno set.
int kine_confine_self(int ruleset, struct kine_filter *filter);

// From now on neither this process nor its children can execute a program. Returns 0, or -1 with errno set.
int kine_forbid_execution(void);

// MARK: Namespaces (namespaces.c)

// The namespaces of a process. With its own process and mount namespaces, its /proc shows only itself and its descendants.
enum kine_namespaces {
    KINE_NO_NAMESPACES = 0,
    KINE_PROCESS_NAMESPACES = 1, // of processes and of mounts: root's to make
    KINE_USER_NAMESPACES = 2     // these two in a user namespace, which an ordinary user may make where the system allows it
};

// The namespaces that this process may make and give a /proc of their own; found out by trying, which starts a process.
enum kine_namespaces kine_namespaces_available(void);

// MARK: Processes (spawn.c)

// The options of kine_spawn. `fds[i]` becomes descriptor i of the child, or /dev/null where it is negative: a program
// whose standard error is closed writes its log into the first file it opens. Everything above is closed.
struct kine_spawn_options {
    const int *fds;
    int fd_count;            // KINE_SPAWN_DESCRIPTORS at most
    int parent_death_signal; // 0: the child outlives its parent
    int new_session;         // setsid(): away from the terminal's signals
    int new_process_group;   // setpgid(0, 0)
    uint64_t ignored_signals; // bit N - 1: the child ignores signal N; all others have their default action
    const char *directory;   // NULL: the parent's
    uint32_t user;           // the user and the group that root becomes, with no other groups; 0: stays
    int no_new_privileges;   // neither it nor its children ever gain rights, by set-user-ID or otherwise; its orphans stay its own
    int no_core_file;        // its memory is written to no file when it crashes
    int64_t data_limit;      // RLIMIT_DATA, hard: bytes of private memory; 0: the parent's
    int64_t stack_limit;     // RLIMIT_STACK, hard: bytes, which new threads' stacks have too; 0: the parent's
    int64_t file_limit;      // RLIMIT_FSIZE, hard: bytes of a file that it writes; 0: the parent's
    int oom_score_adjustment; // added to the kernel's choice of whom to kill for want of memory; 0: the parent's
    int cgroup_processes;    // an open cgroup.procs that the child enters before it runs anything; 0: the parent's cgroup
    int no_capabilities;     // none, also where the user is root
    int landlock_ruleset;    // -1: none. The parts of /proc that programs need are added to it
    struct kine_filter *filter; // NULL: every system call
    enum kine_namespaces namespaces; // the child is the first in its own; when it ends, the kernel ends all others in them
};

#define KINE_SPAWN_DESCRIPTORS 24

// Starts `path`. Returns the pid, or -1 with errno from fork or from the steps before the program runs.
pid_t kine_spawn(const char *path, char *const argv[], char *const envp[], const struct kine_spawn_options *options);
