// The stream of a cast: the connection, what is offered to the other side, and what has become of it.
#include "CLinux.h"
#include "cast.h"
#include <spa/param/video/format-utils.h>
#include <stdio.h>
#include <stdlib.h>

// drm_fourcc.h. The only layout that a mapping shows as rows of pixels. "Whatever the driver chose" may be tiles.
#define MODIFIER_LINEAR 0

static const uint32_t video_formats[KINE_CAST_PIXEL_FORMATS] = {
    [KINE_CAST_BGRX] = SPA_VIDEO_FORMAT_BGRx, [KINE_CAST_BGRA] = SPA_VIDEO_FORMAT_BGRA,
    [KINE_CAST_RGBX] = SPA_VIDEO_FORMAT_RGBx, [KINE_CAST_RGBA] = SPA_VIDEO_FORMAT_RGBA,
    [KINE_CAST_BGR] = SPA_VIDEO_FORMAT_BGR,   [KINE_CAST_RGB] = SPA_VIDEO_FORMAT_RGB,
};

static void set_state(kine_cast *cast, kine_cast_state state, const char *error) {
    cast->state = state;
    if (error) snprintf(cast->error, sizeof cast->error, "%s", error);
}

// MARK: What is offered

static const struct spa_pod *format_parameter(
    struct spa_pod_builder *builder, const kine_cast_request *request, bool is_dmabuf) {
    struct spa_pod_frame object, choice;
    spa_pod_builder_push_object(builder, &object, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat);
    spa_pod_builder_add(
        builder, SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video), SPA_FORMAT_mediaSubtype,
        SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw), 0);
    spa_pod_builder_prop(builder, SPA_FORMAT_VIDEO_format, 0);
    spa_pod_builder_push_choice(builder, &choice, SPA_CHOICE_Enum, 0);
    // A choice begins with the preferred value, which is listed a second time.
    bool is_first = true;
    for (int pixels = 0; pixels < KINE_CAST_PIXEL_FORMATS; pixels++) {
        if (!(request->pixel_formats & 1u << pixels)) continue;
        if (is_first) spa_pod_builder_id(builder, video_formats[pixels]);
        spa_pod_builder_id(builder, video_formats[pixels]);
        is_first = false;
    }
    spa_pod_builder_pop(builder, &choice);
    if (is_dmabuf) {
        // Mandatory: a side that does not know modifiers must not take this format. The other side picks the modifier that it can allocate.
        spa_pod_builder_prop(
            builder, SPA_FORMAT_VIDEO_modifier, SPA_POD_PROP_FLAG_MANDATORY | SPA_POD_PROP_FLAG_DONT_FIXATE);
        spa_pod_builder_push_choice(builder, &choice, SPA_CHOICE_Enum, 0);
        spa_pod_builder_long(builder, MODIFIER_LINEAR);
        spa_pod_builder_long(builder, MODIFIER_LINEAR);
        spa_pod_builder_pop(builder, &choice);
    }
    struct spa_rectangle size = {1920, 1080}, smallest = {1, 1};
    struct spa_rectangle largest = {KINE_CAST_LARGEST_SIDE, KINE_CAST_LARGEST_SIDE};
    // A rate of 0/1 means frames that come when something has changed.
    struct spa_fraction rate = {0, 1}, lowest = {0, 1}, highest = {1000, 1};
    struct spa_fraction top = {request->highest_rate ? request->highest_rate : 1, 1}, one = {1, 1};
    spa_pod_builder_add(
        builder, SPA_FORMAT_VIDEO_size, SPA_POD_CHOICE_RANGE_Rectangle(&size, &smallest, &largest),
        SPA_FORMAT_VIDEO_framerate, SPA_POD_CHOICE_RANGE_Fraction(&rate, &lowest, &highest),
        SPA_FORMAT_VIDEO_maxFramerate, SPA_POD_CHOICE_RANGE_Fraction(&top, &one, &top), 0);
    return spa_pod_builder_pop(builder, &object);
}

static const struct spa_pod *meta_parameter(
    struct spa_pod_builder *builder, uint32_t type, int size, int smallest, int largest) {
    return spa_pod_builder_add_object(
        builder, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta, SPA_PARAM_META_type, SPA_POD_Id(type), SPA_PARAM_META_size,
        SPA_POD_CHOICE_RANGE_Int(size, smallest, largest));
}

#define CURSOR_BYTES(side)                                                                                             \
    ((int)(sizeof(struct spa_meta_cursor) + sizeof(struct spa_meta_bitmap) + (side) * (side) * 4))

static void offer_buffers(kine_cast *cast) {
    uint8_t memory[4096];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *parameters[6];
    int types = cast->format_is_dmabuf ? 1 << SPA_DATA_DmaBuf : 1 << SPA_DATA_MemFd | 1 << SPA_DATA_MemPtr;
    int header = sizeof(struct spa_meta_header), region = sizeof(struct spa_meta_region);
    int transform = sizeof(struct spa_meta_videotransform);
    // This side keeps one buffer until the next has come, and the other side draws while others are on their way. A frame for which that
    // side has no buffer is lost, so there have to be some spare ones.
    parameters[0] = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers, SPA_PARAM_BUFFERS_buffers,
        SPA_POD_CHOICE_RANGE_Int(6, 3, 16), SPA_PARAM_BUFFERS_dataType, SPA_POD_CHOICE_FLAGS_Int(types));
    parameters[1] = meta_parameter(&builder, SPA_META_Header, header, header, header);
    parameters[2] = meta_parameter(&builder, SPA_META_VideoCrop, region, region, region);
    parameters[3] =
        meta_parameter(&builder, SPA_META_VideoDamage, region * 16, region, region * KINE_CAST_MOST_DAMAGE);
    parameters[4] = meta_parameter(&builder, SPA_META_VideoTransform, transform, transform, transform);
    parameters[5] = meta_parameter(
        &builder, SPA_META_Cursor, CURSOR_BYTES(64), CURSOR_BYTES(1), CURSOR_BYTES(KINE_CAST_LARGEST_CURSOR));
    pw_stream_update_params(cast->stream, parameters, SPA_N_ELEMENTS(parameters));
}

// MARK: What happens

static void state_changed(void *context, enum pw_stream_state old, enum pw_stream_state state, const char *error) {
    kine_cast *cast = context;
    (void)old;
    // After a failure, only the end of the stream follows: it pauses, and its node is removed.
    if (cast->state == KINE_CAST_FAILED) return;
    switch (state) {
    case PW_STREAM_STATE_ERROR: return set_state(cast, KINE_CAST_FAILED, error);
    case PW_STREAM_STATE_UNCONNECTED: return set_state(cast, KINE_CAST_UNCONNECTED, error);
    case PW_STREAM_STATE_CONNECTING: return set_state(cast, KINE_CAST_CONNECTING, NULL);
    case PW_STREAM_STATE_PAUSED: return set_state(cast, KINE_CAST_PAUSED, NULL);
    case PW_STREAM_STATE_STREAMING: return set_state(cast, KINE_CAST_STREAMING, NULL);
    }
}

// Fills `format` and returns whether it is one of the offered formats.
static bool parse_format(const struct spa_pod *parameter, kine_cast_format *format) {
    uint32_t type, subtype;
    struct spa_video_info_raw video = {0};
    if (spa_format_parse(parameter, &type, &subtype) < 0 || type != SPA_MEDIA_TYPE_video ||
        subtype != SPA_MEDIA_SUBTYPE_raw || spa_format_video_raw_parse(parameter, &video) < 0)
        return false;
    format->width = video.size.width;
    format->height = video.size.height;
    if (!format->width || !format->height || format->width > KINE_CAST_LARGEST_SIDE ||
        format->height > KINE_CAST_LARGEST_SIDE)
        return false;
    for (int pixels = 0; pixels < KINE_CAST_PIXEL_FORMATS; pixels++) {
        format->pixels = (kine_cast_pixels)pixels;
        if (video_formats[pixels] == video.format) return true;
    }
    return false;
}

static void parameter_changed(void *context, uint32_t id, const struct spa_pod *parameter) {
    kine_cast *cast = context;
    if (id != SPA_PARAM_Format) return;
    cast->format = (kine_cast_format){0};
    if (!parameter) return;
    kine_cast_format format = {.serial = ++cast->formats_seen};
    if (!parse_format(parameter, &format)) return set_state(cast, KINE_CAST_FAILED, "unknown format");
    cast->format = format;
    cast->format_is_dmabuf = spa_pod_find_prop(parameter, NULL, SPA_FORMAT_VIDEO_modifier) != NULL;
    offer_buffers(cast);
}

static void core_failed(void *context, uint32_t id, int sequence, int result, const char *message) {
    kine_cast *cast = context;
    (void)sequence;
    (void)message;
    // The core's own errors are about calls that came too late, for objects that were gone.
    if (id != PW_ID_CORE) cast->error_number = -result;
}

static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .error = core_failed};

static const struct pw_stream_events stream_events = {
    PW_VERSION_STREAM_EVENTS,
    .state_changed = state_changed,
    .param_changed = parameter_changed,
    .add_buffer = kine_cast_add_buffer,
    .remove_buffer = kine_cast_remove_buffer,
};

// MARK: The connection

static bool connect_stream(kine_cast *cast, const kine_cast_request *request) {
    static const struct spa_dict_item items[] = {
        SPA_DICT_ITEM_INIT(PW_KEY_MEDIA_TYPE, "Video"),
        SPA_DICT_ITEM_INIT(PW_KEY_MEDIA_CATEGORY, "Capture"),
        SPA_DICT_ITEM_INIT(PW_KEY_MEDIA_ROLE, "Screen"),
    };
    cast->stream = pw_stream_new(cast->core, "kinecast", pw_properties_new_dict(&SPA_DICT_INIT_ARRAY(items)));
    if (!cast->stream) return false;
    pw_stream_add_listener(cast->stream, &cast->stream_listener, &stream_events, cast);
    uint8_t memory[4096];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *parameters[2];
    uint32_t count = 0;
    // The first format that the other side has too is agreed upon: graphics memory only where there is nothing else.
    parameters[count++] = format_parameter(&builder, request, false);
    parameters[count++] = format_parameter(&builder, request, true);
    // Not to be connected anew: where the screen has gone, the session manager would take a camera instead.
    int result = pw_stream_connect(
        cast->stream, PW_DIRECTION_INPUT, request->node, PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_DONT_RECONNECT,
        parameters, count);
    if (result < 0) errno = -result;
    return result >= 0;
}

kine_cast *kine_cast_open(const kine_cast_request *request) {
    int descriptor = request->descriptor, saved;
    kine_cast *cast = calloc(1, sizeof *cast);
    if (!cast) goto failed;
    if (!(cast->loop = pw_loop_new(NULL)) || !(cast->context = pw_context_new(cast->loop, NULL, 0))) goto failed;
    if (descriptor >= 0) {
        cast->core = pw_context_connect_fd(cast->context, descriptor, NULL, 0);
        descriptor = -1; // closed by now if that failed
    } else {
        cast->core = pw_context_connect(cast->context, NULL, 0);
    }
    if (!cast->core) goto failed;
    pw_core_add_listener(cast->core, &cast->core_listener, &core_events, cast);
    if (connect_stream(cast, request)) return cast;
failed:
    saved = errno;
    if (descriptor >= 0) close(descriptor);
    if (cast) kine_cast_close(cast);
    errno = saved;
    return NULL;
}

void kine_cast_close(kine_cast *cast) {
    if (cast->stream) pw_stream_destroy(cast->stream);
    if (cast->core) pw_core_disconnect(cast->core);
    if (cast->context) pw_context_destroy(cast->context);
    if (cast->is_entered) pw_loop_leave(cast->loop);
    if (cast->loop) pw_loop_destroy(cast->loop);
    free(cast);
}

int kine_cast_descriptor(const kine_cast *cast) { return pw_loop_get_fd(cast->loop); }

void kine_cast_iterate(kine_cast *cast) {
    // The loop is not left again: while no thread is in it, libpipewire's own thread does this thread's work at once, and nothing wakes
    // this thread.
    if (!cast->is_entered) pw_loop_enter(cast->loop);
    cast->is_entered = true;
    // An iteration handles a limited number of events. More than a few at once would keep the caller from everything else.
    for (int round = 0; round < 8 && pw_loop_iterate(cast->loop, 0) > 0; round++) {}
}

kine_cast_state kine_cast_get_state(const kine_cast *cast) { return cast->state; }

void kine_cast_set_active(kine_cast *cast, bool is_active) { pw_stream_set_active(cast->stream, is_active); }

const char *kine_cast_error(const kine_cast *cast) { return cast->error; }

int kine_cast_error_number(const kine_cast *cast) { return cast->error_number; }

kine_cast_format kine_cast_get_format(const kine_cast *cast) { return cast->format; }
