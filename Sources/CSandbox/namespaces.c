// Namespaces of processes, mounts and users (namespaces(7)): a process in them has no number for any process outside.
#define _GNU_SOURCE
#include "namespaces.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t kine_fork_into(enum kine_namespaces namespaces) {
    if (namespaces == KINE_NO_NAMESPACES) return fork();
    unsigned long flags = SIGCHLD | CLONE_NEWPID | CLONE_NEWNS;
    if (namespaces == KINE_USER_NAMESPACES) flags |= CLONE_NEWUSER;
    return (pid_t)syscall(SYS_clone, flags, 0, 0, 0, 0);
}

static int write_file(const char *path, const char *text, size_t length) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t written = write(file, text, length);
    int saved = errno;
    close(file);
    errno = saved;
    return written == (ssize_t)length ? 0 : -1;
}

// "ID ID 1": the one number that stays itself (user_namespaces(7)). By hand: snprintf may take a lock.
static int write_map(const char *path, uint32_t id) {
    char digits[12], line[32];
    size_t count = 0, length = 0;
    do digits[count++] = (char)('0' + id % 10);
    while ((id /= 10) > 0);
    for (int i = 0; i < 2; i++) {
        for (size_t digit = count; digit > 0; digit--) line[length++] = digits[digit - 1];
        line[length++] = ' ';
    }
    line[length++] = '1';
    return write_file(path, line, length);
}

int kine_namespaces_keep_user(enum kine_namespaces namespaces, uid_t user, gid_t group) {
    if (namespaces != KINE_USER_NAMESPACES) return 0;
    // The /proc of a process that must not be dumped is root's. It still has its parent's memory here: for this moment only.
    int dumpable = prctl(PR_GET_DUMPABLE);
    if (dumpable != 1) prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    // Without "deny" an ordinary user may not write the map of groups.
    int result = write_map("/proc/self/uid_map", user) == 0 && write_file("/proc/self/setgroups", "deny", 4) == 0 &&
                         write_map("/proc/self/gid_map", group) == 0
                     ? 0
                     : -1;
    int saved = errno;
    if (dumpable != 1) prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    errno = saved;
    return result;
}

int kine_namespaces_mount_proc(enum kine_namespaces namespaces) {
    if (namespaces == KINE_NO_NAMESPACES) return 0;
    // Nothing mounted here shows outside; what is mounted outside later shows here.
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
    // Root in a container often may do neither, or the second only.
    if (geteuid() == 0 && can_enter(KINE_PROCESS_NAMESPACES)) return KINE_PROCESS_NAMESPACES;
    return can_enter(KINE_USER_NAMESPACES) ? KINE_USER_NAMESPACES : KINE_NO_NAMESPACES;
}
