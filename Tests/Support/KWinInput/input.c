// org_kde_kwin_fake_input, version 4, as far as a mouse and a keyboard need it.
#include "KWinInput.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wayland-client.h>

struct kine_kwin_input {
    struct wl_display *display;
    struct wl_registry *registry;
    struct wl_proxy *manager;
};

static const struct wl_interface *no_types[4];
static const struct wl_message requests[] = {
    {"authenticate", "ss", no_types},  {"pointer_motion", "ff", no_types}, {"button", "uu", no_types},
    {"axis", "uf", no_types},          {"touch_down", "2uff", no_types},   {"touch_motion", "2uff", no_types},
    {"touch_up", "2u", no_types},      {"touch_cancel", "2", no_types},    {"touch_frame", "2", no_types},
    {"pointer_motion_absolute", "3ff", no_types}, {"keyboard_key", "4uu", no_types}};
static const struct wl_interface input_interface = {"org_kde_kwin_fake_input", 4, 11, requests, 0, 0};

enum { AUTHENTICATE = 0, BUTTON = 2, MOTION_ABSOLUTE = 9, KEY = 10 };

#define REQUEST(proxy, number, ...) \
    wl_proxy_marshal_flags(proxy, number, 0, wl_proxy_get_version(proxy), 0, ##__VA_ARGS__)

static void on_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version) {
    kine_kwin_input *input = data;
    if (!strcmp(interface, input_interface.name) && version >= 4)
        input->manager = wl_registry_bind(registry, name, &input_interface, 4);
}
static void on_global_remove(void *data, struct wl_registry *registry, uint32_t name) {
    (void)data, (void)registry, (void)name;
}
static const struct wl_registry_listener registry_listener = {on_global, on_global_remove};

kine_kwin_input *kine_kwin_input_open(const char *display) {
    kine_kwin_input *input = calloc(1, sizeof *input);
    if (!input) return 0;
    input->display = wl_display_connect(display);
    if (input->display) {
        input->registry = wl_display_get_registry(input->display);
        wl_registry_add_listener(input->registry, &registry_listener, input);
        if (wl_display_roundtrip(input->display) >= 0 && input->manager) {
            REQUEST(input->manager, AUTHENTICATE, "Kinecast", "testing");
            if (wl_display_roundtrip(input->display) >= 0) return input;
        }
    }
    kine_kwin_input_close(input);
    return 0;
}

void kine_kwin_input_close(kine_kwin_input *input) {
    if (input->display) wl_display_disconnect(input->display);
    free(input);
}

int kine_kwin_input_move(kine_kwin_input *input, int x, int y) {
    REQUEST(input->manager, MOTION_ABSOLUTE, wl_fixed_from_int(x), wl_fixed_from_int(y));
    return wl_display_roundtrip(input->display) < 0 ? -1 : 0;
}

int kine_kwin_input_press(kine_kwin_input *input, unsigned button, int is_down) {
    REQUEST(input->manager, BUTTON, button, is_down ? 1 : 0);
    return wl_display_roundtrip(input->display) < 0 ? -1 : 0;
}

int kine_kwin_input_key(kine_kwin_input *input, unsigned key, int is_down) {
    REQUEST(input->manager, KEY, key, is_down ? 1 : 0);
    return wl_display_roundtrip(input->display) < 0 ? -1 : 0;
}
