// The libraries that kine_load_xkb loads beside libxkbcommon, a file each; 0 where one is not installed.
#pragma once

int kine_load_xkbcommon_x11(void);
int kine_load_xcb_xkb(void);
