// Within this target: the attempts by subject. Each returns 1 where it succeeded, and otherwise 0 with errno set.
#pragma once
#include <sys/types.h>

struct attempt {
    const char *name;
    int (*make)(const char *argument);
};

extern const struct attempt file_attempts[], socket_attempts[], process_attempts[], kernel_attempts[];
