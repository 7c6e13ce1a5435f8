// What Kinecast uses of libwayland-client, and the objects of the protocols ext-data-control-v1 and wlr-data-control-unstable-v1,
// which differ in their names only. Requests and events are those of the protocols; an object is used on one thread.
#pragma once
#include <stdint.h>
#include <wayland-client-core.h>

// Loads libwayland-client; 0 where it is not installed. Nothing else here may be called before this has succeeded. Any thread may
// call. The library's own complaints are not printed.
int kine_load_wayland(void);

// A connection with the compositor of that name, as in WAYLAND_DISPLAY; null where it does not answer. wl_display_connect would use
// the descriptor that WAYLAND_SOCKET names, which is that of the program which started this one.
struct wl_display *kine_connect_wayland(const char *name);

// Every listener's memory and `context` have to outlive the object. Its functions are called while events are dispatched.
typedef struct {
    void (*global)(void *context, struct wl_proxy *registry, uint32_t name, const char *interface, uint32_t version);
    void (*global_remove)(void *context, struct wl_proxy *registry, uint32_t name);
} kine_registry_listener;

struct wl_proxy *kine_get_registry(struct wl_display *display, const kine_registry_listener *listener, void *context);

// `done` comes after all that the compositor has sent before this request. The object is to be destroyed with wl_proxy_destroy.
typedef struct {
    void (*done)(void *context, struct wl_proxy *callback, uint32_t serial);
} kine_callback_listener;

struct wl_proxy *kine_sync(struct wl_display *display, const kine_callback_listener *listener, void *context);

// The data-control manager of a compositor: one of the two protocols.
typedef enum { KINE_DATA_CONTROL_EXT, KINE_DATA_CONTROL_WLR } kine_data_control;

// The name of the manager in the registry.
const char *kine_data_control_name(kine_data_control protocol);

struct wl_proxy *kine_bind_seat(struct wl_proxy *registry, uint32_t name);
struct wl_proxy *kine_bind_data_control(struct wl_proxy *registry, uint32_t name, kine_data_control protocol);

// `data_offer` announces a new offer and has to give it a listener. `selection` or `primary_selection` follows and tells which
// selection the offer is of (null: that selection is empty); the earlier offer of the same selection is no longer valid. `finished`:
// the seat has gone.
typedef struct {
    void (*data_offer)(void *context, struct wl_proxy *device, struct wl_proxy *offer);
    void (*selection)(void *context, struct wl_proxy *device, struct wl_proxy *offer);
    void (*finished)(void *context, struct wl_proxy *device);
    void (*primary_selection)(void *context, struct wl_proxy *device, struct wl_proxy *offer);
} kine_device_listener;

struct wl_proxy *kine_get_data_device(
    struct wl_proxy *manager, struct wl_proxy *seat, const kine_device_listener *listener, void *context);
void kine_set_selection(struct wl_proxy *device, struct wl_proxy *source);

// The descriptor of `send` belongs to the listener.
typedef struct {
    void (*send)(void *context, struct wl_proxy *source, const char *type, int32_t descriptor);
    void (*cancelled)(void *context, struct wl_proxy *source);
} kine_source_listener;

struct wl_proxy *kine_create_source(struct wl_proxy *manager, const kine_source_listener *listener, void *context);
void kine_source_offer(struct wl_proxy *source, const char *type);
void kine_destroy_source(struct wl_proxy *source);

typedef struct {
    void (*offer)(void *context, struct wl_proxy *offer, const char *type);
} kine_offer_listener;

void kine_listen_to_offer(struct wl_proxy *offer, const kine_offer_listener *listener, void *context);
// The descriptor stays the caller's.
void kine_offer_receive(struct wl_proxy *offer, const char *type, int32_t descriptor);
void kine_destroy_offer(struct wl_proxy *offer);
