// The clipboard's objects (wayland.xml 1.21; ext-data-control-v1; wlr-data-control-unstable-v1, version 1). An interface's own name is
// only sent where a global is bound, so that one description does for both data-control protocols.
#include "objects.h"

// Nothing is asked of a seat.
static const struct wl_message seat_events[] = {{"capabilities", "u", kine_no_types}};
static const struct wl_interface seat_interface = {"wl_seat", 1, 0, 0, 1, seat_events};

static const struct wl_message source_requests[] = {{"offer", "s", kine_no_types}, {"destroy", "", kine_no_types}};
static const struct wl_message source_events[] = {{"send", "sh", kine_no_types}, {"cancelled", "", kine_no_types}};
static const struct wl_interface source_interface = {"data_control_source", 1, 2, source_requests, 2, source_events};
static const struct wl_interface *source_type[] = {&source_interface};

static const struct wl_message offer_requests[] = {{"receive", "sh", kine_no_types}, {"destroy", "", kine_no_types}};
static const struct wl_message offer_events[] = {{"offer", "s", kine_no_types}};
static const struct wl_interface offer_interface = {"data_control_offer", 1, 2, offer_requests, 1, offer_events};
static const struct wl_interface *offer_type[] = {&offer_interface};

static const struct wl_message device_requests[] = {{"set_selection", "?o", source_type}, {"destroy", "", kine_no_types}};
static const struct wl_message device_events[] = {
    {"data_offer", "n", offer_type},
    {"selection", "?o", offer_type},
    {"finished", "", kine_no_types},
    {"primary_selection", "?o", offer_type},
};
static const struct wl_interface device_interface = {"data_control_device", 1, 2, device_requests, 4, device_events};
static const struct wl_interface *device_types[] = {&device_interface, &seat_interface};

static const struct wl_message manager_requests[] = {
    {"create_data_source", "n", source_type}, {"get_data_device", "no", device_types}};
static const struct wl_interface manager_interface = {"data_control_manager", 1, 2, manager_requests, 0, 0};

// Places of the requests in these lists.
enum { MANAGER_CREATE_SOURCE, MANAGER_GET_DEVICE };
enum { DEVICE_SET_SELECTION };
enum { SOURCE_OFFER, SOURCE_DESTROY };
enum { OFFER_RECEIVE, OFFER_DESTROY };

const char *kine_data_control_name(kine_data_control protocol) {
    return protocol == KINE_DATA_CONTROL_EXT ? "ext_data_control_manager_v1" : "zwlr_data_control_manager_v1";
}

struct wl_proxy *kine_bind_seat(struct wl_proxy *registry, uint32_t name) {
    return kine_bind(registry, name, seat_interface.name, &seat_interface, 1);
}

struct wl_proxy *kine_bind_data_control(struct wl_proxy *registry, uint32_t name, kine_data_control protocol) {
    return kine_bind(registry, name, kine_data_control_name(protocol), &manager_interface, 1);
}

struct wl_proxy *kine_get_data_device(
    struct wl_proxy *manager, struct wl_proxy *seat, const kine_device_listener *listener, void *context) {
    union wl_argument arguments[] = {{.n = 0}, {.o = (struct wl_object *)seat}};
    return kine_listening(kine_request(manager, MANAGER_GET_DEVICE, &device_interface, arguments), listener, context);
}

void kine_set_selection(struct wl_proxy *device, struct wl_proxy *source) {
    union wl_argument arguments[] = {{.o = (struct wl_object *)source}};
    kine_request(device, DEVICE_SET_SELECTION, 0, arguments);
}

struct wl_proxy *kine_create_source(struct wl_proxy *manager, const kine_source_listener *listener, void *context) {
    union wl_argument arguments[] = {{.n = 0}};
    return kine_listening(kine_request(manager, MANAGER_CREATE_SOURCE, &source_interface, arguments), listener, context);
}

void kine_source_offer(struct wl_proxy *source, const char *type) {
    union wl_argument arguments[] = {{.s = type}};
    kine_request(source, SOURCE_OFFER, 0, arguments);
}

void kine_destroy_source(struct wl_proxy *source) {
    kine_request_end(source, SOURCE_DESTROY);
}

void kine_listen_to_offer(struct wl_proxy *offer, const kine_offer_listener *listener, void *context) {
    kine_listening(offer, listener, context);
}

void kine_offer_receive(struct wl_proxy *offer, const char *type, int32_t descriptor) {
    union wl_argument arguments[] = {{.s = type}, {.h = descriptor}};
    kine_request(offer, OFFER_RECEIVE, 0, arguments);
}

void kine_destroy_offer(struct wl_proxy *offer) {
    kine_request_end(offer, OFFER_DESTROY);
}
