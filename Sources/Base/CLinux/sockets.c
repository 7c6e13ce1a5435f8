// Users and descriptors over unix sockets (unix(7)), and the kernel's reports on routes (rtnetlink(7)).
#define _GNU_SOURCE
#include "CLinux.h"

int64_t kine_peer_uid(int socket) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 ? (int64_t)credentials.uid : -1;
}

int32_t kine_peer_pid(int socket) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 ? (int32_t)credentials.pid : -1;
}

union descriptor_space {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int) * KINE_DESCRIPTOR_LIMIT)];
};

ssize_t kine_send_descriptors(int socket, const void *bytes, size_t count, const int *fds, int fd_count) {
    union descriptor_space control;
    if (fd_count > KINE_DESCRIPTOR_LIMIT) {
        errno = EINVAL;
        return -1;
    }
    memset(&control, 0, sizeof control);
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd_count > 0) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)fd_count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)fd_count);
        memcpy(CMSG_DATA(header), fds, sizeof(int) * (size_t)fd_count);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

ssize_t kine_receive_descriptors(int socket, void *bytes, size_t count, int *fds, int *fd_count) {
    union descriptor_space control;
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    *fd_count = 0;
    ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got < 0) return got;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t bytes_of_fds = header->cmsg_len - CMSG_LEN(0);
        for (size_t i = 0; i < bytes_of_fds / sizeof(int); i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
            if (*fd_count < KINE_DESCRIPTOR_LIMIT) fds[(*fd_count)++] = fd;
            else close(fd);
        }
    }
    return got;
}

void kine_refuse_descriptors(int socket) {
    int no = 0;
    (void)setsockopt(socket, SOL_SOCKET, 83 /* SO_PASSRIGHTS */, &no, sizeof no);
}

int kine_watch_routes(void) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (fd < 0) return -1;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE,
    };
    if (bind(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}
