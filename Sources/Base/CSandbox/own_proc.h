// Within this target: writing to the process's own /proc, between fork and exec. All async-signal-safe.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Writes a number in decimal so that it ends before `end`; returns where it begins. By hand: snprintf may take a lock.
char *kine_decimal(char *end, uint32_t number);

// Writes a text to a file below /proc/self. Returns 0, or -1 with errno set.
int kine_write_own_proc(const char *path, const char *text, size_t length);
