// libpipewire, loaded when a screen cast is first read.
#include "CLinux.h"
#include "CPipeWire.h"
#include <pipewire/pipewire.h>
#include <pthread.h>
#include <stdlib.h>

LATE_LIBRARY("libpipewire-0.3.so.0")

LATE_FUNCTION(void, pw_init, (int *argc, char ***argv), (argc, argv))
LATE_FUNCTION(const char *, pw_get_library_version, (void), ())
LATE_FUNCTION(void, pw_log_set_level, (enum spa_log_level level), (level))
LATE_FUNCTION(struct pw_loop *, pw_loop_new, (const struct spa_dict *properties), (properties))
LATE_FUNCTION(void, pw_loop_destroy, (struct pw_loop *loop), (loop))
LATE_FUNCTION(struct pw_properties *, pw_properties_new_dict, (const struct spa_dict *dict), (dict))
LATE_FUNCTION(struct pw_context *, pw_context_new,
        (struct pw_loop *loop, struct pw_properties *properties, size_t user_data_size),
        (loop, properties, user_data_size))
LATE_FUNCTION(void, pw_context_destroy, (struct pw_context *context), (context))
LATE_FUNCTION(struct pw_core *, pw_context_connect,
        (struct pw_context *context, struct pw_properties *properties, size_t user_data_size),
        (context, properties, user_data_size))
LATE_FUNCTION(struct pw_core *, pw_context_connect_fd,
        (struct pw_context *context, int fd, struct pw_properties *properties, size_t user_data_size),
        (context, fd, properties, user_data_size))
LATE_FUNCTION(int, pw_core_disconnect, (struct pw_core *core), (core))
LATE_FUNCTION(struct pw_stream *, pw_stream_new,
        (struct pw_core *core, const char *name, struct pw_properties *properties),
        (core, name, properties))
LATE_FUNCTION(void, pw_stream_destroy, (struct pw_stream *stream), (stream))
LATE_FUNCTION(void, pw_stream_add_listener,
        (struct pw_stream *stream, struct spa_hook *listener, const struct pw_stream_events *events, void *data),
        (stream, listener, events, data))
LATE_FUNCTION(int, pw_stream_connect,
        (struct pw_stream *stream, enum pw_direction direction, uint32_t target, enum pw_stream_flags flags,
         const struct spa_pod **parameters, uint32_t count),
        (stream, direction, target, flags, parameters, count))
LATE_FUNCTION(int, pw_stream_set_active, (struct pw_stream *stream, bool active), (stream, active))
LATE_FUNCTION(int, pw_stream_update_params,
        (struct pw_stream *stream, const struct spa_pod **parameters, uint32_t count),
        (stream, parameters, count))
LATE_FUNCTION(struct pw_buffer *, pw_stream_dequeue_buffer, (struct pw_stream *stream), (stream))
LATE_FUNCTION(int, pw_stream_queue_buffer, (struct pw_stream *stream, struct pw_buffer *buffer), (stream, buffer))

static void initialize(void) {
    pw_init(NULL, NULL);
    if (!getenv("PIPEWIRE_DEBUG")) pw_log_set_level(SPA_LOG_LEVEL_NONE);
}

bool kine_load_pipewire(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!late_library()) return false;
    pthread_once(&once, initialize);
    return true;
}

const char *kine_pipewire_version(void) { return pw_get_library_version(); }
