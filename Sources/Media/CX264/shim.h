// libx264's C interface, reached directly because libavcodec does not pass mb_info on.
#pragma once
#include <stdint.h>
#include <x264.h>

// x264_encoder_open is a macro that carries the ABI number, so Swift cannot see it.
static inline x264_t *kine_x264_encoder_open(x264_param_t *parameters) { return x264_encoder_open(parameters); }
