// The system calls of a process: a seccomp filter (seccomp(2)) with a list of refused ones. A list of allowed ones would break
// whenever libraries change theirs; the calls not refused here need a descriptor or a path, which the other layers withhold.
//
// The kernel remembers which calls pass whatever their arguments, and runs the filter for the others only.
#define _GNU_SOURCE
#include "seccomp.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "The number of this architecture, as seccomp knows it, has to be added here."
#endif

#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
// As where the kernel has no such protocol: programs then use TCP.
#define UNSUPPORTED (SECCOMP_RET_ERRNO | EPROTONOSUPPORT)
// The call returns 0, and nothing is done.
#define PRETEND (SECCOMP_RET_ERRNO | 0)
// As where the kernel does not know the call: libraries then do without.
#define UNKNOWN (SECCOMP_RET_ERRNO | ENOSYS)
#define WORD(field) ((uint32_t)offsetof(struct seccomp_data, field))
// The half of an argument that holds an int; both architectures above have the lower one first.
#define ARGUMENT(index) ((uint32_t)(offsetof(struct seccomp_data, args) + 8 * (index)))

static void add(struct kine_filter *filter, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false) {
    if (filter->length < KINE_FILTER_LENGTH)
        filter->program[filter->length] = (struct sock_filter){code, if_true, if_false, value};
    filter->length++;
}

static void load(struct kine_filter *filter, uint32_t offset) { add(filter, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0); }
static void answer(struct kine_filter *filter, uint32_t action) { add(filter, BPF_RET | BPF_K, action, 0, 0); }

// The next instruction is carried out only where the accumulator is `value`.
static void if_equal(struct kine_filter *filter, uint32_t value) {
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
}

static void if_any_bit(struct kine_filter *filter, uint32_t bits) {
    add(filter, BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
}

static void answer_call(struct kine_filter *filter, uint32_t number, uint32_t action) {
    if_equal(filter, number);
    answer(filter, action);
}

static void refuse_call(struct kine_filter *filter, uint32_t number) { answer_call(filter, number, REFUSE); }

// The instructions from here to `end_call` are for this call only, or this argument, and end in an answer.
static uint16_t begin_call(struct kine_filter *filter, uint32_t number) {
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 0);
    return filter->length;
}

static void end_call(struct kine_filter *filter, uint16_t begin) {
    if (filter->length <= KINE_FILTER_LENGTH) filter->program[begin - 1].jf = (uint8_t)(filter->length - begin);
}

// The call passes only where an argument has none of these bits.
static void without_bits(struct kine_filter *filter, uint32_t number, int argument, uint32_t bits) {
    uint16_t begin = begin_call(filter, number);
    load(filter, ARGUMENT(argument));
    if_any_bit(filter, bits);
    answer(filter, REFUSE);
    answer(filter, SECCOMP_RET_ALLOW);
    end_call(filter, begin);
}

// The call passes only where these bits of an argument have another value.
static void except(struct kine_filter *filter, uint32_t number, int argument, uint32_t bits, uint32_t value) {
    uint16_t begin = begin_call(filter, number);
    load(filter, ARGUMENT(argument));
    add(filter, BPF_ALU | BPF_AND | BPF_K, bits, 0, 0);
    if_equal(filter, value);
    answer(filter, REFUSE);
    answer(filter, SECCOMP_RET_ALLOW);
    end_call(filter, begin);
}

// The call passes only where an argument has one value.
static void only(struct kine_filter *filter, uint32_t number, int argument, uint32_t value) {
    uint16_t begin = begin_call(filter, number);
    load(filter, ARGUMENT(argument));
    if_equal(filter, value);
    answer(filter, SECCOMP_RET_ALLOW);
    answer(filter, REFUSE);
    end_call(filter, begin);
}

// The call passes where its first argument is the process's own number or, with `group`, 0: the process group, which belongs
// to this process alone, as it leads a session.
static void only_own(struct kine_filter *filter, uint32_t number, int group) {
    uint16_t begin = begin_call(filter, number);
    load(filter, ARGUMENT(0));
    if (filter->own_pid_count < sizeof filter->own_pid / sizeof *filter->own_pid)
        filter->own_pid[filter->own_pid_count++] = filter->length;
    if_equal(filter, 0xffffffff);
    answer(filter, SECCOMP_RET_ALLOW);
    if (group) {
        if_equal(filter, 0);
        answer(filter, SECCOMP_RET_ALLOW);
    }
    answer(filter, REFUSE);
    end_call(filter, begin);
}

// Calls that lead into other processes, to kernel machinery with a history of holes, or out of the confinement.
static const uint32_t refused[] = {
    // Other processes' memory and descriptors.
    __NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev, __NR_kcmp, 438 /* pidfd_getfd */,
    440 /* process_madvise */, 448 /* process_mrelease */, __NR_perf_event_open, __NR_userfaultfd,
    // System V memory, semaphores and queues; POSIX queues. All belong to the user, not to a process.
    __NR_shmget, __NR_shmat, __NR_shmctl, __NR_semget, __NR_semctl, __NR_semop, __NR_semtimedop, __NR_msgget, __NR_msgctl,
    __NR_msgsnd, __NR_msgrcv, __NR_mq_open, __NR_mq_unlink,
    // What Landlock leaves open of files that it refuses to open: their modes, owners, times and attributes. Before its version 3
    // (Linux 6.2) they can be emptied, too.
    __NR_fchmodat, 452 /* fchmodat2 */, __NR_fchownat, __NR_getxattr, __NR_lgetxattr, __NR_listxattr, __NR_llistxattr,
    __NR_setxattr, __NR_lsetxattr, __NR_fsetxattr, __NR_removexattr, __NR_lremovexattr, __NR_fremovexattr,
    463 /* setxattrat */, 464 /* getxattrat */, 465 /* listxattrat */, 466 /* removexattrat */, 468 /* file_getattr */,
    469 /* file_setattr */, __NR_truncate,
#ifdef __x86_64__
    __NR_chmod, __NR_chown, __NR_lchown, __NR_utime, __NR_utimes, __NR_futimesat,
#endif
    // Namespaces and mounts.
    __NR_unshare, __NR_setns, __NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot, 428 /* open_tree */,
    429 /* move_mount */, 430 /* fsopen */, 431 /* fsconfig */, 432 /* fsmount */, 433 /* fspick */, 442 /* mount_setattr */,
    467 /* open_tree_attr */, __NR_name_to_handle_at, __NR_open_by_handle_at, __NR_fanotify_init, __NR_quotactl,
    443 /* quotactl_fd */, __NR_swapon, __NR_swapoff,
    // io_uring goes past this filter; bpf, keys; asynchronous I/O, of which there is a limit for the whole machine.
    425 /* io_uring_setup */, 426 /* io_uring_enter */, 427 /* io_uring_register */, __NR_bpf, __NR_add_key,
    __NR_request_key, __NR_keyctl, __NR_io_setup,
    // The machine.
    __NR_init_module, __NR_finit_module, __NR_delete_module, __NR_kexec_load, __NR_kexec_file_load, __NR_reboot,
    __NR_settimeofday, __NR_clock_settime, __NR_adjtimex, __NR_clock_adjtime, __NR_sethostname, __NR_setdomainname,
    __NR_syslog, __NR_acct, __NR_vhangup, __NR_ioprio_set, 447 /* memfd_secret: counted nowhere */,
#ifdef __x86_64__
    __NR_iopl, __NR_ioperm, __NR_modify_ldt,
#endif
};

static void refuse_dangers(struct kine_filter *filter, const struct kine_filter_policy *policy) {
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) refuse_call(filter, refused[i]);
    if (!policy->may_hide_memory) refuse_call(filter, __NR_memfd_create);
    // Their flags are in memory, where no filter can look. Libraries then use clone and openat.
    answer_call(filter, 435 /* clone3 */, UNKNOWN);
    answer_call(filter, 437 /* openat2 */, UNKNOWN);
    // Landlock has no rule for watching a directory.
    if (!policy->may_watch) refuse_call(filter, __NR_inotify_add_watch);
}

// A file that may only be read.
static void look_at_files(struct kine_filter *filter, const struct kine_filter_policy *policy) {
    // Programs that copy files set these; they make no difference where only this user's programs get in.
    if (policy->may_set_modes) without_bits(filter, __NR_fchmod, 1, 07000);
    else answer_call(filter, __NR_fchmod, PRETEND);
    answer_call(filter, __NR_fchown, PRETEND);
    uint16_t begin = begin_call(filter, __NR_utimensat);
    load(filter, ARGUMENT(1));
    answer_call(filter, 0, PRETEND); // no path: of the descriptor
    answer(filter, REFUSE);
    end_call(filter, begin);
    // Before its version 3, Landlock lets such a file be emptied.
    except(filter, __NR_openat, 2, O_ACCMODE | O_TRUNC, O_RDONLY | O_TRUNC);
#ifdef __x86_64__
    except(filter, __NR_open, 1, O_ACCMODE | O_TRUNC, O_RDONLY | O_TRUNC);
#endif
}

// Only TCP and UDP pass: Landlock has no rule for the ports of MPTCP, SCTP and others.
static void look_at_ip(struct kine_filter *filter) {
    load(filter, ARGUMENT(1));
    add(filter, BPF_ALU | BPF_AND | BPF_K, 0xf, 0, 0);
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, SOCK_STREAM, 2, 0);
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, SOCK_DGRAM, 1, 0);
    answer(filter, UNSUPPORTED);
    load(filter, ARGUMENT(2));
    static const uint32_t protocols[] = {0, IPPROTO_TCP, IPPROTO_UDP};
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++) answer_call(filter, protocols[i], SECCOMP_RET_ALLOW);
    answer(filter, UNSUPPORTED);
}

// The accumulator has the option's level before and after this test.
static void refuse_option(struct kine_filter *filter, uint32_t level, uint32_t option) {
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, level, 0, 4);
    load(filter, ARGUMENT(2));
    if_equal(filter, option);
    answer(filter, REFUSE);
    load(filter, ARGUMENT(1));
}

static void look_at_sockets(struct kine_filter *filter, const struct kine_filter_policy *policy) {
    uint16_t begin = begin_call(filter, __NR_socket);
    if (policy->may_use_sockets) {
        load(filter, ARGUMENT(0));
        uint16_t netlink = begin_call(filter, AF_NETLINK);
        load(filter, ARGUMENT(2));
        answer_call(filter, NETLINK_ROUTE, SECCOMP_RET_ALLOW);
        answer(filter, REFUSE);
        end_call(filter, netlink);
        add(filter, BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 1, 0);
        uint16_t ip = begin_call(filter, AF_INET6);
        look_at_ip(filter);
        end_call(filter, ip);
    }
    answer(filter, REFUSE);
    end_call(filter, begin);
    if (!policy->may_use_sockets) {
        // A socket that it was given could be ended and connected elsewhere, by TCP Fast Open too, which Landlock does not see.
        refuse_call(filter, __NR_connect);
        without_bits(filter, __NR_sendto, 3, MSG_FASTOPEN);
        without_bits(filter, __NR_sendmsg, 2, MSG_FASTOPEN);
        without_bits(filter, __NR_sendmmsg, 3, MSG_FASTOPEN);
    }
    begin = begin_call(filter, __NR_setsockopt);
    load(filter, ARGUMENT(1));
    // The last process that closes such a socket waits: the engine, where the socket was passed to it.
    refuse_option(filter, SOL_SOCKET, SO_LINGER);
    // Each makes the kernel load a module, or run code that is seldom tested.
    refuse_option(filter, IPPROTO_TCP, TCP_ULP);
    refuse_option(filter, IPPROTO_TCP, TCP_CONGESTION);
    refuse_option(filter, IPPROTO_UDP, 100 /* UDP_ENCAP */);
    answer(filter, SECCOMP_RET_ALLOW);
    end_call(filter, begin);
    // SwiftNIO calls `listen` once more for the socket that it is given, which listens already. Another socket would listen at a port of
    // the kernel's choice, without bind.
    if (!policy->may_listen) refuse_call(filter, __NR_listen);
    else if (policy->may_use_sockets) answer_call(filter, __NR_listen, PRETEND);
    // The C library binds the socket on which it asks for the machine's addresses. Addresses of IP are longer.
    if (!policy->may_use_sockets) refuse_call(filter, __NR_bind);
    else if (!policy->may_bind) only(filter, __NR_bind, 2, sizeof(struct sockaddr_nl));
    // Pairs of local streams or packets. A pair of datagram sockets, or of raw ones (unix(7)), can be connected to another address later.
    begin = begin_call(filter, __NR_socketpair);
    load(filter, ARGUMENT(0));
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 1, 0);
    answer(filter, REFUSE);
    load(filter, ARGUMENT(1));
    add(filter, BPF_ALU | BPF_AND | BPF_K, 0xf, 0, 0);
    answer_call(filter, SOCK_STREAM, SECCOMP_RET_ALLOW);
    answer_call(filter, SOCK_SEQPACKET, SECCOMP_RET_ALLOW);
    answer(filter, REFUSE);
    end_call(filter, begin);
}

static void look_at_processes(struct kine_filter *filter, const struct kine_filter_policy *policy) {
    // The process's children are not its parent's, its orphans stay its own (kine_spawn), and it ends with its parent.
    without_bits(filter, __NR_clone, 0,
                 CLONE_PARENT | CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                     CLONE_NEWNET);
    uint16_t begin = begin_call(filter, __NR_prctl);
    load(filter, ARGUMENT(0));
    answer_call(filter, PR_SET_CHILD_SUBREAPER, REFUSE);
    answer_call(filter, PR_SET_PDEATHSIG, PRETEND); // programs set it for their own children
    answer(filter, SECCOMP_RET_ALLOW);
    end_call(filter, begin);
    // Limits and scheduling of the user's other processes.
    only(filter, __NR_prlimit64, 0, 0);
    only(filter, __NR_sched_setaffinity, 0, 0);
    only(filter, __NR_sched_setscheduler, 0, 0);
    only(filter, __NR_sched_setparam, 0, 0);
    only(filter, __NR_sched_setattr, 0, 0);
    begin = begin_call(filter, __NR_setpriority);
    load(filter, ARGUMENT(0));
    answer_call(filter, PRIO_USER, REFUSE); // 0 is then every process of the user
    load(filter, ARGUMENT(1));
    if_equal(filter, 0);
    answer(filter, SECCOMP_RET_ALLOW);
    answer(filter, REFUSE);
    end_call(filter, begin);
    if (policy->may_signal) return;
    only_own(filter, __NR_kill, 1);
    only_own(filter, __NR_tkill, 0);
    only_own(filter, __NR_tgkill, 0);
    only_own(filter, __NR_rt_sigqueueinfo, 0);
    only_own(filter, __NR_rt_tgsigqueueinfo, 0);
    refuse_call(filter, 424 /* pidfd_send_signal */);
}

static void look_at_descriptors(struct kine_filter *filter, const struct kine_filter_policy *policy) {
    // A signal to any process of the user, when something comes; memory in pipes; and a lease, which makes others wait to open a file.
    uint16_t begin = begin_call(filter, __NR_fcntl);
    load(filter, ARGUMENT(1));
    static const uint32_t commands[] = {8 /* F_SETOWN */, 10 /* F_SETSIG */, 15 /* F_SETOWN_EX */, 1024 /* F_SETLEASE */,
                                        1031 /* F_SETPIPE_SZ */};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) refuse_call(filter, commands[i]);
    answer(filter, SECCOMP_RET_ALLOW);
    end_call(filter, begin);
    begin = begin_call(filter, __NR_ioctl);
    load(filter, ARGUMENT(1));
    static const uint32_t requests[] = {0x8901 /* FIOSETOWN */, 0x8902 /* SIOCSPGRP */, 0x5412 /* TIOCSTI */, 0x541c /* TIOCLINUX */};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) refuse_call(filter, requests[i]);
    // Flags and attributes of a file that may only be read (linux/fs.h).
    add(filter, BPF_ALU | BPF_RSH | BPF_K, _IOC_TYPESHIFT, 0, 0);
    add(filter, BPF_ALU | BPF_AND | BPF_K, _IOC_TYPEMASK, 0, 0);
    refuse_call(filter, 'f');
    refuse_call(filter, 'X');
    answer(filter, SECCOMP_RET_ALLOW);
    end_call(filter, begin);
    if (policy->may_hide_memory) return;
    // Shared memory stays when the process gives its pages back, and then no limit counts it.
    except(filter, __NR_mmap, 3, MAP_SHARED | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS);
}

static void check_architecture(struct kine_filter *filter) {
    load(filter, WORD(arch));
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
    answer(filter, REFUSE);
    load(filter, WORD(nr));
#ifdef __x86_64__
    // The x32 calls have the same architecture and other numbers.
    add(filter, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    answer(filter, REFUSE);
#endif
    // Calls that Linux 6.17 does not have may do anything.
    add(filter, BPF_JMP | BPF_JGE | BPF_K, 470, 0, 1);
    answer(filter, UNKNOWN);
}

int kine_filter_build(struct kine_filter *filter, const struct kine_filter_policy *policy) {
    filter->length = 0;
    filter->own_pid_count = 0;
    check_architecture(filter);
    refuse_dangers(filter, policy);
    look_at_files(filter, policy);
    look_at_sockets(filter, policy);
    look_at_processes(filter, policy);
    look_at_descriptors(filter, policy);
    answer(filter, SECCOMP_RET_ALLOW);
    return filter->length <= KINE_FILTER_LENGTH ? 0 : -1;
}

int kine_filter_is_available(void) {
    uint32_t action = SECCOMP_RET_ERRNO;
    return syscall(__NR_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

int kine_filter_enter(struct kine_filter *filter) {
    uint32_t own = (uint32_t)getpid();
    for (uint16_t i = 0; i < filter->own_pid_count; i++) filter->program[filter->own_pid[i]].k = own;
    struct sock_fprog program = {.len = filter->length, .filter = filter->program};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

int kine_forbid_execution(void) {
    struct kine_filter filter = {0};
    check_architecture(&filter);
    refuse_call(&filter, __NR_execve);
    refuse_call(&filter, __NR_execveat);
    answer(&filter, SECCOMP_RET_ALLOW);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return kine_filter_enter(&filter);
}
