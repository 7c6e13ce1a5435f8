// What a hostile extension attempts, each by the plainest call that would do it.
#pragma once
#include <stddef.h>

// Makes one attempt. `argument` says at what: a path, a number of a process, a port … Returns 1 where it succeeded, 0 where it
// did not, -1 where there is no such attempt. `outcome` is then "got it", or the error in words.
int kine_attempt(const char *name, const char *argument, char *outcome, size_t size);
