// libwayland-client, loaded when a compositor is first needed.
#include "CLinux.h"
#include "CWayland.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

LATE_LIBRARY("libwayland-client.so.0")

LATE_FUNCTION(struct wl_display *, wl_display_connect_to_fd, (int descriptor), (descriptor))
LATE_FUNCTION(int, wl_display_get_fd, (struct wl_display *display), (display))
LATE_FUNCTION(int, wl_display_get_error, (struct wl_display *display), (display))
LATE_FUNCTION(int, wl_display_flush, (struct wl_display *display), (display))
LATE_FUNCTION(int, wl_display_prepare_read, (struct wl_display *display), (display))
LATE_FUNCTION(int, wl_display_read_events, (struct wl_display *display), (display))
LATE_FUNCTION(int, wl_display_dispatch_pending, (struct wl_display *display), (display))
LATE_FUNCTION(uint32_t, wl_proxy_get_version, (struct wl_proxy *proxy), (proxy))
LATE_FUNCTION(int, wl_proxy_add_listener, (struct wl_proxy *proxy, void (**listener)(void), void *context),
        (proxy, listener, context))
LATE_FUNCTION(void, wl_display_disconnect, (struct wl_display *display), (display))
LATE_FUNCTION(void, wl_display_cancel_read, (struct wl_display *display), (display))
LATE_FUNCTION(void, wl_proxy_destroy, (struct wl_proxy *proxy), (proxy))
LATE_FUNCTION(void, wl_log_set_handler_client, (wl_log_func_t handler), (handler))

static void stay_silent(const char *format, va_list arguments) {
    (void)format;
    (void)arguments;
}

__typeof__(kine_marshal_flags) kine_marshal_flags;

static void find_marshal_flags(void) { kine_marshal_flags = dlsym(late_library(), "wl_proxy_marshal_flags"); }

int kine_load_wayland(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!late_library()) return 0;
    pthread_once(&once, find_marshal_flags);
    if (!kine_marshal_flags) return 0;
    wl_log_set_handler_client(stay_silent);
    return 1;
}

struct wl_display *kine_connect_wayland(const char *name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *directory = name[0] == '/' ? "" : getenv("XDG_RUNTIME_DIR");
    if (!directory) return 0;
    int length = snprintf(address.sun_path, sizeof address.sun_path, "%s%s%s", directory, *directory ? "/" : "", name);
    if (length < 0 || length >= (int)sizeof address.sun_path) return 0;
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return 0;
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0) {
        struct wl_display *display = wl_display_connect_to_fd(descriptor);
        if (display) return display;
    }
    close(descriptor);
    return 0;
}

// The globals that Kinecast binds.
static const struct wl_interface *const globals[] = {
    &ext_data_control_manager_v1_interface,
    &ext_image_copy_capture_manager_v1_interface,
    &ext_output_image_capture_source_manager_v1_interface,
    &wl_compositor_interface,
    &wl_output_interface,
    &wl_seat_interface,
    &wl_shm_interface,
    &xdg_wm_base_interface,
    &zwp_idle_inhibit_manager_v1_interface,
    &zwlr_screencopy_manager_v1_interface,
    &zxdg_output_manager_v1_interface,
};

struct wl_proxy *kine_bind(struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version) {
    // Version 1 of wlr-data-control-unstable-v1 is ext-data-control-v1 with other names, and names are sent only here.
    const char *known = strcmp(interface, "zwlr_data_control_manager_v1") ? interface : "ext_data_control_manager_v1";
    for (size_t i = 0; i < sizeof globals / sizeof *globals; i++)
        if (strcmp(globals[i]->name, known) == 0)
            return kine_marshal_flags(
                (struct wl_proxy *)registry, WL_REGISTRY_BIND, globals[i], version, 0, name, interface, version, NULL);
    return 0;
}
