// Within this target: namespaces for spawn.c. All async-signal-safe.
#pragma once
#include "include/sandbox.h"

// As fork, with these namespaces. No handler of pthread_atfork runs: the child may only make async-signal-safe calls.
pid_t kine_fork_into(enum kine_namespaces namespaces);

// In the child, first of all: gives it the user and group that it had outside. Returns 0, or -1 with errno set.
int kine_namespaces_keep_user(enum kine_namespaces namespaces, uid_t user, gid_t group);

// In the child: puts a /proc of its own process namespace in the place of the system's. Returns 0, or -1 with errno set.
int kine_namespaces_mount_proc(enum kine_namespaces namespaces);
