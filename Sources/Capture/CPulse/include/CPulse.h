// libpulse's asynchronous interface; it serves PulseAudio and PipeWire alike.
#pragma once
#include <pulse/pulseaudio.h>

// Loads libpulse; 0 where it is not installed. Nothing else of it may be called before this has succeeded. Any thread may call.
int kine_load_pulse(void);
