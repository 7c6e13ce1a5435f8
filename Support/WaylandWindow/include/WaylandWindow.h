// A window of a Wayland client, drawn in shared memory, for scenes and for tests. One thread uses a window.
#pragma once
#include "WaylandInput.h"
#include <stdint.h>

typedef struct kine_window kine_window;

enum { KINE_LAYER_TOP = 2, KINE_LAYER_OVERLAY = 3 };

// Where a window is shown.
typedef struct {
    // 0: an ordinary window (xdg-shell). Otherwise a surface at `x`, `y` of the output which takes no room from windows
    // (wlr-layer-shell-unstable-v1): one of KINE_LAYER_TOP, above windows, and KINE_LAYER_OVERLAY, above those.
    uint32_t layer;
    int32_t x, y;
    // The size in pixels; 0 for an ordinary window: all of the output.
    int32_t width, height;
    // Null: the compositor chooses the output.
    const char *output;
} kine_window_place;

// Opens a window with WAYLAND_DISPLAY's compositor, or that of a name. Nothing is shown yet. Null where there is no such compositor, or it
// lacks what the window needs: `complaint` then says so.
kine_window *kine_window_open(
    const char *display, const char *title, const kine_window_place *place, const char **complaint);
void kine_window_close(kine_window *window);

// The pixels, rows of `width` × 0x00RRGGBB; they stay as they were drawn.
uint32_t *kine_window_pixels(kine_window *window);
int32_t kine_window_width(const kine_window *window);
int32_t kine_window_height(const kine_window *window);

// Says that a rectangle of the pixels has changed since the last kine_window_show.
void kine_window_damage(kine_window *window, int32_t x, int32_t y, int32_t width, int32_t height);

// Shows the pixels, and waits until the compositor has drawn them. Returns 0, or -1 where it has gone.
int kine_window_show(kine_window *window);

// The same without waiting for more than that the compositor has them: it draws none of a window that others cover.
int kine_window_update(kine_window *window);

// Gives an ordinary window another size; its pixels are black. Nothing changes on the screen before the next kine_window_show. Returns 0, or
// -1 where there is no memory for it.
int kine_window_resize(kine_window *window, int32_t width, int32_t height);

// Takes the window away, and waits until the compositor has. Returns 0, or -1 where it has gone.
int kine_window_hide(kine_window *window);
