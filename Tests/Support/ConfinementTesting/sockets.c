// Sockets: the display's, the bus's, an engine's, and ports.
#define _GNU_SOURCE
#include "attempts.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int closing(int fd, int result) {
    int saved = errno;
    close(fd);
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
static int send_datagram(const char *path) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) != 0) return 0;
    struct sockaddr_un to = address(path);
    int result = sendto(pair[0], "hostile", 7, 0, (struct sockaddr *)&to, sizeof to) == 7;
    close(pair[1]);
    return closing(pair[0], result);
}

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

// Without bind the kernel chooses a port.
static int listen_anywhere(const char *argument) {
    (void)argument;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return 0;
    return closing(fd, listen(fd, 1) == 0);
}

const struct attempt socket_attempts[] = {
    {"connect", connect_path},      {"connect abstract", connect_abstract}, {"datagram", send_datagram},
    {"connect port", connect_port}, {"listen", listen_at_port},             {"listen anywhere", listen_anywhere},
    {0, 0},
};
