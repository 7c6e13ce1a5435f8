// A window that fills an output, and the mouse and the keyboard over it (window.c). As in CWayland.h, requests and events are those of the
// protocols.
#pragma once
#include <stdint.h>
#include <wayland-client-core.h>

#define KINE_COMPOSITOR_VERSION 4
#define KINE_SEAT_VERSION 3

// MARK: Surfaces

struct wl_proxy *kine_bind_compositor(struct wl_proxy *registry, uint32_t name);

struct wl_proxy *kine_create_surface(struct wl_proxy *compositor);
// `scale`: pixels of the buffer to one of the surface. Null takes the surface off the screen.
void kine_attach_buffer(struct wl_proxy *surface, struct wl_proxy *buffer, int32_t scale);
// In pixels of the buffer.
void kine_damage_surface(struct wl_proxy *surface, int32_t x, int32_t y, int32_t width, int32_t height);
// `done` comes when it is a good time to draw the next frame. The object is to be destroyed with wl_proxy_destroy.
struct wl_proxy *kine_request_frame(struct wl_proxy *surface, const kine_callback_listener *listener, void *context);
void kine_commit_surface(struct wl_proxy *surface);
void kine_destroy_surface(struct wl_proxy *surface);

// `release`: the compositor does not read the buffer any more.
typedef struct {
    void (*release)(void *context, struct wl_proxy *buffer);
} kine_buffer_listener;

void kine_listen_to_buffer(struct wl_proxy *buffer, const kine_buffer_listener *listener, void *context);

// MARK: Windows

// Answers the compositor's pings by itself.
struct wl_proxy *kine_bind_shell(struct wl_proxy *registry, uint32_t name);

// Ends the events that a new size comes with: it is to be acknowledged, and drawn after that.
typedef struct {
    void (*configure)(void *context, struct wl_proxy *role, uint32_t serial);
} kine_role_listener;

// `configure`: a new size, in pixels of the surface; 0: the window may choose. `close`: the person wants the window closed.
typedef struct {
    void (*configure)(void *context, struct wl_proxy *toplevel, int32_t width, int32_t height, struct wl_array *states);
    void (*close)(void *context, struct wl_proxy *toplevel);
} kine_toplevel_listener;

struct wl_proxy *kine_give_role(
    struct wl_proxy *shell, struct wl_proxy *surface, const kine_role_listener *listener, void *context);
void kine_acknowledge(struct wl_proxy *role, uint32_t serial);
void kine_destroy_role(struct wl_proxy *role);

struct wl_proxy *kine_make_toplevel(struct wl_proxy *role, const kine_toplevel_listener *listener, void *context);
void kine_name_toplevel(struct wl_proxy *toplevel, const char *title, const char *application);
// Null: the compositor chooses the output.
void kine_fill_output(struct wl_proxy *toplevel, struct wl_proxy *output);
void kine_destroy_toplevel(struct wl_proxy *toplevel);

// MARK: Mouse and keyboard

// `capabilities`: bit 0 where there is a pointer, bit 1 where there is a keyboard.
typedef struct {
    void (*capabilities)(void *context, struct wl_proxy *seat, uint32_t capabilities);
    void (*name)(void *context, struct wl_proxy *seat, const char *name);
} kine_seat_listener;

struct wl_proxy *kine_bind_input_seat(
    struct wl_proxy *registry, uint32_t name, uint32_t version, const kine_seat_listener *listener, void *context);
void kine_destroy_input_seat(struct wl_proxy *seat);

// Places are in the surface, in 1/256 of its pixels. Buttons have the numbers of linux/input-event-codes.h; `state` is 1 for a press.
typedef struct {
    void (*enter)(void *context, struct wl_proxy *pointer, uint32_t serial, struct wl_proxy *surface, int32_t x, int32_t y);
    void (*leave)(void *context, struct wl_proxy *pointer, uint32_t serial, struct wl_proxy *surface);
    void (*motion)(void *context, struct wl_proxy *pointer, uint32_t time, int32_t x, int32_t y);
    void (*button)(void *context, struct wl_proxy *pointer, uint32_t serial, uint32_t time, uint32_t button, uint32_t state);
    void (*axis)(void *context, struct wl_proxy *pointer, uint32_t time, uint32_t axis, int32_t value);
} kine_pointer_listener;

struct wl_proxy *kine_get_pointer(struct wl_proxy *seat, const kine_pointer_listener *listener, void *context);
void kine_set_cursor(
    struct wl_proxy *pointer, uint32_t serial, struct wl_proxy *surface, int32_t hot_x, int32_t hot_y);
void kine_destroy_pointer(struct wl_proxy *pointer);

// The descriptor of `keymap` belongs to the listener; a `format` of 1 is libxkbcommon's text. Keys have the numbers of
// linux/input-event-codes.h; `state` is 1 for a press.
typedef struct {
    void (*keymap)(void *context, struct wl_proxy *keyboard, uint32_t format, int32_t descriptor, uint32_t size);
    void (*enter)(void *context, struct wl_proxy *keyboard, uint32_t serial, struct wl_proxy *surface, struct wl_array *keys);
    void (*leave)(void *context, struct wl_proxy *keyboard, uint32_t serial, struct wl_proxy *surface);
    void (*key)(void *context, struct wl_proxy *keyboard, uint32_t serial, uint32_t time, uint32_t key, uint32_t state);
    void (*modifiers)(void *context, struct wl_proxy *keyboard, uint32_t serial, uint32_t depressed, uint32_t latched,
                      uint32_t locked, uint32_t group);
} kine_keyboard_listener;

struct wl_proxy *kine_get_keyboard(struct wl_proxy *seat, const kine_keyboard_listener *listener, void *context);
void kine_destroy_keyboard(struct wl_proxy *keyboard);
