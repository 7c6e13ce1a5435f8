// Frames of an output, copied by the compositor (ext-image-capture-source-v1; ext-image-copy-capture-v1, version 1).
#include "objects.h"

static const struct wl_message source_requests[] = {{"destroy", "", kine_no_types}};
static const struct wl_interface source_interface = {"ext_image_capture_source_v1", 1, 1, source_requests, 0, 0};

static const struct wl_interface *create_source_types[] = {&source_interface, &kine_output_interface};
static const struct wl_message source_manager_requests[] = {
    {"create_source", "no", create_source_types}, {"destroy", "", kine_no_types}};
static const struct wl_interface source_manager_interface = {
    "ext_output_image_capture_source_manager_v1", 1, 2, source_manager_requests, 0, 0};

static const struct wl_interface *attach_types[] = {&kine_buffer_interface};
static const struct wl_message frame_requests[] = {
    {"destroy", "", kine_no_types},
    {"attach_buffer", "o", attach_types},
    {"damage_buffer", "iiii", kine_no_types},
    {"capture", "", kine_no_types},
};
static const struct wl_message frame_events[] = {
    {"transform", "u", kine_no_types}, {"damage", "iiii", kine_no_types},
    {"presentation_time", "uuu", kine_no_types}, {"ready", "", kine_no_types},
    {"failed", "u", kine_no_types},
};
static const struct wl_interface frame_interface = {
    "ext_image_copy_capture_frame_v1", 1, 4, frame_requests, 5, frame_events};

static const struct wl_interface *create_frame_types[] = {&frame_interface};
static const struct wl_message session_requests[] = {
    {"create_frame", "n", create_frame_types}, {"destroy", "", kine_no_types}};
static const struct wl_message session_events[] = {
    {"buffer_size", "uu", kine_no_types},   {"shm_format", "u", kine_no_types},
    {"dmabuf_device", "a", kine_no_types},  {"dmabuf_format", "ua", kine_no_types},
    {"done", "", kine_no_types},            {"stopped", "", kine_no_types},
};
static const struct wl_interface session_interface = {
    "ext_image_copy_capture_session_v1", 1, 2, session_requests, 6, session_events};

// Sessions of the pointer alone are not asked for.
static const struct wl_interface *create_session_types[] = {&session_interface, &source_interface, 0};
static const struct wl_message manager_requests[] = {
    {"create_session", "nou", create_session_types},
    {"create_pointer_cursor_session", "noo", kine_no_types},
    {"destroy", "", kine_no_types},
};
static const struct wl_interface manager_interface = {
    "ext_image_copy_capture_manager_v1", 1, 3, manager_requests, 0, 0};

// Places of the requests in these lists.
enum { SOURCE_MANAGER_CREATE_SOURCE };
enum { SOURCE_DESTROY };
enum { MANAGER_CREATE_SESSION };
enum { SESSION_CREATE_FRAME, SESSION_DESTROY };
enum { FRAME_DESTROY, FRAME_ATTACH_BUFFER, FRAME_DAMAGE_BUFFER, FRAME_CAPTURE };

// ext_image_copy_capture_manager_v1.options
enum { OPTION_PAINT_CURSORS = 1 };

struct wl_proxy *kine_bind_capture_sources(struct wl_proxy *registry, uint32_t name) {
    return kine_bind(registry, name, source_manager_interface.name, &source_manager_interface, 1);
}

struct wl_proxy *kine_bind_image_capture(struct wl_proxy *registry, uint32_t name) {
    return kine_bind(registry, name, manager_interface.name, &manager_interface, 1);
}

struct wl_proxy *kine_create_capture_source(struct wl_proxy *sources, struct wl_proxy *output) {
    union wl_argument arguments[] = {{.n = 0}, {.o = (struct wl_object *)output}};
    return kine_request(sources, SOURCE_MANAGER_CREATE_SOURCE, &source_interface, arguments);
}

void kine_destroy_capture_source(struct wl_proxy *source) { kine_request_end(source, SOURCE_DESTROY); }

struct wl_proxy *kine_create_capture_session(struct wl_proxy *manager, struct wl_proxy *source, int32_t with_cursor,
                                             const kine_capture_session_listener *listener, void *context) {
    union wl_argument arguments[] = {
        {.n = 0}, {.o = (struct wl_object *)source}, {.u = with_cursor ? OPTION_PAINT_CURSORS : 0}};
    return kine_listening(
        kine_request(manager, MANAGER_CREATE_SESSION, &session_interface, arguments), listener, context);
}

void kine_destroy_capture_session(struct wl_proxy *session) { kine_request_end(session, SESSION_DESTROY); }

struct wl_proxy *kine_create_captured_frame(
    struct wl_proxy *session, const kine_captured_frame_listener *listener, void *context) {
    union wl_argument arguments[] = {{.n = 0}};
    return kine_listening(
        kine_request(session, SESSION_CREATE_FRAME, &frame_interface, arguments), listener, context);
}

void kine_attach_to_captured_frame(struct wl_proxy *frame, struct wl_proxy *buffer) {
    union wl_argument arguments[] = {{.o = (struct wl_object *)buffer}};
    kine_request(frame, FRAME_ATTACH_BUFFER, 0, arguments);
}

void kine_damage_captured_frame(struct wl_proxy *frame, int32_t x, int32_t y, int32_t width, int32_t height) {
    union wl_argument arguments[] = {{.i = x}, {.i = y}, {.i = width}, {.i = height}};
    kine_request(frame, FRAME_DAMAGE_BUFFER, 0, arguments);
}

void kine_capture_frame(struct wl_proxy *frame) { kine_request(frame, FRAME_CAPTURE, 0, 0); }

void kine_destroy_captured_frame(struct wl_proxy *frame) { kine_request_end(frame, FRAME_DESTROY); }
