// The mouse and the keyboard of KDE's compositor, moved by a program: org_kde_kwin_fake_input, which KWin gives to every program where
// KWIN_WAYLAND_NO_PERMISSION_CHECKS is set. One thread uses it.
#pragma once

typedef struct kine_kwin_input kine_kwin_input;

// Connects with the compositor of that name. Null where there is none, or it has no such interface.
kine_kwin_input *kine_kwin_input_open(const char *display);
void kine_kwin_input_close(kine_kwin_input *input);

// Return 0, or -1 where the compositor has gone.
int kine_kwin_input_move(kine_kwin_input *input, int x, int y);
// `button` and `key`: of linux/input-event-codes.h.
int kine_kwin_input_press(kine_kwin_input *input, unsigned button, int is_down);
int kine_kwin_input_key(kine_kwin_input *input, unsigned key, int is_down);
