// The virtual devices of wlr-virtual-pointer-unstable-v1, version 1, and virtual-keyboard-unstable-v1, described here as only
// wayland-scanner makes headers of them.
#define _GNU_SOURCE
#include "WaylandInput.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <wayland-client.h>

struct kine_input {
    struct wl_display *display;
    struct wl_registry *registry;
    struct wl_seat *seat;
    struct wl_proxy *pointers, *keyboards;
    struct wl_proxy *pointer, *keyboard;
};

static const struct wl_interface *no_types[8];

static const struct wl_message pointer_requests[] = {
    {"motion", "uff", no_types}, {"motion_absolute", "uuuuu", no_types}, {"button", "uuu", no_types},
    {"axis", "uuf", no_types}, {"frame", "", no_types}};
static const struct wl_interface pointer_interface = {"zwlr_virtual_pointer_v1", 1, 5, pointer_requests, 0, 0};
static const struct wl_interface *pointer_types[] = {&wl_seat_interface, &pointer_interface};
static const struct wl_message pointers_requests[] = {{"create_virtual_pointer", "?on", pointer_types}};
static const struct wl_interface pointers_interface = {
    "zwlr_virtual_pointer_manager_v1", 1, 1, pointers_requests, 0, 0};

static const struct wl_message keyboard_requests[] = {
    {"keymap", "uhu", no_types}, {"key", "uuu", no_types}, {"modifiers", "uuuu", no_types}};
static const struct wl_interface keyboard_interface = {"zwp_virtual_keyboard_v1", 1, 3, keyboard_requests, 0, 0};
static const struct wl_interface *keyboard_types[] = {&wl_seat_interface, &keyboard_interface};
static const struct wl_message keyboards_requests[] = {{"create_virtual_keyboard", "on", keyboard_types}};
static const struct wl_interface keyboards_interface = {
    "zwp_virtual_keyboard_manager_v1", 1, 1, keyboards_requests, 0, 0};

enum { POINTER_MOTION, POINTER_MOTION_ABSOLUTE, POINTER_BUTTON, POINTER_AXIS, POINTER_FRAME };
enum { KEYBOARD_KEYMAP, KEYBOARD_KEY };

#define REQUEST(proxy, number, ...) \
    wl_proxy_marshal_flags(proxy, number, 0, wl_proxy_get_version(proxy), 0, ##__VA_ARGS__)

// X's numbers of keys are 8 above the kernel's.
static const char keymap[] = "xkb_keymap {"
                             "xkb_keycodes { minimum = 8; maximum = 255; <ESC> = 9; };"
                             "xkb_types { include \"complete\" };"
                             "xkb_compatibility { include \"complete\" };"
                             "xkb_symbols { key <ESC> { [ Escape ] }; };"
                             "};";

static void on_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version) {
    (void)version;
    kine_input *input = data;
    if (!strcmp(interface, "wl_seat") && !input->seat) input->seat = wl_registry_bind(registry, name, &wl_seat_interface, 1);
    else if (!strcmp(interface, pointers_interface.name))
        input->pointers = wl_registry_bind(registry, name, &pointers_interface, 1);
    else if (!strcmp(interface, keyboards_interface.name))
        input->keyboards = wl_registry_bind(registry, name, &keyboards_interface, 1);
}
static void on_global_remove(void *data, struct wl_registry *registry, uint32_t name) {
    (void)data, (void)registry, (void)name;
}
static const struct wl_registry_listener registry_listener = {on_global, on_global_remove};

static int await(kine_input *input) { return wl_display_roundtrip(input->display) < 0 ? -1 : 0; }

static int send_keymap(kine_input *input) {
    int file = memfd_create("kinecast-keymap", MFD_CLOEXEC);
    if (file < 0) return -1;
    int is_written = write(file, keymap, sizeof keymap) == sizeof keymap;
    if (is_written)
        REQUEST(input->keyboard, KEYBOARD_KEYMAP, WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1, file, (uint32_t)sizeof keymap);
    int result = is_written ? await(input) : -1;
    close(file);
    return result;
}

static const char *set_up(kine_input *input) {
    input->registry = wl_display_get_registry(input->display);
    wl_registry_add_listener(input->registry, &registry_listener, input);
    if (await(input) < 0) return "the compositor does not answer";
    if (!input->seat || !input->pointers || !input->keyboards) return "the compositor has no virtual devices";
    input->pointer = wl_proxy_marshal_flags(
        input->pointers, 0, &pointer_interface, 1, 0, input->seat, (void *)0);
    input->keyboard = wl_proxy_marshal_flags(
        input->keyboards, 0, &keyboard_interface, 1, 0, input->seat, (void *)0);
    return send_keymap(input) == 0 ? 0 : "the compositor takes no keymap";
}

kine_input *kine_input_open(const char *display, const char **complaint) {
    kine_input *input = calloc(1, sizeof *input);
    if (!input) return 0;
    input->display = wl_display_connect(display);
    *complaint = input->display ? set_up(input) : "no compositor takes connections there";
    if (!*complaint) return input;
    kine_input_close(input);
    return 0;
}

void kine_input_close(kine_input *input) {
    if (input->display) wl_display_disconnect(input->display); // unplugs both
    free(input);
}

// Milliseconds. GTK's menus take no click that follows too soon on the one that opened them.
static uint32_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint32_t)(time.tv_sec * 1000 + time.tv_nsec / 1000000);
}

int kine_input_move(kine_input *input, uint32_t x, uint32_t y, uint32_t width, uint32_t height) {
    REQUEST(input->pointer, POINTER_MOTION_ABSOLUTE, now(), x, y, width, height);
    REQUEST(input->pointer, POINTER_FRAME);
    return await(input);
}

int kine_input_button(kine_input *input, uint32_t button, int is_pressed) {
    REQUEST(input->pointer, POINTER_BUTTON, now(), button, (uint32_t)(is_pressed ? 1 : 0));
    REQUEST(input->pointer, POINTER_FRAME);
    return await(input);
}

int kine_input_escape(kine_input *input) {
    for (uint32_t state = 2; state-- > 0;) REQUEST(input->keyboard, KEYBOARD_KEY, now(), (uint32_t)KEY_ESC, state);
    return await(input);
}
