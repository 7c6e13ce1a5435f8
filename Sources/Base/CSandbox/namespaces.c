// Namespaces of processes, mounts and users (namespaces(7)): a process in them has no number for any process outside.
#define _GNU_SOURCE
#include "namespaces.h"
#include "own_proc.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t kine_fork_into(enum kine_namespaces namespaces) {
    if (namespaces == KINE_NO_NAMESPACES) return fork();
    unsigned long flags = SIGCHLD | CLONE_NEWPID | CLONE_NEWNS;
    if (namespaces == KINE_USER_NAMESPACES) flags |= CLONE_NEWUSER;
    return (pid_t)syscall(SYS_clone, flags, 0, 0, 0, 0);
}

// "ID ID 1": the one number that stays itself (user_namespaces(7)).
static int write_map(const char *path, uint32_t id) {
    char line[32];
    char *end = line + sizeof line, *start = end;
    *--start = '1';
    *--start = ' ';
    start = kine_decimal(start, id);
    *--start = ' ';
    start = kine_decimal(start, id);
    return kine_write_own_proc(path, start, (size_t)(end - start));
}

int kine_namespaces_keep_user(enum kine_namespaces namespaces, uid_t user, gid_t group) {
    if (namespaces != KINE_USER_NAMESPACES) return 0;
    if (write_map("/proc/self/uid_map", user) != 0) return -1;
    // Without this an ordinary user may not write the map of groups.
    if (kine_write_own_proc("/proc/self/setgroups", "deny", 4) != 0) return -1;
    return write_map("/proc/self/gid_map", group);
}

int kine_namespaces_mount_proc(enum kine_namespaces namespaces) {
    if (namespaces == KINE_NO_NAMESPACES) return 0;
    // Mounts made here do not show outside; later mounts outside show here.
    if (mount(0, "/", 0, MS_REC | MS_SLAVE, 0) != 0) return -1;
    return mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, 0);
}

static int can_enter(enum kine_namespaces namespaces) {
    uid_t user = geteuid();
    gid_t group = getegid();
    sigset_t all, previous;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &previous); // no handler of ours may run in the child
    pid_t pid = kine_fork_into(namespaces);
    if (pid == 0)
        _exit(kine_namespaces_keep_user(namespaces, user, group) == 0 && kine_namespaces_mount_proc(namespaces) == 0 ? 0 : 1);
    sigprocmask(SIG_SETMASK, &previous, 0);
    if (pid < 0) return 0;
    int status = 1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

enum kine_namespaces kine_namespaces_available(void) {
    // Root in a container may often make neither, or the second only.
    if (geteuid() == 0 && can_enter(KINE_PROCESS_NAMESPACES)) return KINE_PROCESS_NAMESPACES;
    return can_enter(KINE_USER_NAMESPACES) ? KINE_USER_NAMESPACES : KINE_NO_NAMESPACES;
}
