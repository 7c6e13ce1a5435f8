// What a hostile extension tries to reach, each by the plainest call that would do it.
#pragma once
#include <stddef.h>

// Tries one reach. `argument` says at what: a path, a number of a process, a port … Returns 1 where it got there, 0 where it
// did not, -1 where there is no such reach. `found` then says what it got, or the error in words.
int kine_reach(const char *name, const char *argument, char *found, size_t size);
