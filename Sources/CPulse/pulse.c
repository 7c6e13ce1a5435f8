// libpulse, loaded when audio is first asked for: it brings thirty libraries along, which a take without audio does not pay.
#include "CPulse.h"
#include <dlfcn.h>

static void *library(void) {
    static void *loaded;
    if (!loaded) loaded = dlopen("libpulse.so.0", RTLD_NOW | RTLD_LOCAL);
    return loaded;
}

// Defines a function of libpulse that finds the real one on its first call. Any thread may be the first: all find the same.
#define FORWARD(result, name, parameters, arguments)                                                                   \
    result name parameters {                                                                                           \
        static __typeof__(name) *function;                                                                             \
        if (!function && library()) *(void **)&function = dlsym(library(), #name);                                     \
        return function arguments;                                                                                     \
    }

FORWARD(int, pa_context_connect, (pa_context *c, const char *server, pa_context_flags_t flags, const pa_spawn_api *api),
        (c, server, flags, api))
FORWARD(void, pa_context_disconnect, (pa_context *c), (c))
FORWARD(int, pa_context_errno, (const pa_context *c), (c))
FORWARD(pa_operation *, pa_context_get_server_info, (pa_context *c, pa_server_info_cb_t cb, void *userdata),
        (c, cb, userdata))
FORWARD(pa_operation *, pa_context_get_sink_info_list, (pa_context *c, pa_sink_info_cb_t cb, void *userdata),
        (c, cb, userdata))
FORWARD(pa_operation *, pa_context_get_sink_input_info_list, (pa_context *c, pa_sink_input_info_cb_t cb, void *userdata),
        (c, cb, userdata))
FORWARD(pa_operation *, pa_context_get_source_info_list, (pa_context *c, pa_source_info_cb_t cb, void *userdata),
        (c, cb, userdata))
FORWARD(pa_operation *, pa_context_get_source_output_info, (pa_context *c, uint32_t idx, pa_source_output_info_cb_t cb, void *userdata),
        (c, idx, cb, userdata))
FORWARD(pa_context_state_t, pa_context_get_state, (const pa_context *c), (c))
FORWARD(pa_context *, pa_context_new, (pa_mainloop_api *mainloop, const char *name), (mainloop, name))
FORWARD(void, pa_context_set_state_callback, (pa_context *c, pa_context_notify_cb_t cb, void *userdata),
        (c, cb, userdata))
FORWARD(void, pa_context_set_subscribe_callback, (pa_context *c, pa_context_subscribe_cb_t cb, void *userdata),
        (c, cb, userdata))
FORWARD(pa_operation *, pa_context_subscribe, (pa_context *c, pa_subscription_mask_t m, pa_context_success_cb_t cb, void *userdata),
        (c, m, cb, userdata))
FORWARD(void, pa_context_unref, (pa_context *c), (c))
FORWARD(int, pa_mainloop_dispatch, (pa_mainloop *m), (m))
FORWARD(void, pa_mainloop_free, (pa_mainloop *m), (m))
FORWARD(pa_mainloop_api *, pa_mainloop_get_api, (pa_mainloop *m), (m))
FORWARD(pa_mainloop *, pa_mainloop_new, (void), ())
FORWARD(int, pa_mainloop_poll, (pa_mainloop *m), (m))
FORWARD(int, pa_mainloop_prepare, (pa_mainloop *m, int timeout), (m, timeout))
FORWARD(void, pa_mainloop_wakeup, (pa_mainloop *m), (m))
FORWARD(void, pa_operation_cancel, (pa_operation *o), (o))
FORWARD(void, pa_operation_unref, (pa_operation *o), (o))
FORWARD(const char *, pa_proplist_gets, (const pa_proplist *p, const char *key), (p, key))
FORWARD(int, pa_stream_connect_record, (pa_stream *s, const char *dev, const pa_buffer_attr *attr, pa_stream_flags_t flags),
        (s, dev, attr, flags))
FORWARD(int, pa_stream_disconnect, (pa_stream *s), (s))
FORWARD(int, pa_stream_drop, (pa_stream *p), (p))
FORWARD(pa_context *, pa_stream_get_context, (const pa_stream *p), (p))
FORWARD(uint32_t, pa_stream_get_index, (const pa_stream *s), (s))
FORWARD(const pa_sample_spec *, pa_stream_get_sample_spec, (pa_stream *s), (s))
FORWARD(pa_stream_state_t, pa_stream_get_state, (const pa_stream *p), (p))
FORWARD(const pa_timing_info *, pa_stream_get_timing_info, (pa_stream *s), (s))
FORWARD(pa_stream *, pa_stream_new, (pa_context *c, const char *name, const pa_sample_spec *ss, const pa_channel_map *map),
        (c, name, ss, map))
FORWARD(int, pa_stream_peek, (pa_stream *p, const void **data, size_t *nbytes), (p, data, nbytes))
FORWARD(size_t, pa_stream_readable_size, (const pa_stream *p), (p))
FORWARD(pa_operation *, pa_stream_set_buffer_attr, (pa_stream *s, const pa_buffer_attr *attr, pa_stream_success_cb_t cb, void *userdata),
        (s, attr, cb, userdata))
FORWARD(int, pa_stream_set_monitor_stream, (pa_stream *s, uint32_t sink_input_idx), (s, sink_input_idx))
FORWARD(void, pa_stream_set_read_callback, (pa_stream *p, pa_stream_request_cb_t cb, void *userdata), (p, cb, userdata))
FORWARD(void, pa_stream_set_state_callback, (pa_stream *s, pa_stream_notify_cb_t cb, void *userdata), (s, cb, userdata))
FORWARD(void, pa_stream_unref, (pa_stream *s), (s))
FORWARD(pa_operation *, pa_stream_update_timing_info, (pa_stream *p, pa_stream_success_cb_t cb, void *userdata),
        (p, cb, userdata))
FORWARD(const char *, pa_strerror, (int error), (error))

int kine_load_pulse(void) { return library() && dlsym(library(), "pa_stream_set_monitor_stream") != 0; }
