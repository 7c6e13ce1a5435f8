// Finds an attempt by its name.
#include "attempts.h"
#include "include/ConfinementTesting.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

int kine_attempt(const char *name, const char *argument, char *outcome, size_t size) {
    const struct attempt *lists[] = {file_attempts, socket_attempts, process_attempts, kernel_attempts};
    for (size_t list = 0; list < sizeof lists / sizeof *lists; list++)
        for (const struct attempt *attempt = lists[list]; attempt->name; attempt++) {
            if (strcmp(attempt->name, name) != 0) continue;
            errno = 0;
            int result = attempt->make(argument);
            snprintf(outcome, size, "%s", result ? "got it" : strerror(errno));
            return result;
        }
    return -1;
}
