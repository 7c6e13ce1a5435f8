// Sockets: the display's, the bus's, an engine's, and ports.
#define _GNU_SOURCE
#include "attempts.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int closing(int fd, int result) {
    int saved = errno;
    if (fd >= 0) close(fd);
    errno = saved;
    return result;
}

static struct sockaddr_un address(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    return address;
}

static int connect_path(const char *path) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return 0;
    struct sockaddr_un to = address(path);
    return closing(fd, connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
}

// A name without a file: an X server listens on one, too.
static int connect_abstract(const char *name) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return 0;
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    strncpy(to.sun_path + 1, name, sizeof to.sun_path - 2);
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
    return closing(fd, connect(fd, (struct sockaddr *)&to, length) == 0);
}

// A pair needs no socket call, and one of datagrams can be connected to another address afterwards.
static int send_through_pair(int kind, const char *path) {
    int pair[2];
    if (socketpair(AF_UNIX, kind | SOCK_CLOEXEC, 0, pair) != 0) return 0;
    struct sockaddr_un to = address(path);
    int result = sendto(pair[0], "hostile", 7, 0, (struct sockaddr *)&to, sizeof to) == 7;
    close(pair[1]);
    return closing(pair[0], result);
}

static int send_datagram(const char *path) { return send_through_pair(SOCK_DGRAM, path); }

// To the kernel such a pair is one of datagrams.
static int send_raw(const char *path) { return send_through_pair(SOCK_RAW, path); }

static struct sockaddr_in loopback(const char *port) {
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)), .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

static int connect_port(const char *port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return 0;
    struct sockaddr_in to = loopback(port);
    return closing(fd, connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
}

static int listen_at_port(const char *port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (fd < 0) return 0;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    struct sockaddr_in at = loopback(port);
    return closing(fd, bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && listen(fd, 1) == 0);
}

// Without bind the kernel chooses a port. Where listen is answered without being called, nothing can be accepted.
static int listen_without_bind(int protocol) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
    if (fd < 0 || listen(fd, 1) != 0) return closing(fd, 0);
    return closing(fd, accept(fd, 0, 0) >= 0 || errno == EAGAIN);
}

static int listen_anywhere(const char *argument) {
    (void)argument;
    return listen_without_bind(0);
}

enum { MPTCP = 262, SCTP = 132, DCCP = 33, UDPLITE = 136 };

static int listen_mptcp(const char *argument) {
    (void)argument;
    return listen_without_bind(MPTCP);
}

static int bind_anywhere(int kind, int protocol) {
    int fd = socket(AF_INET, kind | SOCK_CLOEXEC, protocol);
    if (fd < 0) return 0;
    struct sockaddr_in at = {.sin_family = AF_INET};
    return closing(fd, bind(fd, (struct sockaddr *)&at, sizeof at) == 0);
}

static int bind_mptcp(const char *argument) {
    (void)argument;
    return bind_anywhere(SOCK_STREAM, MPTCP);
}

static int bind_tcp(const char *argument) {
    (void)argument;
    return bind_anywhere(SOCK_STREAM, 0);
}

static int bind_udp(const char *argument) {
    (void)argument;
    return bind_anywhere(SOCK_DGRAM, 0);
}

static int bind_udp6(const char *argument) {
    (void)argument;
    int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return 0;
    struct sockaddr_in6 at = {.sin6_family = AF_INET6};
    return closing(fd, bind(fd, (struct sockaddr *)&at, sizeof at) == 0);
}

// Anything but TCP and UDP. A kernel without one of them has no socket to give, which is no success either.
static int other_protocol(const char *argument) {
    (void)argument;
    static const struct { int family, kind, protocol; } sockets[] = {
        {AF_INET, SOCK_STREAM, MPTCP}, {AF_INET6, SOCK_STREAM, MPTCP}, {AF_INET, SOCK_STREAM, SCTP},
        {AF_INET, SOCK_SEQPACKET, SCTP}, {AF_INET, SOCK_SEQPACKET, 0}, {AF_INET, 6 /* SOCK_DCCP */, DCCP},
        {AF_INET, 6, 0}, {AF_INET, SOCK_DGRAM, UDPLITE}, {AF_INET, SOCK_DGRAM, IPPROTO_ICMP},
        {AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6}, {AF_INET, SOCK_RAW, IPPROTO_TCP}, {AF_INET6, SOCK_RAW, IPPROTO_RAW},
        {AF_PACKET, SOCK_RAW, 0}, {AF_PACKET, SOCK_DGRAM, 0},
    };
    for (size_t i = 0; i < sizeof sockets / sizeof *sockets; i++) {
        int fd = socket(sockets[i].family, sockets[i].kind | SOCK_CLOEXEC, sockets[i].protocol);
        if (fd >= 0) return closing(fd, 1);
    }
    return 0;
}

// What the kernel says of devices, sockets and other things.
static int other_netlink(const char *argument) {
    (void)argument;
    for (int protocol = 0; protocol < 32; protocol++) {
        if (protocol == NETLINK_ROUTE) continue;
        int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
        if (fd >= 0) return closing(fd, 1);
    }
    return 0;
}

// Local sockets, of every kind, and those of virtual machines, Bluetooth and others.
static int other_family(const char *argument) {
    (void)argument;
    static const int kinds[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET};
    for (int family = 0; family < 46; family++) {
        if (family == AF_INET || family == AF_INET6 || family == AF_NETLINK) continue;
        for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
            int fd = socket(family, kinds[kind] | SOCK_CLOEXEC, 0);
            if (fd >= 0) return closing(fd, 1);
        }
    }
    return 0;
}

// A name at which others expect another program.
static int take_name(const char *name) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return 0;
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    strncpy(at.sun_path + 1, name, sizeof at.sun_path - 2);
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
    int result = bind(pair[0], (struct sockaddr *)&at, length) == 0;
    close(pair[1]);
    return closing(pair[0], result);
}

// The last process that closes it waits for the peer: the engine, where the socket was passed to it.
static int linger(const char *port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return 0;
    struct sockaddr_in to = loopback(port);
    struct linger hour = {1, 3600};
    return closing(fd, connect(fd, (struct sockaddr *)&to, sizeof to) == 0 &&
                           setsockopt(fd, SOL_SOCKET, SO_LINGER, &hour, sizeof hour) == 0);
}

// Options for which the kernel loads a module: `ulp`, `congestion` or `encap`. Its answer, whatever it is, says that it was asked.
static int set_option(const char *option) {
    int is_udp = *option == 'e', espinudp = 2;
    int fd = socket(AF_INET, (is_udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
    if (fd < 0) return 0;
    int result = is_udp          ? setsockopt(fd, IPPROTO_UDP, 100, &espinudp, sizeof espinudp)
                 : *option == 'u' ? setsockopt(fd, IPPROTO_TCP, TCP_ULP, "nosuch", 6)
                                  : setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
    return closing(fd, result == 0 || errno != EPERM);
}

const struct attempt socket_attempts[] = {
    {"connect", connect_path},      {"connect abstract", connect_abstract}, {"datagram", send_datagram},
    {"raw pair", send_raw},         {"take name", take_name},               {"connect port", connect_port},
    {"listen", listen_at_port},     {"listen anywhere", listen_anywhere},   {"listen by MPTCP", listen_mptcp},
    {"bind MPTCP", bind_mptcp},     {"bind TCP", bind_tcp},                 {"bind UDP", bind_udp},
    {"bind UDP6", bind_udp6},       {"other protocol", other_protocol},     {"other netlink", other_netlink},
    {"other family", other_family}, {"linger", linger},                   {"option", set_option},
    {0, 0},
};
