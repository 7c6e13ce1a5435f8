// What a process says of itself, and how another is known, waited for and ended.
#define _GNU_SOURCE
#include "CLinux.h"

void kine_set_thread_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

void kine_forbid_dump(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int kine_become_subreaper(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

int kine_open_process(pid_t pid) {
    return (int)syscall(434, pid, 0);
}

int kine_signal_process(int process, int number) {
    return (int)syscall(424, process, number, 0, 0);
}

int kine_reap(pid_t pid) {
    pid_t got = waitpid(pid, 0, WNOHANG);
    return got == pid ? 1 : got == 0 ? 0 : -1;
}
