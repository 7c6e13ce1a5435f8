// Requests and listeners, for the files that describe protocols. libwayland wants an object as a name, and its messages as a name, the
// types of their arguments ('?' where null is allowed, a number in front for the version that brought the message) and, for those that are
// objects, their interfaces.
#pragma once
#include "CWayland.h"

// As many as the longest message has arguments.
extern const struct wl_interface *kine_no_types[8];

// A request that makes an object of `interface`, or none. The argument for the new object's number has no value yet. The object has the
// version of the one that it is asked of.
struct wl_proxy *kine_request(
    struct wl_proxy *proxy, uint32_t number, const struct wl_interface *interface, union wl_argument *arguments);

// The same with a request that ends the object at both sides.
void kine_request_end(struct wl_proxy *proxy, uint32_t number);

struct wl_proxy *kine_listening(struct wl_proxy *proxy, const void *listener, void *context);

// `interface_name` is what the compositor calls the global.
struct wl_proxy *kine_bind(struct wl_proxy *registry, uint32_t name, const char *interface_name,
                           const struct wl_interface *interface, uint32_t version);

extern const struct wl_interface kine_callback_interface;
extern const struct wl_interface kine_output_interface;
extern const struct wl_interface kine_buffer_interface;
