// Preloaded into xdg-desktop-portal-wlr 0.7.0, Debian 12's, which refuses a screen (Start's answer is 2) whose compositor offers its copies
// in shared memory alone, as one without a graphics card does. It is told of a dmabuf beside the shared memory. Without a card it can
// make none, so shared memory is what it agrees upon with its readers. Version 0.8 needs none of this.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

struct wl_proxy;
const char *wl_proxy_get_class(struct wl_proxy *);

enum { DRM_FORMAT_XRGB8888 = 0x34325258 }; // drm_fourcc.h

// The events of zwlr_screencopy_frame_v1 version 3, in the order of wlr-screencopy-unstable-v1.xml.
struct listener {
    void (*buffer)(void *, struct wl_proxy *, uint32_t format, uint32_t width, uint32_t height, uint32_t stride);
    void (*flags)(void *, struct wl_proxy *, uint32_t);
    void (*ready)(void *, struct wl_proxy *, uint32_t, uint32_t, uint32_t);
    void (*failed)(void *, struct wl_proxy *);
    void (*damage)(void *, struct wl_proxy *, uint32_t, uint32_t, uint32_t, uint32_t);
    void (*linux_dmabuf)(void *, struct wl_proxy *, uint32_t format, uint32_t width, uint32_t height);
    void (*buffer_done)(void *, struct wl_proxy *);
};

// The portal has one, for all its frames.
static const struct listener *original;
static struct listener changed;

static void on_buffer(
    void *data, struct wl_proxy *frame, uint32_t format, uint32_t width, uint32_t height, uint32_t stride) {
    original->buffer(data, frame, format, width, height, stride);
    original->linux_dmabuf(data, frame, DRM_FORMAT_XRGB8888, width, height);
}

// In the place of libwayland-client's.
int wl_proxy_add_listener(struct wl_proxy *proxy, void (**implementation)(void), void *data) {
    int (*next)(struct wl_proxy *, void (**)(void), void *) =
        (int (*)(struct wl_proxy *, void (**)(void), void *))dlsym(RTLD_NEXT, "wl_proxy_add_listener");
    if (strcmp(wl_proxy_get_class(proxy), "zwlr_screencopy_frame_v1") == 0) {
        original = (const struct listener *)implementation;
        changed = *original;
        changed.buffer = on_buffer;
        implementation = (void (**)(void))&changed;
    }
    return next(proxy, implementation, data);
}
