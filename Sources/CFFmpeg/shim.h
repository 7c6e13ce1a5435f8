// FFmpeg's libraries: AAC and the sample-rate converter.
#pragma once
#include <dlfcn.h>
#include <libavcodec/avcodec.h>
#include <libavutil/channel_layout.h>
#include <libavutil/error.h>
#include <libavutil/macros.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>

// AVERROR and friends are macros, so Swift cannot see them.
static inline int kine_averror_again(void) { return AVERROR(EAGAIN); }
static inline int kine_averror_eof(void) { return AVERROR_EOF; }

// What is used of libavcodec. It is loaded when the first encoder is made, not when the program starts: Debian's brings a
// hundred libraries along, 20 ms and 16 MB that a take without sound does not pay.
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
static inline const struct kine_avcodec *_Nullable kine_avcodec(void) {
    static struct kine_avcodec loaded;
    struct kine_avcodec found, *codec = &found;
    void *library = dlopen("libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    *(void **)&codec->find_encoder_by_name = dlsym(library, "avcodec_find_encoder_by_name");
    *(void **)&codec->alloc_context = dlsym(library, "avcodec_alloc_context3");
    *(void **)&codec->open = dlsym(library, "avcodec_open2");
    *(void **)&codec->free_context = dlsym(library, "avcodec_free_context");
    *(void **)&codec->send_frame = dlsym(library, "avcodec_send_frame");
    *(void **)&codec->receive_packet = dlsym(library, "avcodec_receive_packet");
    *(void **)&codec->packet_alloc = dlsym(library, "av_packet_alloc");
    *(void **)&codec->packet_free = dlsym(library, "av_packet_free");
    *(void **)&codec->packet_unref = dlsym(library, "av_packet_unref");
    int complete = codec->find_encoder_by_name && codec->alloc_context && codec->open && codec->free_context &&
            codec->send_frame && codec->receive_packet && codec->packet_alloc && codec->packet_free && codec->packet_unref;
    if (!complete) return 0;
    loaded = found; // the same values each time
    return &loaded;
}
