// Frames of an output, copied by the compositor (wlr-screencopy-unstable-v1, version 3).
#include "objects.h"

static const struct wl_interface *copy_types[] = {&kine_buffer_interface};
static const struct wl_message frame_requests[] = {
    {"copy", "o", copy_types}, {"destroy", "", kine_no_types}, {"copy_with_damage", "2o", copy_types}};
static const struct wl_message frame_events[] = {
    {"buffer", "uuuu", kine_no_types},       {"flags", "u", kine_no_types},
    {"ready", "uuu", kine_no_types},         {"failed", "", kine_no_types},
    {"damage", "2uuuu", kine_no_types},      {"linux_dmabuf", "3uuu", kine_no_types},
    {"buffer_done", "3", kine_no_types},
};
static const struct wl_interface frame_interface = {
    "zwlr_screencopy_frame_v1", KINE_SCREENCOPY_VERSION, 3, frame_requests, 7, frame_events};
static const struct wl_interface *output_types[] = {&frame_interface, 0, &kine_output_interface};
static const struct wl_interface *region_types[] = {&frame_interface, 0, &kine_output_interface, 0, 0, 0, 0};

static const struct wl_message manager_requests[] = {
    {"capture_output", "nio", output_types},
    {"capture_output_region", "nioiiii", region_types},
    {"destroy", "", kine_no_types},
};
static const struct wl_interface manager_interface = {
    "zwlr_screencopy_manager_v1", KINE_SCREENCOPY_VERSION, 3, manager_requests, 0, 0};

// Places of the requests in these lists.
enum { MANAGER_CAPTURE_OUTPUT, MANAGER_CAPTURE_REGION };
enum { FRAME_COPY, FRAME_DESTROY, FRAME_COPY_WITH_DAMAGE };

struct wl_proxy *kine_bind_screencopy(struct wl_proxy *registry, uint32_t name, uint32_t version) {
    return kine_bind(registry, name, manager_interface.name, &manager_interface, version);
}

struct wl_proxy *kine_capture_output(struct wl_proxy *manager, struct wl_proxy *output, int32_t with_cursor,
                                     const kine_frame_listener *listener, void *context) {
    union wl_argument arguments[] = {{.n = 0}, {.i = with_cursor}, {.o = (struct wl_object *)output}};
    return kine_listening(
        kine_request(manager, MANAGER_CAPTURE_OUTPUT, &frame_interface, arguments), listener, context);
}

struct wl_proxy *kine_capture_region(struct wl_proxy *manager, struct wl_proxy *output, int32_t with_cursor, int32_t x,
                                     int32_t y, int32_t width, int32_t height, const kine_frame_listener *listener,
                                     void *context) {
    union wl_argument arguments[] = {{.n = 0}, {.i = with_cursor}, {.o = (struct wl_object *)output},
                                     {.i = x}, {.i = y},           {.i = width},
                                     {.i = height}};
    return kine_listening(
        kine_request(manager, MANAGER_CAPTURE_REGION, &frame_interface, arguments), listener, context);
}

void kine_copy_frame(struct wl_proxy *frame, struct wl_proxy *buffer, int32_t waits_for_damage) {
    union wl_argument arguments[] = {{.o = (struct wl_object *)buffer}};
    kine_request(frame, waits_for_damage ? FRAME_COPY_WITH_DAMAGE : FRAME_COPY, 0, arguments);
}

void kine_destroy_frame(struct wl_proxy *frame) { kine_request_end(frame, FRAME_DESTROY); }
