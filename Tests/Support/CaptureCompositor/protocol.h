// The protocols of this compositor that are not in libwayland-server, written from their own texts and apart from Sources/Capture/CWayland: what
// either side has wrong, the other refuses.
#pragma once
#include <wayland-server.h>

// xdg-output-unstable-v1
extern const struct wl_interface xdg_output_manager_interface, xdg_output_interface;
enum { XDG_OUTPUT_POSITION, XDG_OUTPUT_SIZE, XDG_OUTPUT_DONE, XDG_OUTPUT_NAME };
struct xdg_output_manager_requests {
    void (*destroy)(struct wl_client *client, struct wl_resource *manager);
    void (*get_xdg_output)(
        struct wl_client *client, struct wl_resource *manager, uint32_t number, struct wl_resource *output);
};

// For every object whose only request ends it.
struct destroy_requests {
    void (*destroy)(struct wl_client *client, struct wl_resource *resource);
};

// ext-image-capture-source-v1
extern const struct wl_interface source_manager_interface, source_interface;
struct source_manager_requests {
    void (*create_source)(
        struct wl_client *client, struct wl_resource *manager, uint32_t number, struct wl_resource *output);
    void (*destroy)(struct wl_client *client, struct wl_resource *manager);
};

// ext-image-copy-capture-v1
extern const struct wl_interface capture_manager_interface, session_interface, frame_interface;
enum { OPTION_PAINT_CURSORS = 1 };
enum { MANAGER_INVALID_OPTION = 1 };
struct capture_manager_requests {
    void (*create_session)(struct wl_client *client, struct wl_resource *manager, uint32_t number,
                           struct wl_resource *source, uint32_t options);
    void (*create_pointer_cursor_session)(struct wl_client *client, struct wl_resource *manager, uint32_t number,
                                          struct wl_resource *source, struct wl_resource *pointer);
    void (*destroy)(struct wl_client *client, struct wl_resource *manager);
};
enum { SESSION_BUFFER_SIZE, SESSION_SHM_FORMAT, SESSION_DMABUF_DEVICE, SESSION_DMABUF_FORMAT, SESSION_DONE, SESSION_STOPPED };
enum { SESSION_DUPLICATE_FRAME = 1 };
struct session_requests {
    void (*create_frame)(struct wl_client *client, struct wl_resource *session, uint32_t number);
    void (*destroy)(struct wl_client *client, struct wl_resource *session);
};
enum { FRAME_TRANSFORM, FRAME_DAMAGE, FRAME_PRESENTATION_TIME, FRAME_READY, FRAME_FAILED };
enum { FRAME_NO_BUFFER = 1, FRAME_INVALID_BUFFER_DAMAGE = 2, FRAME_ALREADY_CAPTURED = 3 };
enum { FAILED_UNKNOWN, FAILED_BUFFER_CONSTRAINTS, FAILED_STOPPED };
struct frame_requests {
    void (*destroy)(struct wl_client *client, struct wl_resource *frame);
    void (*attach_buffer)(struct wl_client *client, struct wl_resource *frame, struct wl_resource *buffer);
    void (*damage_buffer)(struct wl_client *client, struct wl_resource *frame, int32_t x, int32_t y, int32_t width,
                          int32_t height);
    void (*capture)(struct wl_client *client, struct wl_resource *frame);
};
