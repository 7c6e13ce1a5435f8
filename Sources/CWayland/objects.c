// The objects that every client has: the registry and the callback (wayland.xml 1.21).
#include "objects.h"

const struct wl_interface *kine_no_types[8];

static const struct wl_message registry_requests[] = {{"bind", "usun", kine_no_types}};
static const struct wl_message registry_events[] = {
    {"global", "usu", kine_no_types}, {"global_remove", "u", kine_no_types}};
static const struct wl_interface registry_interface = {"wl_registry", 1, 1, registry_requests, 2, registry_events};

static const struct wl_message callback_events[] = {{"done", "u", kine_no_types}};
const struct wl_interface kine_callback_interface = {"wl_callback", 1, 0, 0, 1, callback_events};

// Places of the requests in these lists; those of wl_display are libwayland's own.
enum { DISPLAY_SYNC, DISPLAY_GET_REGISTRY };
enum { REGISTRY_BIND };

struct wl_proxy *kine_request(
    struct wl_proxy *proxy, uint32_t number, const struct wl_interface *interface, union wl_argument *arguments) {
    return wl_proxy_marshal_array_flags(proxy, number, interface, wl_proxy_get_version(proxy), 0, arguments);
}

void kine_request_end(struct wl_proxy *proxy, uint32_t number) {
    wl_proxy_marshal_array_flags(proxy, number, 0, wl_proxy_get_version(proxy), WL_MARSHAL_FLAG_DESTROY, 0);
}

struct wl_proxy *kine_listening(struct wl_proxy *proxy, const void *listener, void *context) {
    if (proxy) wl_proxy_add_listener(proxy, (void (**)(void))listener, context);
    return proxy;
}

struct wl_proxy *kine_bind(struct wl_proxy *registry, uint32_t name, const char *interface_name,
                           const struct wl_interface *interface, uint32_t version) {
    union wl_argument arguments[] = {{.u = name}, {.s = interface_name}, {.u = version}, {.n = 0}};
    return wl_proxy_marshal_array_flags(registry, REGISTRY_BIND, interface, version, 0, arguments);
}

struct wl_proxy *kine_get_registry(struct wl_display *display, const kine_registry_listener *listener, void *context) {
    union wl_argument arguments[] = {{.n = 0}};
    return kine_listening(
        kine_request((struct wl_proxy *)display, DISPLAY_GET_REGISTRY, &registry_interface, arguments), listener,
        context);
}

struct wl_proxy *kine_sync(struct wl_display *display, const kine_callback_listener *listener, void *context) {
    union wl_argument arguments[] = {{.n = 0}};
    return kine_listening(
        kine_request((struct wl_proxy *)display, DISPLAY_SYNC, &kine_callback_interface, arguments), listener, context);
}
