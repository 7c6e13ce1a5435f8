// Asks a PipeWire daemon for its version.
#include "CLinux.h"
#include "CPipeWire.h"
#include <pipewire/pipewire.h>
#include <stdio.h>
#include <time.h>

struct survey {
    char *version;
    size_t size;
    bool is_over;
    int error;
};

static void heard(void *context, const struct pw_core_info *info) {
    struct survey *survey = context;
    snprintf(survey->version, survey->size, "%s", info->version ? info->version : "");
    survey->is_over = true;
}

static void failed(void *context, uint32_t id, int sequence, int result, const char *message) {
    (void)sequence, (void)message;
    struct survey *survey = context;
    if (id != PW_ID_CORE) return;
    survey->is_over = true;
    survey->error = result < 0 ? -result : EPROTO;
}

static int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool kine_pipewire_server_version(char *version, size_t size, int patience) {
    static const struct pw_core_events events = {PW_VERSION_CORE_EVENTS, .info = heard, .error = failed};
    struct survey survey = {.version = version, .size = size, .error = ETIMEDOUT};
    struct spa_hook listener;
    struct pw_context *context = NULL;
    struct pw_core *core = NULL;
    struct pw_loop *loop = pw_loop_new(NULL);
    if (loop) context = pw_context_new(loop, NULL, 0);
    if (context) core = pw_context_connect(context, NULL, 0);
    if (core) {
        spa_zero(listener);
        pw_core_add_listener(core, &listener, &events, &survey);
        pw_loop_enter(loop);
        int64_t end = milliseconds() + patience, left;
        while (!survey.is_over && (left = end - milliseconds()) > 0) pw_loop_iterate(loop, (int)left);
        if (survey.is_over && survey.error == ETIMEDOUT) survey.error = 0;
        spa_hook_remove(&listener);
        pw_core_disconnect(core);
    } else {
        survey.error = errno ? errno : ECONNREFUSED;
    }
    if (context) pw_context_destroy(context);
    if (core) pw_loop_leave(loop);
    if (loop) pw_loop_destroy(loop);
    errno = survey.error;
    return survey.error == 0;
}
