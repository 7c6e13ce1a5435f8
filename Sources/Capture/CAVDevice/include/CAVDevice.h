// FFmpeg's libraries for cameras: libavformat opens files, libavdevice adds devices to what it opens, libswscale makes BGRA of what
// they give. Their codecs are CFFmpeg's.
#pragma once
#include <libavdevice/avdevice.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>

// Loads libavformat and libswscale of the versions these headers are for; 0 where they are not installed. Nothing else of them may
// be called before this has succeeded. Any thread may call.
int kine_load_avformat(void);

// Registers devices with libavformat; 0 where libavdevice of the version these headers are for is not installed. Any thread may call.
int kine_load_avdevice(void);

// The display matrix of a frame, or else of its stream (libavutil/display.h): nine numbers, or NULL where there is none.
const int32_t *kine_display_matrix(const AVStream *stream, const AVFrame *frame);

// Converts a frame to BGRA with libswscale, in the frame's height and that width; rows of `stride` bytes. `context` is made, or made anew
// for another kind of frame. Returns 0, or a code of libavutil's.
int kine_frame_to_bgra(struct SwsContext **context, const AVFrame *frame, int width, uint8_t *bgra, int stride);
