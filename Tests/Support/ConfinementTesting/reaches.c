#include "reaches.h"
#include "include/reaches.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

int kine_reach(const char *name, const char *argument, char *found, size_t size) {
    const struct reach *lists[] = {file_reaches, socket_reaches, process_reaches, kernel_reaches};
    for (size_t list = 0; list < sizeof lists / sizeof *lists; list++)
        for (const struct reach *reach = lists[list]; reach->name; reach++) {
            if (strcmp(reach->name, name) != 0) continue;
            errno = 0;
            int result = reach->attempt(argument);
            snprintf(found, size, "%s", result ? "got it" : strerror(errno));
            return result;
        }
    return -1;
}
