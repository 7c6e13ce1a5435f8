// Keeps Swift's runtime from running a program when this one crashes. A program that was started by its bare name would run
// swift-backtrace of its working directory, which may be another user's file.
// Swift's docs/Backtracing.rst: SWIFT_BACKTRACE, a list of NAME=VALUE separated by commas.
#define _GNU_SOURCE
#include "CLinux.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

// Defined in Swift's runtime (CommandLine.cpp).
extern void _swift_stdlib_overrideUnsafeArgvArgc(char **argv, int argc) __attribute__((weak));

static bool are_off;
static char *setting;

bool kine_backtraces_are_off(void) { return are_off; }
const char *kine_backtrace_setting(void) { return setting; }

// Before the runtime, where it is linked statically: such constructors run in the order of their numbers.
__attribute__((constructor(101))) static void turn_off(int argc, char **argv) {
    static const char *const variable = "SWIFT_BACKTRACE";
    const char *value = getenv(variable);
    // A developer who wants backtraces begins with the program's absolute path, and names no other program after it.
    if (value && strncmp(value, "swift-backtrace=/", 17) == 0 && !strcasestr(value + 17, "swift-backtrace")) return;
    setting = value ? strdup(value) : NULL;
    are_off = true;
    setenv(variable, "enable=no", 1);
    // setenv has moved the environment, in front of which the runtime looks for the arguments: pass them to the runtime.
    if (_swift_stdlib_overrideUnsafeArgvArgc) _swift_stdlib_overrideUnsafeArgvArgc(argv, argc);
}

// A runtime in its own library started before turn_off: removes the handlers that it has set.
__attribute__((constructor)) static void remove_handlers(void) {
    static const int crashes[] = { SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP };
    if (!are_off) return;
    for (size_t index = 0; index < sizeof crashes / sizeof *crashes; index++) {
        struct sigaction action;
        if (sigaction(crashes[index], NULL, &action) == 0 && action.sa_handler != SIG_IGN) signal(crashes[index], SIG_DFL);
    }
}
