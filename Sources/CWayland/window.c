// A window that fills an output, and the input over it (wayland.xml 1.21: wl_compositor, wl_surface and wl_seat; xdg-shell, version 1).
#include "objects.h"

// MARK: Surfaces

static const struct wl_interface *attach_types[] = {&kine_buffer_interface, 0, 0};
static const struct wl_interface *frame_types[] = {&kine_callback_interface};
static const struct wl_interface *place_types[] = {&kine_output_interface};
static const struct wl_message surface_requests[] = {
    {"destroy", "", kine_no_types},
    {"attach", "?oii", attach_types},
    {"damage", "iiii", kine_no_types},
    {"frame", "n", frame_types},
    {"set_opaque_region", "?o", kine_no_types},
    {"set_input_region", "?o", kine_no_types},
    {"commit", "", kine_no_types},
    {"set_buffer_transform", "2i", kine_no_types},
    {"set_buffer_scale", "3i", kine_no_types},
    {"damage_buffer", "4iiii", kine_no_types},
};
static const struct wl_message surface_events[] = {{"enter", "o", place_types}, {"leave", "o", place_types}};
static const struct wl_interface surface_interface = {
    "wl_surface", KINE_COMPOSITOR_VERSION, 10, surface_requests, 2, surface_events};

static const struct wl_interface *surface_types[] = {&surface_interface};
static const struct wl_message compositor_requests[] = {
    {"create_surface", "n", surface_types}, {"create_region", "n", kine_no_types}};
static const struct wl_interface compositor_interface = {
    "wl_compositor", KINE_COMPOSITOR_VERSION, 2, compositor_requests, 0, 0};

enum { COMPOSITOR_CREATE_SURFACE };
enum {
    SURFACE_DESTROY,
    SURFACE_ATTACH,
    SURFACE_DAMAGE,
    SURFACE_FRAME,
    SURFACE_SET_OPAQUE_REGION,
    SURFACE_SET_INPUT_REGION,
    SURFACE_COMMIT,
    SURFACE_SET_BUFFER_TRANSFORM,
    SURFACE_SET_BUFFER_SCALE,
    SURFACE_DAMAGE_BUFFER,
};

struct wl_proxy *kine_bind_compositor(struct wl_proxy *registry, uint32_t name) {
    return kine_bind(registry, name, compositor_interface.name, &compositor_interface, KINE_COMPOSITOR_VERSION);
}

struct wl_proxy *kine_create_surface(struct wl_proxy *compositor) {
    union wl_argument arguments[] = {{.n = 0}};
    return kine_request(compositor, COMPOSITOR_CREATE_SURFACE, &surface_interface, arguments);
}

void kine_attach_buffer(struct wl_proxy *surface, struct wl_proxy *buffer, int32_t scale) {
    union wl_argument factor[] = {{.i = scale}};
    kine_request(surface, SURFACE_SET_BUFFER_SCALE, 0, factor);
    union wl_argument arguments[] = {{.o = (struct wl_object *)buffer}, {.i = 0}, {.i = 0}};
    kine_request(surface, SURFACE_ATTACH, 0, arguments);
}

void kine_damage_surface(struct wl_proxy *surface, int32_t x, int32_t y, int32_t width, int32_t height) {
    union wl_argument arguments[] = {{.i = x}, {.i = y}, {.i = width}, {.i = height}};
    kine_request(surface, SURFACE_DAMAGE_BUFFER, 0, arguments);
}

struct wl_proxy *kine_request_frame(struct wl_proxy *surface, const kine_callback_listener *listener, void *context) {
    union wl_argument arguments[] = {{.n = 0}};
    return kine_listening(kine_request(surface, SURFACE_FRAME, &kine_callback_interface, arguments), listener, context);
}

void kine_commit_surface(struct wl_proxy *surface) { kine_request(surface, SURFACE_COMMIT, 0, 0); }

void kine_destroy_surface(struct wl_proxy *surface) { kine_request_end(surface, SURFACE_DESTROY); }

void kine_listen_to_buffer(struct wl_proxy *buffer, const kine_buffer_listener *listener, void *context) {
    kine_listening(buffer, listener, context);
}

// MARK: Windows

static const struct wl_interface *fullscreen_types[] = {&kine_output_interface};
static const struct wl_message toplevel_requests[] = {
    {"destroy", "", kine_no_types},
    {"set_parent", "?o", kine_no_types},
    {"set_title", "s", kine_no_types},
    {"set_app_id", "s", kine_no_types},
    {"show_window_menu", "ouii", kine_no_types},
    {"move", "ou", kine_no_types},
    {"resize", "ouu", kine_no_types},
    {"set_max_size", "ii", kine_no_types},
    {"set_min_size", "ii", kine_no_types},
    {"set_maximized", "", kine_no_types},
    {"unset_maximized", "", kine_no_types},
    {"set_fullscreen", "?o", fullscreen_types},
};
static const struct wl_message toplevel_events[] = {{"configure", "iia", kine_no_types}, {"close", "", kine_no_types}};
static const struct wl_interface toplevel_interface = {"xdg_toplevel", 1, 12, toplevel_requests, 2, toplevel_events};

static const struct wl_interface *toplevel_types[] = {&toplevel_interface};
static const struct wl_message role_requests[] = {
    {"destroy", "", kine_no_types},
    {"get_toplevel", "n", toplevel_types},
    {"get_popup", "n?oo", kine_no_types},
    {"set_window_geometry", "iiii", kine_no_types},
    {"ack_configure", "u", kine_no_types},
};
static const struct wl_message role_events[] = {{"configure", "u", kine_no_types}};
static const struct wl_interface role_interface = {"xdg_surface", 1, 5, role_requests, 1, role_events};

static const struct wl_interface *role_types[] = {&role_interface, &surface_interface};
static const struct wl_message shell_requests[] = {
    {"destroy", "", kine_no_types},
    {"create_positioner", "n", kine_no_types},
    {"get_xdg_surface", "no", role_types},
    {"pong", "u", kine_no_types},
};
static const struct wl_message shell_events[] = {{"ping", "u", kine_no_types}};
static const struct wl_interface shell_interface = {"xdg_wm_base", 1, 4, shell_requests, 1, shell_events};

enum { TOPLEVEL_DESTROY, TOPLEVEL_SET_TITLE = 2, TOPLEVEL_SET_APP_ID, TOPLEVEL_SET_FULLSCREEN = 11 };
enum { ROLE_DESTROY, ROLE_GET_TOPLEVEL, ROLE_ACK_CONFIGURE = 4 };
enum { SHELL_GET_SURFACE = 2, SHELL_PONG };

static void on_ping(void *context, struct wl_proxy *shell, uint32_t serial) {
    (void)context;
    union wl_argument arguments[] = {{.u = serial}};
    kine_request(shell, SHELL_PONG, 0, arguments);
}
static const struct {
    void (*ping)(void *context, struct wl_proxy *shell, uint32_t serial);
} shell_listener = {on_ping};

struct wl_proxy *kine_bind_shell(struct wl_proxy *registry, uint32_t name) {
    return kine_listening(kine_bind(registry, name, shell_interface.name, &shell_interface, 1), &shell_listener, 0);
}

struct wl_proxy *kine_give_role(
    struct wl_proxy *shell, struct wl_proxy *surface, const kine_role_listener *listener, void *context) {
    union wl_argument arguments[] = {{.n = 0}, {.o = (struct wl_object *)surface}};
    return kine_listening(kine_request(shell, SHELL_GET_SURFACE, &role_interface, arguments), listener, context);
}

void kine_acknowledge(struct wl_proxy *role, uint32_t serial) {
    union wl_argument arguments[] = {{.u = serial}};
    kine_request(role, ROLE_ACK_CONFIGURE, 0, arguments);
}

void kine_destroy_role(struct wl_proxy *role) { kine_request_end(role, ROLE_DESTROY); }

struct wl_proxy *kine_make_toplevel(struct wl_proxy *role, const kine_toplevel_listener *listener, void *context) {
    union wl_argument arguments[] = {{.n = 0}};
    return kine_listening(kine_request(role, ROLE_GET_TOPLEVEL, &toplevel_interface, arguments), listener, context);
}

void kine_name_toplevel(struct wl_proxy *toplevel, const char *title, const char *application) {
    union wl_argument name[] = {{.s = title}}, program[] = {{.s = application}};
    kine_request(toplevel, TOPLEVEL_SET_TITLE, 0, name);
    kine_request(toplevel, TOPLEVEL_SET_APP_ID, 0, program);
}

void kine_fill_output(struct wl_proxy *toplevel, struct wl_proxy *output) {
    union wl_argument arguments[] = {{.o = (struct wl_object *)output}};
    kine_request(toplevel, TOPLEVEL_SET_FULLSCREEN, 0, arguments);
}

void kine_destroy_toplevel(struct wl_proxy *toplevel) { kine_request_end(toplevel, TOPLEVEL_DESTROY); }

// MARK: Mouse and keyboard

static const struct wl_interface *cursor_types[] = {0, &surface_interface, 0, 0};
static const struct wl_interface *over_types[] = {0, &surface_interface, 0, 0};
static const struct wl_message pointer_requests[] = {
    {"set_cursor", "u?oii", cursor_types}, {"release", "3", kine_no_types}};
static const struct wl_message pointer_events[] = {
    {"enter", "uoff", over_types},      {"leave", "uo", over_types},       {"motion", "uff", kine_no_types},
    {"button", "uuuu", kine_no_types},  {"axis", "uuf", kine_no_types},
};
static const struct wl_interface pointer_interface = {
    "wl_pointer", KINE_SEAT_VERSION, 2, pointer_requests, 5, pointer_events};

static const struct wl_message keyboard_requests[] = {{"release", "3", kine_no_types}};
static const struct wl_message keyboard_events[] = {
    {"keymap", "uhu", kine_no_types},  {"enter", "uoa", over_types},          {"leave", "uo", over_types},
    {"key", "uuuu", kine_no_types},    {"modifiers", "uuuuu", kine_no_types},
};
static const struct wl_interface keyboard_interface = {
    "wl_keyboard", KINE_SEAT_VERSION, 1, keyboard_requests, 5, keyboard_events};

static const struct wl_interface *pointer_types[] = {&pointer_interface};
static const struct wl_interface *keyboard_types[] = {&keyboard_interface};
static const struct wl_message seat_requests[] = {
    {"get_pointer", "n", pointer_types}, {"get_keyboard", "n", keyboard_types}, {"get_touch", "n", kine_no_types}};
static const struct wl_message seat_events[] = {{"capabilities", "u", kine_no_types}, {"name", "2s", kine_no_types}};
static const struct wl_interface seat_interface = {"wl_seat", KINE_SEAT_VERSION, 3, seat_requests, 2, seat_events};

enum { SEAT_GET_POINTER, SEAT_GET_KEYBOARD };
enum { POINTER_SET_CURSOR, POINTER_RELEASE };
enum { KEYBOARD_RELEASE };

struct wl_proxy *kine_bind_input_seat(
    struct wl_proxy *registry, uint32_t name, uint32_t version, const kine_seat_listener *listener, void *context) {
    return kine_listening(kine_bind(registry, name, seat_interface.name, &seat_interface, version), listener, context);
}

// Its release came with version 5.
void kine_destroy_input_seat(struct wl_proxy *seat) { wl_proxy_destroy(seat); }

struct wl_proxy *kine_get_pointer(struct wl_proxy *seat, const kine_pointer_listener *listener, void *context) {
    union wl_argument arguments[] = {{.n = 0}};
    return kine_listening(kine_request(seat, SEAT_GET_POINTER, &pointer_interface, arguments), listener, context);
}

void kine_set_cursor(
    struct wl_proxy *pointer, uint32_t serial, struct wl_proxy *surface, int32_t hot_x, int32_t hot_y) {
    union wl_argument arguments[] = {
        {.u = serial}, {.o = (struct wl_object *)surface}, {.i = hot_x}, {.i = hot_y}};
    kine_request(pointer, POINTER_SET_CURSOR, 0, arguments);
}

struct wl_proxy *kine_get_keyboard(struct wl_proxy *seat, const kine_keyboard_listener *listener, void *context) {
    union wl_argument arguments[] = {{.n = 0}};
    return kine_listening(kine_request(seat, SEAT_GET_KEYBOARD, &keyboard_interface, arguments), listener, context);
}

static void destroy_device(struct wl_proxy *device, uint32_t release) {
    if (wl_proxy_get_version(device) >= 3) kine_request_end(device, release);
    else wl_proxy_destroy(device);
}

void kine_destroy_pointer(struct wl_proxy *pointer) { destroy_device(pointer, POINTER_RELEASE); }
void kine_destroy_keyboard(struct wl_proxy *keyboard) { destroy_device(keyboard, KEYBOARD_RELEASE); }
