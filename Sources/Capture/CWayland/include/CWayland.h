// What Kinecast uses of libwayland-client, which is loaded when it is first needed, and the protocols that it speaks:
// scripts/wayland-protocols writes their requests and events into ../generated. An object is used on one thread.
#pragma once
#include <stdint.h>
#include <wayland-client-core.h>

// The generated requests call wl_proxy_marshal_flags with a variable number of arguments, which a function of ours
// could not pass on. So they call the library's own through this pointer, which kine_load_wayland sets.
extern __typeof__(&wl_proxy_marshal_flags) kine_marshal_flags;
#define wl_proxy_marshal_flags kine_marshal_flags

#include "../generated/wayland-client-protocol.h"

#include "../generated/ext-data-control-v1-client-protocol.h"
#include "../generated/ext-image-capture-source-v1-client-protocol.h"
#include "../generated/ext-image-copy-capture-v1-client-protocol.h"
#include "../generated/idle-inhibit-unstable-v1-client-protocol.h"
#include "../generated/wlr-screencopy-unstable-v1-client-protocol.h"
#include "../generated/xdg-output-unstable-v1-client-protocol.h"
#include "../generated/xdg-shell-client-protocol.h"

// Loads libwayland-client; 0 where it is not installed, or older than 1.20. Nothing else here may be called before this
// has succeeded. Any thread may call. The library's own complaints are not printed.
int kine_load_wayland(void);

// A connection with the compositor of that name, as in WAYLAND_DISPLAY; null where it does not answer. wl_display_connect would use
// the descriptor that WAYLAND_SOCKET names, which belongs to the program that started this one.
struct wl_display *kine_connect_wayland(const char *name);

// Makes the object of a global: `name` is its number, `interface` what the compositor calls it. Null without memory, or
// where wayland.c does not list that interface.
struct wl_proxy *kine_bind(struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version);
