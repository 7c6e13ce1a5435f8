// FFmpeg's libraries: AAC and the sample-rate converter.
#pragma once
#include <libavcodec/avcodec.h>
#include <libavutil/channel_layout.h>
#include <libavutil/error.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>

// AVERROR and friends are macros, so Swift cannot see them.
static inline int kine_averror_again(void) { return AVERROR(EAGAIN); }
static inline int kine_averror_eof(void) { return AVERROR_EOF; }

// What is used of libavcodec. It is loaded when the first encoder is made, not when the program starts: Debian's brings a
// hundred libraries along, 20 ms and 16 MB that a take without audio does not pay.
struct kine_avcodec {
    __typeof__(avcodec_find_encoder_by_name) *_Nonnull find_encoder_by_name;
    __typeof__(avcodec_alloc_context3) *_Nonnull alloc_context;
    __typeof__(avcodec_open2) *_Nonnull open;
    __typeof__(avcodec_free_context) *_Nonnull free_context;
    __typeof__(avcodec_send_frame) *_Nonnull send_frame;
    __typeof__(avcodec_receive_packet) *_Nonnull receive_packet;
    __typeof__(av_packet_alloc) *_Nonnull packet_alloc;
    __typeof__(av_packet_free) *_Nonnull packet_free;
    __typeof__(av_packet_unref) *_Nonnull packet_unref;
};

// libavcodec of the version these headers are for; null where it is not installed. Loaded once; any thread may call.
const struct kine_avcodec *_Nullable kine_avcodec(void);
