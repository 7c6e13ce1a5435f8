// sd-bus, the D-Bus of libsystemd.
#pragma once
#include <systemd/sd-bus.h>

// Loads libsystemd; 0 where it is not installed. Nothing else of it may be called before this has succeeded. Any thread may call.
int kine_load_sdbus(void);
