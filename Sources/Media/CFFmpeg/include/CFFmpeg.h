// FFmpeg's libraries: AAC, the sample-rate converter, decoding H.264, and images.
#pragma once
#include <libavcodec/avcodec.h>
#include <libavutil/channel_layout.h>
#include <libavutil/error.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>

// AVERROR and friends are macros, so Swift cannot see them.
static inline int kine_averror_again(void) { return AVERROR(EAGAIN); }
static inline int kine_averror_eof(void) { return AVERROR_EOF; }
static inline int kine_averror_invalid_data(void) { return AVERROR_INVALIDDATA; }
static inline int kine_averror_no_memory(void) { return AVERROR(ENOMEM); }

// Loads libavcodec, libavutil and libswresample of the versions these headers are for; 0 where they are not installed. Nothing
// else of them may be called before this has succeeded. Any thread may call.
int kine_load_ffmpeg(void);
