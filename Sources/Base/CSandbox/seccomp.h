// Within this target.
#pragma once
#include "include/sandbox.h"

// For the child, between fork and exec, and for kine_confine_self: puts its own number into the filter and enters it for good. `no_new_privs` has to be
// set. Returns 0, or -1 with errno set.
int kine_filter_enter(struct kine_filter *filter);
