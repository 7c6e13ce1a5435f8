// The mouse of KDE's compositor, moved by a program: org_kde_kwin_fake_input, which KWin gives to everybody where
// KWIN_WAYLAND_NO_PERMISSION_CHECKS is set. One thread uses a pointer.
#pragma once

typedef struct kine_kwin_pointer kine_kwin_pointer;

// Connects with the compositor of that name. Null where there is none, or it has no such interface.
kine_kwin_pointer *kine_kwin_pointer_open(const char *display);
void kine_kwin_pointer_close(kine_kwin_pointer *pointer);

// Return 0, or -1 where the compositor has gone.
int kine_kwin_pointer_move(kine_kwin_pointer *pointer, int x, int y);
int kine_kwin_pointer_press(kine_kwin_pointer *pointer, int is_down);
