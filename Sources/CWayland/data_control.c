// The objects as libwayland wants them: a message is its name, the types of its arguments and, for those that are objects, their
// interfaces (wayland.xml 1.21; ext-data-control-v1; wlr-data-control-unstable-v1, version 1). An interface's own name is only sent
// where a global is bound, so that one description does for both data-control protocols.
#include "CWayland.h"

static const struct wl_interface *no_types[4];

static const struct wl_message registry_requests[] = {{"bind", "usun", no_types}};
static const struct wl_message registry_events[] = {{"global", "usu", no_types}, {"global_remove", "u", no_types}};
static const struct wl_interface registry_interface = {"wl_registry", 1, 1, registry_requests, 2, registry_events};

static const struct wl_message callback_events[] = {{"done", "u", no_types}};
static const struct wl_interface callback_interface = {"wl_callback", 1, 0, 0, 1, callback_events};

// Nothing is asked of a seat.
static const struct wl_message seat_events[] = {{"capabilities", "u", no_types}};
static const struct wl_interface seat_interface = {"wl_seat", 1, 0, 0, 1, seat_events};

static const struct wl_message source_requests[] = {{"offer", "s", no_types}, {"destroy", "", no_types}};
static const struct wl_message source_events[] = {{"send", "sh", no_types}, {"cancelled", "", no_types}};
static const struct wl_interface source_interface = {"data_control_source", 1, 2, source_requests, 2, source_events};
static const struct wl_interface *source_type[] = {&source_interface};

static const struct wl_message offer_requests[] = {{"receive", "sh", no_types}, {"destroy", "", no_types}};
static const struct wl_message offer_events[] = {{"offer", "s", no_types}};
static const struct wl_interface offer_interface = {"data_control_offer", 1, 2, offer_requests, 1, offer_events};
static const struct wl_interface *offer_type[] = {&offer_interface};

static const struct wl_message device_requests[] = {{"set_selection", "?o", source_type}, {"destroy", "", no_types}};
static const struct wl_message device_events[] = {
    {"data_offer", "n", offer_type},
    {"selection", "?o", offer_type},
    {"finished", "", no_types},
    {"primary_selection", "?o", offer_type},
};
static const struct wl_interface device_interface = {"data_control_device", 1, 2, device_requests, 4, device_events};
static const struct wl_interface *device_types[] = {&device_interface, &seat_interface};

static const struct wl_message manager_requests[] = {
    {"create_data_source", "n", source_type}, {"get_data_device", "no", device_types}};
static const struct wl_interface manager_interface = {"data_control_manager", 1, 2, manager_requests, 0, 0};

// Places of the requests in these lists; those of wl_display are libwayland's own.
enum { DISPLAY_SYNC, DISPLAY_GET_REGISTRY };
enum { REGISTRY_BIND };
enum { MANAGER_CREATE_SOURCE, MANAGER_GET_DEVICE };
enum { DEVICE_SET_SELECTION };
enum { SOURCE_OFFER, SOURCE_DESTROY };
enum { OFFER_RECEIVE, OFFER_DESTROY };

// A request that makes an object of `interface`, or none. The argument for the new object's number has no value yet.
static struct wl_proxy *request(
    struct wl_proxy *proxy, uint32_t number, const struct wl_interface *interface, union wl_argument *arguments) {
    return wl_proxy_marshal_array_flags(proxy, number, interface, 1, 0, arguments);
}

static struct wl_proxy *listening(struct wl_proxy *proxy, const void *listener, void *context) {
    if (proxy) wl_proxy_add_listener(proxy, (void (**)(void))listener, context);
    return proxy;
}

static struct wl_proxy *bind(
    struct wl_proxy *registry, uint32_t name, const char *interface_name, const struct wl_interface *interface) {
    union wl_argument arguments[] = {{.u = name}, {.s = interface_name}, {.u = 1}, {.n = 0}};
    return request(registry, REGISTRY_BIND, interface, arguments);
}

struct wl_proxy *kine_get_registry(struct wl_display *display, const kine_registry_listener *listener, void *context) {
    union wl_argument arguments[] = {{.n = 0}};
    return listening(
        request((struct wl_proxy *)display, DISPLAY_GET_REGISTRY, &registry_interface, arguments), listener, context);
}

struct wl_proxy *kine_sync(struct wl_display *display, const kine_callback_listener *listener, void *context) {
    union wl_argument arguments[] = {{.n = 0}};
    return listening(
        request((struct wl_proxy *)display, DISPLAY_SYNC, &callback_interface, arguments), listener, context);
}

const char *kine_data_control_name(kine_data_control protocol) {
    return protocol == KINE_DATA_CONTROL_EXT ? "ext_data_control_manager_v1" : "zwlr_data_control_manager_v1";
}

struct wl_proxy *kine_bind_seat(struct wl_proxy *registry, uint32_t name) {
    return bind(registry, name, seat_interface.name, &seat_interface);
}

struct wl_proxy *kine_bind_data_control(struct wl_proxy *registry, uint32_t name, kine_data_control protocol) {
    return bind(registry, name, kine_data_control_name(protocol), &manager_interface);
}

struct wl_proxy *kine_get_data_device(
    struct wl_proxy *manager, struct wl_proxy *seat, const kine_device_listener *listener, void *context) {
    union wl_argument arguments[] = {{.n = 0}, {.o = (struct wl_object *)seat}};
    return listening(request(manager, MANAGER_GET_DEVICE, &device_interface, arguments), listener, context);
}

void kine_set_selection(struct wl_proxy *device, struct wl_proxy *source) {
    union wl_argument arguments[] = {{.o = (struct wl_object *)source}};
    request(device, DEVICE_SET_SELECTION, 0, arguments);
}

struct wl_proxy *kine_create_source(struct wl_proxy *manager, const kine_source_listener *listener, void *context) {
    union wl_argument arguments[] = {{.n = 0}};
    return listening(request(manager, MANAGER_CREATE_SOURCE, &source_interface, arguments), listener, context);
}

void kine_source_offer(struct wl_proxy *source, const char *type) {
    union wl_argument arguments[] = {{.s = type}};
    request(source, SOURCE_OFFER, 0, arguments);
}

void kine_destroy_source(struct wl_proxy *source) {
    wl_proxy_marshal_array_flags(source, SOURCE_DESTROY, 0, 1, WL_MARSHAL_FLAG_DESTROY, 0);
}

void kine_listen_to_offer(struct wl_proxy *offer, const kine_offer_listener *listener, void *context) {
    listening(offer, listener, context);
}

void kine_offer_receive(struct wl_proxy *offer, const char *type, int32_t descriptor) {
    union wl_argument arguments[] = {{.s = type}, {.h = descriptor}};
    request(offer, OFFER_RECEIVE, 0, arguments);
}

void kine_destroy_offer(struct wl_proxy *offer) {
    wl_proxy_marshal_array_flags(offer, OFFER_DESTROY, 0, 1, WL_MARSHAL_FLAG_DESTROY, 0);
}
