// Linux calls that Glibc's Swift overlay does not offer, by subject as in the files: memory.c, sockets.c, processes.c, files.c.
// Starting processes is in CSandbox. Functions that return a number return -1 if they fail, with errno set.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/rtnetlink.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "late_library.h"

// _GNU_SOURCE must not be defined here: the C library's structures would then differ from those other modules see. Its
// functions are declared by hand, as in the C library's headers.
extern int fallocate(int fd, int mode, off_t offset, off_t length);
extern ssize_t copy_file_range(int from, __off64_t *from_offset, int to, __off64_t *to_offset, size_t count, unsigned flags);
extern int pipe2(int descriptors[2], int flags);
extern int setns(int descriptor, int kind);
extern long syscall(long number, ...);
extern int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask);

// MARK: Memory (memory.c)

// Limits this process's private memory (RLIMIT_DATA), at most to its hard limit. Pages of programs and files do not count.
void kine_limit_private_memory(uint64_t bytes);

// A file in memory that holds `size` bytes and can neither grow nor shrink: writing past its end fails with EPERM.
int kine_bounded_memory_file(const char *name, off_t size);

// A file in memory of `size` bytes, all zero, to which seals can be added.
int kine_memory_file(const char *name, off_t size);

// Fixes the size of a memory file and its seals; with `read_only` no process can write it any more but through the mappings
// that exist (memfd_create(2), F_SEAL_FUTURE_WRITE, Linux 5.1).
int kine_seal_memory(int fd, int read_only);

// The size of a memory file that cannot shrink: reading a mapping of it never ends in SIGBUS. 0 where it still can, -1 where
// it is no memory file.
int64_t kine_sealed_size(int fd);

// MARK: Sockets (sockets.c)

// The user behind a connected unix socket.
int64_t kine_peer_uid(int socket);

// The process that connected the socket at the other end, or made the pair; -1: unknown.
int32_t kine_peer_pid(int socket);

// The most descriptors that one message may carry.
#define KINE_DESCRIPTOR_LIMIT 16

// Sends bytes, at least one, and descriptors with the first of them (unix(7), SCM_RIGHTS). Returns the bytes sent; once a byte
// is sent, so are all descriptors.
ssize_t kine_send_descriptors(int socket, const void *bytes, size_t count, const int *fds, int fd_count);

// Receives bytes and up to KINE_DESCRIPTOR_LIMIT descriptors, which close on exec; the kernel closes any beyond that
// (MSG_CTRUNC). Returns the bytes, 0 at the end.
ssize_t kine_receive_descriptors(int socket, void *bytes, size_t count, int *fds, int *fd_count);

// No descriptors can be sent to this unix socket any more. Else the kernel closes them in the thread that receives bytes, and the
// last close of a socket that lingers waits. Linux 6.16; before that it does nothing.
void kine_refuse_descriptors(int socket);

// The state of a TCP connection in the kernel: the beginning of struct tcp_info as linux/tcp.h has it since Linux 4.9; the C
// library's own ends before the counters of bytes.
struct kine_tcp_info {
    uint8_t states[8];
    uint32_t before_unacknowledged[4];
    uint32_t unacknowledged; // segments
    uint32_t before_round_trip[10];
    uint32_t round_trip; // microseconds, smoothed
    uint32_t after_round_trip[8];
    uint64_t pacing_rate;
    uint64_t maximum_pacing_rate;
    uint64_t bytes_acknowledged;
    uint64_t bytes_received;
    uint32_t segments_out;
    uint32_t segments_in;
    uint32_t unsent_bytes;
    uint32_t minimum_round_trip;
};

// A descriptor on which the kernel reports changes of links, addresses and routes (rtnetlink(7)), of both families of IP. It
// does not block and closes on exec.
int kine_watch_routes(void);

// MARK: Processes (processes.c)

// Names the calling thread for `top -H`; variadic in C, so Swift cannot call prctl itself.
void kine_set_thread_name(const char *name);

// No core of this process, and no other process of this user may read its memory or its environment; root may. A program
// that it starts may be read again.
void kine_forbid_dump(void);

// From now on this process inherits its descendants' orphans and must reap them.
int kine_become_subreaper(void);

// A descriptor of a process, a child or not, that becomes readable when the process ends (pidfd_open(2), Linux 5.3). It closes
// on exec.
int kine_open_process(pid_t pid);

// Sends a signal to the process behind such a descriptor, never to another that was given its number since; 0 only checks that
// it is there (pidfd_send_signal(2), Linux 5.1).
int kine_signal_process(int process, int number);

// Reaps a child that has ended, by its descriptor, or by its number where `process` is negative. Returns 1 where this call did,
// 0 while it runs, -1 where it is no child of this process. `status`: as it exited, or minus the signal that killed it.
int kine_reap(int process, pid_t pid, int *status);

// MARK: Crashes (crashes.c)

// Whether this process's SWIFT_BACKTRACE was changed at its start, so that nothing is run when it crashes.
bool kine_backtraces_are_off(void);

// The value of SWIFT_BACKTRACE before that change; NULL: it was not set.
const char *kine_backtrace_setting(void);

// MARK: Files (files.c)

// Gives blocks to a file up to `end` without changing its size: appending later cannot fail for want of space.
int kine_reserve(int fd, int64_t start, int64_t end);

// Copies inside the kernel, sharing blocks where the file system can. Returns the bytes copied.
int64_t kine_copy_range(int from, int64_t from_offset, int to, int64_t to_offset, int64_t count);

// Opens a file without a name in `directory`; the kernel forgets it if the process dies before it is linked.
int kine_open_unnamed(const char *directory, int mode);

// Whether a process may still write into a pipe: one has it open, or there is something in it. `fd`: a reading end.
int kine_pipe_has_writer(int fd);

// Renames a file unless the new name is taken: EEXIST (renameat2(2), RENAME_NOREPLACE). EINVAL if the file system cannot.
int kine_rename_to_free_name(const char *from, const char *to);

// The error with which the kernel would refuse to rename another file of this user's over this one: EBUSY where it is mounted by
// itself (told by Linux 5.8 and later), EPERM where it may not be removed; 0: none is known.
int kine_replacement_refusal(const char *path);

// Swaps two paths (renameat2(2), RENAME_EXCHANGE). EINVAL where the file system cannot.
int kine_exchange_paths(const char *one, const char *other);
