// Confines the process that asks for it, not one that it starts.
#define _GNU_SOURCE
#include "landlock.h"
#include "seccomp.h"
#include <sys/prctl.h>

int kine_confine_self(int ruleset, struct kine_filter *filter) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    if (ruleset >= 0 && kine_landlock_enter(ruleset) != 0) return -1;
    if (filter && kine_filter_enter(filter) != 0) return -1;
    return 0;
}
