// Within this target: one reach. They return 1 where they got there, and otherwise 0 with errno set.
#pragma once
#include <sys/types.h>

struct reach {
    const char *name;
    int (*attempt)(const char *argument);
};

extern const struct reach file_reaches[], socket_reaches[], process_reaches[], kernel_reaches[];
