// What Kinecast uses of libwayland-client, and the objects of the protocols that it uses: those of the clipboard (ext-data-control-v1 and
// wlr-data-control-unstable-v1, which differ in their names only), outputs (xdg-output-unstable-v1) and frames of them
// (wlr-screencopy-unstable-v1; ext-image-copy-capture-v1). Requests and events are those of the protocols; an object is used on one thread.
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

#include "CWaylandWindow.h"

// MARK: Clipboard (data_control.c)

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

// MARK: Outputs and memory (outputs.c)

// The newest versions of the globals that are known here; the compositor's may be lower.
#define KINE_OUTPUT_VERSION 4
#define KINE_OUTPUT_LAYOUT_VERSION 3

// `name` and `description` come from version 4 on, `scale` and `done` from version 2 on. `transform` has the values of
// wl_output.transform. Of a mode, `flags` has bit 0 where it is the current one; `refresh` is in mHz, 0 where there is none.
typedef struct {
    void (*geometry)(void *context, struct wl_proxy *output, int32_t x, int32_t y, int32_t physical_width,
                     int32_t physical_height, int32_t subpixel, const char *make, const char *model, int32_t transform);
    void (*mode)(void *context, struct wl_proxy *output, uint32_t flags, int32_t width, int32_t height, int32_t refresh);
    void (*done)(void *context, struct wl_proxy *output);
    void (*scale)(void *context, struct wl_proxy *output, int32_t factor);
    void (*name)(void *context, struct wl_proxy *output, const char *name);
    void (*description)(void *context, struct wl_proxy *output, const char *description);
} kine_output_listener;

struct wl_proxy *kine_bind_output(
    struct wl_proxy *registry, uint32_t name, uint32_t version, const kine_output_listener *listener, void *context);
void kine_destroy_output(struct wl_proxy *output);

// Where an output lies on the desktop, in logical pixels: those that windows are measured in.
typedef struct {
    void (*position)(void *context, struct wl_proxy *logical, int32_t x, int32_t y);
    void (*size)(void *context, struct wl_proxy *logical, int32_t width, int32_t height);
    void (*done)(void *context, struct wl_proxy *logical);
    void (*name)(void *context, struct wl_proxy *logical, const char *name);
    void (*description)(void *context, struct wl_proxy *logical, const char *description);
} kine_logical_output_listener;

struct wl_proxy *kine_bind_output_layout(struct wl_proxy *registry, uint32_t name, uint32_t version);
struct wl_proxy *kine_get_logical_output(struct wl_proxy *layout, struct wl_proxy *output,
                                         const kine_logical_output_listener *listener, void *context);
void kine_destroy_logical_output(struct wl_proxy *logical);

struct wl_proxy *kine_bind_memory(struct wl_proxy *registry, uint32_t name);

// A buffer in a memory file of `stride` × `height` bytes; the descriptor stays the caller's. `format` is one of wl_shm.format. Null where
// there is no memory for it.
struct wl_proxy *kine_make_buffer(struct wl_proxy *memory, int32_t descriptor, int32_t width, int32_t height,
                                  int32_t stride, uint32_t format);
void kine_destroy_buffer(struct wl_proxy *buffer);

// MARK: Frames of outputs (screencopy.c)

#define KINE_SCREENCOPY_VERSION 3

// `buffer` tells what the memory has to be; from version 3 on `buffer_done` follows, and before that `buffer` is the last of them. After
// kine_copy_frame come `flags` (bit 0: the rows are from the bottom up), each `damage`, in pixels of the output, and then `ready`, with the
// time of CLOCK_MONOTONIC that the frame was shown at; or else `failed`.
typedef struct {
    void (*buffer)(void *context, struct wl_proxy *frame, uint32_t format, uint32_t width, uint32_t height, uint32_t stride);
    void (*flags)(void *context, struct wl_proxy *frame, uint32_t flags);
    void (*ready)(void *context, struct wl_proxy *frame, uint32_t seconds_high, uint32_t seconds_low, uint32_t nanoseconds);
    void (*failed)(void *context, struct wl_proxy *frame);
    void (*damage)(void *context, struct wl_proxy *frame, uint32_t x, uint32_t y, uint32_t width, uint32_t height);
    void (*linux_dmabuf)(void *context, struct wl_proxy *frame, uint32_t format, uint32_t width, uint32_t height);
    void (*buffer_done)(void *context, struct wl_proxy *frame);
} kine_frame_listener;

struct wl_proxy *kine_bind_screencopy(struct wl_proxy *registry, uint32_t name, uint32_t version);
struct wl_proxy *kine_capture_output(struct wl_proxy *manager, struct wl_proxy *output, int32_t with_cursor,
                                     const kine_frame_listener *listener, void *context);
// The rectangle is in logical pixels, from the output's corner.
struct wl_proxy *kine_capture_region(struct wl_proxy *manager, struct wl_proxy *output, int32_t with_cursor, int32_t x,
                                     int32_t y, int32_t width, int32_t height, const kine_frame_listener *listener,
                                     void *context);
// Waiting for damage takes version 2.
void kine_copy_frame(struct wl_proxy *frame, struct wl_proxy *buffer, int32_t waits_for_damage);
void kine_destroy_frame(struct wl_proxy *frame);

// MARK: Frames of outputs (image_capture.c)

// `buffer_size`, each `shm_format` and what is told of other memory tell what the next frames' memory has to be, and end with `done`; that
// may change at any time. After `stopped` the session gives no frames any more.
typedef struct {
    void (*buffer_size)(void *context, struct wl_proxy *session, uint32_t width, uint32_t height);
    void (*shm_format)(void *context, struct wl_proxy *session, uint32_t format);
    void (*dmabuf_device)(void *context, struct wl_proxy *session, struct wl_array *device);
    void (*dmabuf_format)(void *context, struct wl_proxy *session, uint32_t format, struct wl_array *modifiers);
    void (*done)(void *context, struct wl_proxy *session);
    void (*stopped)(void *context, struct wl_proxy *session);
} kine_capture_session_listener;

// ext_image_copy_capture_frame_v1.failure_reason. Others are like the first.
typedef enum {
    KINE_CAPTURE_FAILED_UNKNOWN,
    KINE_CAPTURE_FAILED_CONSTRAINTS,
    KINE_CAPTURE_FAILED_STOPPED,
} kine_capture_failure;

// `transform` (as wl_output.transform), each `damage` in pixels of the buffer, and the time of CLOCK_MONOTONIC that the frame is shown at
// come before `ready`; or else `failed`.
typedef struct {
    void (*transform)(void *context, struct wl_proxy *frame, uint32_t transform);
    void (*damage)(void *context, struct wl_proxy *frame, int32_t x, int32_t y, int32_t width, int32_t height);
    void (*presentation_time)(void *context, struct wl_proxy *frame, uint32_t seconds_high, uint32_t seconds_low,
                              uint32_t nanoseconds);
    void (*ready)(void *context, struct wl_proxy *frame);
    void (*failed)(void *context, struct wl_proxy *frame, uint32_t reason);
} kine_captured_frame_listener;

struct wl_proxy *kine_bind_capture_sources(struct wl_proxy *registry, uint32_t name);
struct wl_proxy *kine_bind_image_capture(struct wl_proxy *registry, uint32_t name);
struct wl_proxy *kine_create_capture_source(struct wl_proxy *sources, struct wl_proxy *output);
void kine_destroy_capture_source(struct wl_proxy *source);
struct wl_proxy *kine_create_capture_session(struct wl_proxy *manager, struct wl_proxy *source, int32_t with_cursor,
                                             const kine_capture_session_listener *listener, void *context);
void kine_destroy_capture_session(struct wl_proxy *session);

// A session has one frame at most: the one before has to be destroyed first. A frame gets a buffer, the damage that this buffer has missed,
// and is then captured once.
struct wl_proxy *kine_create_captured_frame(
    struct wl_proxy *session, const kine_captured_frame_listener *listener, void *context);
void kine_attach_to_captured_frame(struct wl_proxy *frame, struct wl_proxy *buffer);
void kine_damage_captured_frame(struct wl_proxy *frame, int32_t x, int32_t y, int32_t width, int32_t height);
void kine_capture_frame(struct wl_proxy *frame);
void kine_destroy_captured_frame(struct wl_proxy *frame);
