// A mouse and a keyboard that a compositor of wlroots has as long as they are open. One thread uses them.
#pragma once
#include <stdint.h>

typedef struct kine_input kine_input;

// Plugs both in at the compositor of that name, in the names of WAYLAND_DISPLAY. Null where there is none, or it lacks the protocols:
// `complaint` then says so.
kine_input *kine_input_open(const char *display, const char **complaint);
void kine_input_close(kine_input *input);

// The following return 0 when the compositor has taken them, or -1 where it has gone.

// Moves the pointer to a place of a desktop of `width` × `height` logical pixels.
int kine_input_move(kine_input *input, uint32_t x, uint32_t y, uint32_t width, uint32_t height);
// A button by its number in linux/input-event-codes.h.
int kine_input_button(kine_input *input, uint32_t button, int is_pressed);
// Presses Escape and lets it go.
int kine_input_escape(kine_input *input);
