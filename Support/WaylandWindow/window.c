// The window's objects: wayland-client-protocol.h has those of the core; the others are described here (xdg-shell version 1;
// wlr-layer-shell-unstable-v1 version 1), as only wayland-scanner makes headers of them.
#define _GNU_SOURCE
#include "WaylandWindow.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client.h>

// The compositor may keep one while the next is drawn, and one more while that is shown.
enum { BUFFERS = 3, OUTPUTS = 16 };

struct buffer {
    struct wl_buffer *object;
    int is_busy;
};

struct output {
    struct wl_output *object;
    char name[64];
};

struct kine_window {
    struct wl_display *display;
    struct wl_registry *registry;
    struct wl_compositor *compositor;
    struct wl_shm *memory;
    struct wl_proxy *shell, *layer_shell; // xdg_wm_base, zwlr_layer_shell_v1
    struct wl_surface *surface;
    struct wl_proxy *role, *toplevel; // xdg_surface or zwlr_layer_surface_v1; xdg_toplevel
    struct output outputs[OUTPUTS];
    int output_count;
    int32_t width, height;
    int32_t wanted_width, wanted_height; // the first output's, until the compositor says what it wants
    int is_configured;
    uint32_t *pixels;
    uint8_t *mapping;
    size_t mapping_size;
    struct buffer buffers[BUFFERS];
    int is_drawn; // the compositor has drawn the last frame
};

// MARK: Protocols

static const struct wl_interface *no_types[8];

static const struct wl_message toplevel_requests[] = {
    {"destroy", "", no_types}, {"set_parent", "?o", no_types}, {"set_title", "s", no_types},
    {"set_app_id", "s", no_types}, {"show_window_menu", "ouii", no_types}, {"move", "ou", no_types},
    {"resize", "ouu", no_types}, {"set_max_size", "ii", no_types}, {"set_min_size", "ii", no_types},
    {"set_maximized", "", no_types}, {"unset_maximized", "", no_types}, {"set_fullscreen", "?o", no_types}};
static const struct wl_message toplevel_events[] = {{"configure", "iia", no_types}, {"close", "", no_types}};
static const struct wl_interface toplevel_interface = {"xdg_toplevel", 1, 12, toplevel_requests, 2, toplevel_events};

static const struct wl_interface *toplevel_types[] = {&toplevel_interface};
static const struct wl_message role_requests[] = {
    {"destroy", "", no_types}, {"get_toplevel", "n", toplevel_types}, {"get_popup", "n?oo", no_types},
    {"set_window_geometry", "iiii", no_types}, {"ack_configure", "u", no_types}};
static const struct wl_message role_events[] = {{"configure", "u", no_types}};
static const struct wl_interface role_interface = {"xdg_surface", 1, 5, role_requests, 1, role_events};

static const struct wl_interface *role_types[] = {&role_interface, &wl_surface_interface};
static const struct wl_message shell_requests[] = {
    {"destroy", "", no_types}, {"create_positioner", "n", no_types}, {"get_xdg_surface", "no", role_types},
    {"pong", "u", no_types}};
static const struct wl_message shell_events[] = {{"ping", "u", no_types}};
static const struct wl_interface shell_interface = {"xdg_wm_base", 1, 4, shell_requests, 1, shell_events};

static const struct wl_message layer_requests[] = {
    {"set_size", "uu", no_types},    {"set_anchor", "u", no_types},
    {"set_exclusive_zone", "i", no_types}, {"set_margin", "iiii", no_types},
    {"set_keyboard_interactivity", "u", no_types}, {"get_popup", "o", no_types},
    {"ack_configure", "u", no_types}, {"destroy", "", no_types}};
static const struct wl_message layer_events[] = {{"configure", "uuu", no_types}, {"closed", "", no_types}};
static const struct wl_interface layer_interface = {"zwlr_layer_surface_v1", 1, 8, layer_requests, 2, layer_events};

static const struct wl_interface *layer_types[] = {&layer_interface, &wl_surface_interface, &wl_output_interface, 0, 0};
static const struct wl_message layer_shell_requests[] = {{"get_layer_surface", "no?ous", layer_types}};
static const struct wl_interface layer_shell_interface = {"zwlr_layer_shell_v1", 1, 1, layer_shell_requests, 0, 0};

enum { TOPLEVEL_SET_TITLE = 2, TOPLEVEL_SET_APP_ID = 3, TOPLEVEL_SET_FULLSCREEN = 11 };
enum { ROLE_DESTROY, ROLE_GET_TOPLEVEL, ROLE_GET_POPUP, ROLE_SET_GEOMETRY, ROLE_ACK_CONFIGURE };
enum { SHELL_DESTROY, SHELL_CREATE_POSITIONER, SHELL_GET_SURFACE, SHELL_PONG };
enum { LAYER_SET_SIZE, LAYER_SET_ANCHOR, LAYER_SET_ZONE, LAYER_SET_MARGIN, LAYER_SET_KEYBOARD, LAYER_GET_POPUP,
       LAYER_ACK_CONFIGURE, LAYER_DESTROY };
enum { LAYER_SHELL_GET_SURFACE };
enum { TOP_LEFT = 1 | 4 };

#define REQUEST(proxy, number, ...) \
    wl_proxy_marshal_flags(proxy, number, 0, wl_proxy_get_version(proxy), 0, ##__VA_ARGS__)
#define END(proxy, number) \
    wl_proxy_marshal_flags(proxy, number, 0, wl_proxy_get_version(proxy), WL_MARSHAL_FLAG_DESTROY)
#define MAKE(proxy, number, interface, ...) \
    wl_proxy_marshal_flags(proxy, number, interface, wl_proxy_get_version(proxy), 0, (void *)0, ##__VA_ARGS__)

// MARK: Events

static void on_ping(void *data, struct wl_proxy *shell, uint32_t serial) {
    (void)data;
    REQUEST(shell, SHELL_PONG, serial);
}
static void (*const shell_listener[])(void *, struct wl_proxy *, uint32_t) = {on_ping};

static void on_toplevel_configure(void *data, struct wl_proxy *toplevel, int32_t width, int32_t height, struct wl_array *states) {
    (void)toplevel, (void)states;
    kine_window *window = data;
    if (width > 0 && height > 0) window->wanted_width = width, window->wanted_height = height;
}
static void on_toplevel_close(void *data, struct wl_proxy *toplevel) { (void)data, (void)toplevel; }
static const struct {
    void (*configure)(void *, struct wl_proxy *, int32_t, int32_t, struct wl_array *);
    void (*close)(void *, struct wl_proxy *);
} toplevel_listener = {on_toplevel_configure, on_toplevel_close};

static void on_role_configure(void *data, struct wl_proxy *role, uint32_t serial) {
    kine_window *window = data;
    REQUEST(role, ROLE_ACK_CONFIGURE, serial);
    window->is_configured = 1;
}
static void (*const role_listener[])(void *, struct wl_proxy *, uint32_t) = {on_role_configure};

static void on_layer_configure(void *data, struct wl_proxy *layer, uint32_t serial, uint32_t width, uint32_t height) {
    kine_window *window = data;
    window->wanted_width = (int32_t)width, window->wanted_height = (int32_t)height;
    REQUEST(layer, LAYER_ACK_CONFIGURE, serial);
    window->is_configured = 1;
}
static void on_layer_closed(void *data, struct wl_proxy *layer) { (void)data, (void)layer; }
static const struct {
    void (*configure)(void *, struct wl_proxy *, uint32_t, uint32_t, uint32_t);
    void (*closed)(void *, struct wl_proxy *);
} layer_listener = {on_layer_configure, on_layer_closed};

static void on_release(void *data, struct wl_buffer *object) {
    (void)object;
    ((struct buffer *)data)->is_busy = 0;
}
static const struct wl_buffer_listener buffer_listener = {on_release};

static void on_frame(void *data, struct wl_callback *callback, uint32_t time) {
    (void)time;
    wl_callback_destroy(callback);
    ((kine_window *)data)->is_drawn = 1;
}
static const struct wl_callback_listener frame_listener = {on_frame};

static void on_geometry(void *data, struct wl_output *o, int32_t x, int32_t y, int32_t w, int32_t h, int32_t s, const char *make,
                        const char *model, int32_t t) {
    (void)data, (void)o, (void)x, (void)y, (void)w, (void)h, (void)s, (void)make, (void)model, (void)t;
}
static void on_mode(void *data, struct wl_output *o, uint32_t f, int32_t w, int32_t h, int32_t r) {
    (void)o, (void)r;
    kine_window *window = data;
    if ((f & WL_OUTPUT_MODE_CURRENT) && !window->wanted_width) window->wanted_width = w, window->wanted_height = h;
}
static void on_done(void *data, struct wl_output *o) { (void)data, (void)o; }
static void on_scale(void *data, struct wl_output *o, int32_t factor) { (void)data, (void)o, (void)factor; }
static void on_name(void *data, struct wl_output *o, const char *name) {
    kine_window *window = data;
    for (int i = 0; i < window->output_count; i++)
        if (window->outputs[i].object == o) strncpy(window->outputs[i].name, name, sizeof window->outputs[i].name - 1);
}
static void on_description(void *data, struct wl_output *o, const char *description) {
    (void)data, (void)o, (void)description;
}
static const struct wl_output_listener output_listener = {on_geometry, on_mode, on_done, on_scale, on_name, on_description};

static void on_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version) {
    kine_window *window = data;
    if (!strcmp(interface, "wl_compositor") && version >= 4)
        window->compositor = wl_registry_bind(registry, name, &wl_compositor_interface, 4);
    else if (!strcmp(interface, "wl_shm")) window->memory = wl_registry_bind(registry, name, &wl_shm_interface, 1);
    else if (!strcmp(interface, "xdg_wm_base")) window->shell = wl_registry_bind(registry, name, &shell_interface, 1);
    else if (!strcmp(interface, "zwlr_layer_shell_v1"))
        window->layer_shell = wl_registry_bind(registry, name, &layer_shell_interface, 1);
    else if (!strcmp(interface, "wl_output") && version >= 4 && window->output_count < OUTPUTS) {
        struct output *output = &window->outputs[window->output_count++];
        output->object = wl_registry_bind(registry, name, &wl_output_interface, 4);
        wl_output_add_listener(output->object, &output_listener, window);
    }
}
static void on_global_remove(void *data, struct wl_registry *registry, uint32_t name) {
    (void)data, (void)registry, (void)name;
}
static const struct wl_registry_listener registry_listener = {on_global, on_global_remove};

// MARK: The window

static int make_buffers(kine_window *window) {
    size_t frame = (size_t)window->width * (size_t)window->height * 4;
    window->mapping_size = frame * BUFFERS;
    int file = memfd_create("kinecast-window", MFD_CLOEXEC);
    if (file < 0) return -1;
    if (ftruncate(file, (off_t)window->mapping_size) != 0) {
        close(file);
        return -1;
    }
    void *mapping = mmap(0, window->mapping_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapping == MAP_FAILED) {
        close(file);
        return -1;
    }
    window->mapping = mapping;
    struct wl_shm_pool *pool = wl_shm_create_pool(window->memory, file, (int32_t)window->mapping_size);
    close(file);
    for (int i = 0; i < BUFFERS; i++) {
        struct buffer *buffer = &window->buffers[i];
        buffer->object = wl_shm_pool_create_buffer(
            pool, (int32_t)(frame * (size_t)i), window->width, window->height, window->width * 4, WL_SHM_FORMAT_XRGB8888);
        wl_buffer_add_listener(buffer->object, &buffer_listener, buffer);
    }
    wl_shm_pool_destroy(pool);
    window->pixels = calloc(1, frame);
    return window->pixels ? 0 : -1;
}

static struct wl_output *output_named(kine_window *window, const char *name) {
    for (int i = 0; name && i < window->output_count; i++)
        if (!strcmp(window->outputs[i].name, name)) return window->outputs[i].object;
    return 0;
}

static void give_role(kine_window *window, const char *title, const kine_window_place *place) {
    if (place->layer) {
        window->role = MAKE(window->layer_shell, LAYER_SHELL_GET_SURFACE, &layer_interface, window->surface,
                            output_named(window, place->output), place->layer, title);
        wl_proxy_add_listener(window->role, (void (**)(void))&layer_listener, window);
        REQUEST(window->role, LAYER_SET_SIZE, place->width, place->height);
        REQUEST(window->role, LAYER_SET_ANCHOR, TOP_LEFT);
        REQUEST(window->role, LAYER_SET_ZONE, -1);
        REQUEST(window->role, LAYER_SET_MARGIN, place->y, 0, 0, place->x);
    } else {
        window->role = MAKE(window->shell, SHELL_GET_SURFACE, &role_interface, window->surface);
        wl_proxy_add_listener(window->role, (void (**)(void))role_listener, window);
        window->toplevel = MAKE(window->role, ROLE_GET_TOPLEVEL, &toplevel_interface);
        wl_proxy_add_listener(window->toplevel, (void (**)(void))&toplevel_listener, window);
        REQUEST(window->toplevel, TOPLEVEL_SET_TITLE, title);
        REQUEST(window->toplevel, TOPLEVEL_SET_APP_ID, "kinecast-scene");
        if (!place->width) REQUEST(window->toplevel, TOPLEVEL_SET_FULLSCREEN, (void *)0);
    }
    wl_surface_commit(window->surface);
}

static const char *set_up(kine_window *window, const char *title, const kine_window_place *place) {
    window->registry = wl_display_get_registry(window->display);
    wl_registry_add_listener(window->registry, &registry_listener, window);
    // Its globals, and then the names of its outputs.
    if (wl_display_roundtrip(window->display) < 0 || wl_display_roundtrip(window->display) < 0)
        return "the compositor does not answer";
    if (!window->compositor || !window->memory) return "the compositor has no surfaces in shared memory";
    if (place->layer ? !window->layer_shell : !window->shell) return "the compositor has no such windows";
    if (window->shell) wl_proxy_add_listener(window->shell, (void (**)(void))shell_listener, window);
    window->surface = wl_compositor_create_surface(window->compositor);
    give_role(window, title, place);
    while (!window->is_configured)
        if (wl_display_dispatch(window->display) < 0) return "the compositor shows no window";
    window->width = place->width ? place->width : window->wanted_width;
    window->height = place->height ? place->height : window->wanted_height;
    if (window->width <= 0 || window->height <= 0) return "the compositor gives the window no size";
    return make_buffers(window) == 0 ? 0 : "there is no memory for it";
}

kine_window *kine_window_open(
    const char *display, const char *title, const kine_window_place *place, const char **complaint) {
    kine_window *window = calloc(1, sizeof *window);
    if (!window) return 0;
    window->display = wl_display_connect(display);
    *complaint = window->display ? set_up(window, title, place) : "no compositor takes connections there";
    if (!*complaint) return window;
    kine_window_close(window);
    return 0;
}

void kine_window_close(kine_window *window) {
    if (window->display) wl_display_disconnect(window->display); // ends what the compositor has of it
    if (window->mapping) munmap(window->mapping, window->mapping_size);
    free(window->pixels);
    free(window);
}

uint32_t *kine_window_pixels(kine_window *window) { return window->pixels; }
int32_t kine_window_width(const kine_window *window) { return window->width; }
int32_t kine_window_height(const kine_window *window) { return window->height; }

void kine_window_damage(kine_window *window, int32_t x, int32_t y, int32_t width, int32_t height) {
    wl_surface_damage_buffer(window->surface, x, y, width, height);
}

// Hands the pixels to the compositor. Returns 0, or -1 where it has gone.
static int put(kine_window *window) {
    int index = 0;
    while (window->buffers[index].is_busy) {
        for (index = 0; index < BUFFERS && window->buffers[index].is_busy; index++) {}
        if (index < BUFFERS) break;
        index = 0;
        if (wl_display_dispatch(window->display) < 0) return -1;
    }
    size_t frame = (size_t)window->width * (size_t)window->height * 4;
    memcpy(window->mapping + frame * (size_t)index, window->pixels, frame);
    window->buffers[index].is_busy = 1;
    window->is_drawn = 0;
    wl_callback_add_listener(wl_surface_frame(window->surface), &frame_listener, window);
    wl_surface_attach(window->surface, window->buffers[index].object, 0, 0);
    wl_surface_commit(window->surface);
    return 0;
}

int kine_window_show(kine_window *window) {
    if (put(window) < 0) return -1;
    while (!window->is_drawn)
        if (wl_display_dispatch(window->display) < 0) return -1;
    return 0;
}

int kine_window_update(kine_window *window) {
    if (put(window) < 0) return -1;
    return wl_display_roundtrip(window->display) < 0 ? -1 : 0;
}

int kine_window_resize(kine_window *window, int32_t width, int32_t height) {
    for (int i = 0; i < BUFFERS; i++) wl_buffer_destroy(window->buffers[i].object);
    memset(window->buffers, 0, sizeof window->buffers);
    munmap(window->mapping, window->mapping_size);
    free(window->pixels);
    window->mapping = 0, window->pixels = 0;
    window->width = width, window->height = height;
    return make_buffers(window);
}

int kine_window_hide(kine_window *window) {
    wl_surface_attach(window->surface, 0, 0, 0);
    wl_surface_commit(window->surface);
    return wl_display_roundtrip(window->display) < 0 ? -1 : 0;
}
