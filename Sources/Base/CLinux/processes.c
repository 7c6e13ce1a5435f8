// Settings of this process, and descriptors of others to wait for them and signal them.
#define _GNU_SOURCE
#include "CLinux.h"
#include <sys/syscall.h>

// Older headers do not name them; the numbers are the same on every architecture.
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
// waitid(2), Linux 5.4; the C library of Ubuntu 22.04 has no such constant.
static const idtype_t by_descriptor = (idtype_t)3;

void kine_set_thread_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

void kine_forbid_dump(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int kine_become_subreaper(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

int kine_open_process(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int kine_signal_process(int process, int number) {
    return (int)syscall(SYS_pidfd_send_signal, process, number, 0, 0);
}

int kine_reap(int process, pid_t pid, int *status) {
    siginfo_t info = {0};
    int result = process < 0 ? -1 : waitid(by_descriptor, (id_t)process, &info, WEXITED | WNOHANG);
    if (process < 0 || (result != 0 && errno == EINVAL)) result = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG);
    if (result != 0) return -1;
    *status = info.si_code == CLD_EXITED ? info.si_status : -info.si_status;
    return info.si_pid != 0;
}
