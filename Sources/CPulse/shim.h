// libpulse's asynchronous interface; it serves PulseAudio and PipeWire alike.
#pragma once
#include <pulse/pulseaudio.h>
