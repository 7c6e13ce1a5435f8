// libpulse, loaded when audio is first asked for, with the libraries that it needs: a take without audio loads none of them.
#include "CLinux.h"
#include "CPulse.h"

LATE_LIBRARY("libpulse.so.0")

LATE_FUNCTION(int, pa_context_connect, (pa_context *c, const char *server, pa_context_flags_t flags,
        const pa_spawn_api *api),
        (c, server, flags, api))
LATE_FUNCTION(void, pa_context_disconnect, (pa_context *c), (c))
LATE_FUNCTION(int, pa_context_errno, (const pa_context *c), (c))
LATE_FUNCTION(pa_operation *, pa_context_get_server_info, (pa_context *c, pa_server_info_cb_t cb, void *userdata),
        (c, cb, userdata))
LATE_FUNCTION(pa_operation *, pa_context_get_sink_info_list, (pa_context *c, pa_sink_info_cb_t cb, void *userdata),
        (c, cb, userdata))
LATE_FUNCTION(pa_operation *, pa_context_get_sink_input_info_list, (pa_context *c, pa_sink_input_info_cb_t cb,
        void *userdata),
        (c, cb, userdata))
LATE_FUNCTION(pa_operation *, pa_context_get_source_info_list, (pa_context *c, pa_source_info_cb_t cb, void *userdata),
        (c, cb, userdata))
LATE_FUNCTION(pa_operation *, pa_context_get_source_output_info, (pa_context *c, uint32_t idx,
        pa_source_output_info_cb_t cb, void *userdata),
        (c, idx, cb, userdata))
LATE_FUNCTION(pa_operation *, pa_context_get_source_output_info_list, (pa_context *c, pa_source_output_info_cb_t cb,
        void *userdata),
        (c, cb, userdata))
LATE_FUNCTION(pa_context_state_t, pa_context_get_state, (const pa_context *c), (c))
LATE_FUNCTION(pa_context *, pa_context_new, (pa_mainloop_api *mainloop, const char *name), (mainloop, name))
LATE_FUNCTION(void, pa_context_set_state_callback, (pa_context *c, pa_context_notify_cb_t cb, void *userdata),
        (c, cb, userdata))
LATE_FUNCTION(void, pa_context_set_subscribe_callback, (pa_context *c, pa_context_subscribe_cb_t cb, void *userdata),
        (c, cb, userdata))
LATE_FUNCTION(pa_operation *, pa_context_subscribe, (pa_context *c, pa_subscription_mask_t m,
        pa_context_success_cb_t cb, void *userdata),
        (c, m, cb, userdata))
LATE_FUNCTION(void, pa_context_unref, (pa_context *c), (c))
LATE_FUNCTION(pa_volume_t, pa_cvolume_max, (const pa_cvolume *a), (a))
LATE_FUNCTION(int, pa_mainloop_dispatch, (pa_mainloop *m), (m))
LATE_FUNCTION(void, pa_mainloop_free, (pa_mainloop *m), (m))
LATE_FUNCTION(pa_mainloop_api *, pa_mainloop_get_api, (pa_mainloop *m), (m))
LATE_FUNCTION(pa_mainloop *, pa_mainloop_new, (void), ())
LATE_FUNCTION(int, pa_mainloop_poll, (pa_mainloop *m), (m))
LATE_FUNCTION(int, pa_mainloop_prepare, (pa_mainloop *m, int timeout), (m, timeout))
LATE_FUNCTION(void, pa_mainloop_wakeup, (pa_mainloop *m), (m))
LATE_FUNCTION(void, pa_operation_cancel, (pa_operation *o), (o))
LATE_FUNCTION(void, pa_operation_unref, (pa_operation *o), (o))
LATE_FUNCTION(const char *, pa_proplist_gets, (const pa_proplist *p, const char *key), (p, key))
LATE_FUNCTION(int, pa_stream_connect_record, (pa_stream *s, const char *dev, const pa_buffer_attr *attr,
        pa_stream_flags_t flags),
        (s, dev, attr, flags))
LATE_FUNCTION(int, pa_stream_disconnect, (pa_stream *s), (s))
LATE_FUNCTION(int, pa_stream_drop, (pa_stream *p), (p))
LATE_FUNCTION(pa_context *, pa_stream_get_context, (const pa_stream *p), (p))
LATE_FUNCTION(uint32_t, pa_stream_get_index, (const pa_stream *s), (s))
LATE_FUNCTION(const pa_sample_spec *, pa_stream_get_sample_spec, (pa_stream *s), (s))
LATE_FUNCTION(pa_stream_state_t, pa_stream_get_state, (const pa_stream *p), (p))
LATE_FUNCTION(const pa_timing_info *, pa_stream_get_timing_info, (pa_stream *s), (s))
LATE_FUNCTION(pa_stream *, pa_stream_new, (pa_context *c, const char *name, const pa_sample_spec *ss,
        const pa_channel_map *map),
        (c, name, ss, map))
LATE_FUNCTION(int, pa_stream_peek, (pa_stream *p, const void **data, size_t *nbytes), (p, data, nbytes))
LATE_FUNCTION(size_t, pa_stream_readable_size, (const pa_stream *p), (p))
LATE_FUNCTION(pa_operation *, pa_stream_set_buffer_attr, (pa_stream *s, const pa_buffer_attr *attr,
        pa_stream_success_cb_t cb, void *userdata),
        (s, attr, cb, userdata))
LATE_FUNCTION(int, pa_stream_set_monitor_stream, (pa_stream *s, uint32_t sink_input_idx), (s, sink_input_idx))
LATE_FUNCTION(void, pa_stream_set_read_callback, (pa_stream *p, pa_stream_request_cb_t cb, void *userdata), (p, cb,
        userdata))
LATE_FUNCTION(void, pa_stream_set_state_callback, (pa_stream *s, pa_stream_notify_cb_t cb, void *userdata), (s, cb,
        userdata))
LATE_FUNCTION(void, pa_stream_unref, (pa_stream *s), (s))
LATE_FUNCTION(pa_operation *, pa_stream_update_timing_info, (pa_stream *p, pa_stream_success_cb_t cb, void *userdata),
        (p, cb, userdata))
LATE_FUNCTION(const char *, pa_strerror, (int error), (error))

int kine_load_pulse(void) { return late_library() != 0; }
