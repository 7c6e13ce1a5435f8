// A window of an X11 display that shows I420 frames of one size.
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct preview_window preview_window;

// Opens a window on the display that DISPLAY names. NULL where there is none, or where its pixels are not 32 bits of BGRX.
// Both sides are even.
preview_window *preview_window_open(const char *title, int width, int height);

// Shows a frame of BT.709 in limited range; strides are in bytes. False once the window or its display is gone.
bool preview_window_show(
    preview_window *window, const uint8_t *y, const uint8_t *u, const uint8_t *v, int luma_stride, int chroma_stride);

void preview_window_close(preview_window *window);
