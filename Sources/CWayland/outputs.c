// Outputs, their places on the desktop, and memory that a compositor may draw into (wayland.xml 1.21; xdg-output-unstable-v1, version 3).
#include "objects.h"

static const struct wl_message output_requests[] = {{"release", "3", kine_no_types}};
static const struct wl_message output_events[] = {
    {"geometry", "iiiiissi", kine_no_types}, {"mode", "uiii", kine_no_types},  {"done", "2", kine_no_types},
    {"scale", "2i", kine_no_types},          {"name", "4s", kine_no_types},    {"description", "4s", kine_no_types},
};
const struct wl_interface kine_output_interface = {"wl_output", KINE_OUTPUT_VERSION, 1, output_requests, 6, output_events};

static const struct wl_message logical_requests[] = {{"destroy", "", kine_no_types}};
static const struct wl_message logical_events[] = {
    {"logical_position", "ii", kine_no_types}, {"logical_size", "ii", kine_no_types}, {"done", "", kine_no_types},
    {"name", "2s", kine_no_types},             {"description", "2s", kine_no_types},
};
static const struct wl_interface logical_interface = {"zxdg_output_v1", 3, 1, logical_requests, 5, logical_events};
static const struct wl_interface *logical_types[] = {&logical_interface, &kine_output_interface};

static const struct wl_message layout_requests[] = {
    {"destroy", "", kine_no_types}, {"get_xdg_output", "no", logical_types}};
static const struct wl_interface layout_interface = {
    "zxdg_output_manager_v1", KINE_OUTPUT_LAYOUT_VERSION, 2, layout_requests, 0, 0};

static const struct wl_message buffer_requests[] = {{"destroy", "", kine_no_types}};
static const struct wl_message buffer_events[] = {{"release", "", kine_no_types}};
const struct wl_interface kine_buffer_interface = {"wl_buffer", 1, 1, buffer_requests, 1, buffer_events};
static const struct wl_interface *buffer_types[] = {&kine_buffer_interface, 0, 0, 0, 0, 0};

static const struct wl_message pool_requests[] = {
    {"create_buffer", "niiiiu", buffer_types}, {"destroy", "", kine_no_types}, {"resize", "i", kine_no_types}};
static const struct wl_interface pool_interface = {"wl_shm_pool", 1, 3, pool_requests, 0, 0};
static const struct wl_interface *pool_types[] = {&pool_interface, 0, 0};

static const struct wl_message memory_requests[] = {{"create_pool", "nhi", pool_types}};
static const struct wl_message memory_events[] = {{"format", "u", kine_no_types}};
static const struct wl_interface memory_interface = {"wl_shm", 1, 1, memory_requests, 1, memory_events};

// Places of the requests in these lists.
enum { OUTPUT_RELEASE };
enum { LOGICAL_DESTROY };
enum { LAYOUT_DESTROY, LAYOUT_GET_OUTPUT };
enum { MEMORY_CREATE_POOL };
enum { POOL_CREATE_BUFFER, POOL_DESTROY };
enum { BUFFER_DESTROY };

struct wl_proxy *kine_bind_output(
    struct wl_proxy *registry, uint32_t name, uint32_t version, const kine_output_listener *listener, void *context) {
    return kine_listening(
        kine_bind(registry, name, kine_output_interface.name, &kine_output_interface, version), listener, context);
}

void kine_destroy_output(struct wl_proxy *output) {
    if (wl_proxy_get_version(output) >= 3) kine_request_end(output, OUTPUT_RELEASE);
    else wl_proxy_destroy(output);
}

struct wl_proxy *kine_bind_output_layout(struct wl_proxy *registry, uint32_t name, uint32_t version) {
    return kine_bind(registry, name, layout_interface.name, &layout_interface, version);
}

struct wl_proxy *kine_get_logical_output(struct wl_proxy *layout, struct wl_proxy *output,
                                         const kine_logical_output_listener *listener, void *context) {
    union wl_argument arguments[] = {{.n = 0}, {.o = (struct wl_object *)output}};
    return kine_listening(kine_request(layout, LAYOUT_GET_OUTPUT, &logical_interface, arguments), listener, context);
}

void kine_destroy_logical_output(struct wl_proxy *logical) { kine_request_end(logical, LOGICAL_DESTROY); }

struct wl_proxy *kine_bind_memory(struct wl_proxy *registry, uint32_t name) {
    return kine_bind(registry, name, memory_interface.name, &memory_interface, 1);
}

struct wl_proxy *kine_make_buffer(struct wl_proxy *memory, int32_t descriptor, int32_t width, int32_t height,
                                  int32_t stride, uint32_t format) {
    union wl_argument whole[] = {{.n = 0}, {.h = descriptor}, {.i = stride * height}};
    struct wl_proxy *pool = kine_request(memory, MEMORY_CREATE_POOL, &pool_interface, whole);
    if (!pool) return 0;
    union wl_argument part[] = {{.n = 0}, {.i = 0}, {.i = width}, {.i = height}, {.i = stride}, {.u = format}};
    struct wl_proxy *buffer = kine_request(pool, POOL_CREATE_BUFFER, &kine_buffer_interface, part);
    kine_request_end(pool, POOL_DESTROY);
    return buffer;
}

void kine_destroy_buffer(struct wl_proxy *buffer) { kine_request_end(buffer, BUFFER_DESTROY); }
