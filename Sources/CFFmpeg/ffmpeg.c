// FFmpeg's libraries, loaded when the first encoder or converter of audio is made: Debian's bring a hundred libraries along, 30 ms
// and 20 MB that a take without audio does not pay.
#include "CFFmpeg.h"
#include <dlfcn.h>
#include <libavutil/macros.h>

// libavcodec depends on the other two, so a search that begins there finds what all three have.
static void *library(void) {
    static void *loaded;
    if (!loaded) loaded = dlopen("libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL);
    return loaded;
}

// Defines a function of theirs that finds the real one on its first call. Any thread may be the first: all find the same.
#define FORWARD(result, name, parameters, arguments)                                                                   \
    result name parameters {                                                                                           \
        static __typeof__(name) *function;                                                                             \
        if (!function && library()) *(void **)&function = dlsym(library(), #name);                                     \
        return function arguments;                                                                                     \
    }

FORWARD(AVCodecContext *, avcodec_alloc_context3, (const AVCodec *codec), (codec))
FORWARD(const AVCodec *, avcodec_find_encoder_by_name, (const char *name), (name))
FORWARD(void, avcodec_free_context, (AVCodecContext **context), (context))
FORWARD(int, avcodec_open2, (AVCodecContext *context, const AVCodec *codec, AVDictionary **options),
        (context, codec, options))
FORWARD(int, avcodec_receive_packet, (AVCodecContext *context, AVPacket *packet), (context, packet))
FORWARD(int, avcodec_send_frame, (AVCodecContext *context, const AVFrame *frame), (context, frame))
FORWARD(AVPacket *, av_packet_alloc, (void), ())
FORWARD(void, av_packet_free, (AVPacket **packet), (packet))
FORWARD(void, av_packet_unref, (AVPacket *packet), (packet))

FORWARD(int, av_channel_layout_copy, (AVChannelLayout *target, const AVChannelLayout *source), (target, source))
FORWARD(void, av_channel_layout_default, (AVChannelLayout *layout, int channels), (layout, channels))
FORWARD(AVFrame *, av_frame_alloc, (void), ())
FORWARD(void, av_frame_free, (AVFrame **frame), (frame))
FORWARD(int, av_frame_get_buffer, (AVFrame *frame, int alignment), (frame, alignment))
FORWARD(int, av_frame_make_writable, (AVFrame *frame), (frame))
FORWARD(void, av_log_set_level, (int level), (level))
FORWARD(int, av_opt_set, (void *object, const char *name, const char *value, int flags), (object, name, value, flags))
FORWARD(int, av_opt_set_int, (void *object, const char *name, int64_t value, int flags), (object, name, value, flags))
FORWARD(int, av_strerror, (int code, char *text, size_t size), (code, text, size))

FORWARD(int, swr_alloc_set_opts2,
        (SwrContext **context, AVChannelLayout *out, enum AVSampleFormat out_format, int out_rate,
         AVChannelLayout *in, enum AVSampleFormat in_format, int in_rate, int log_offset, void *log_context),
        (context, out, out_format, out_rate, in, in_format, in_rate, log_offset, log_context))
FORWARD(int, swr_convert, (SwrContext *context, uint8_t **out, int out_count, const uint8_t **in, int in_count),
        (context, out, out_count, in, in_count))
FORWARD(void, swr_free, (SwrContext **context), (context))
FORWARD(int64_t, swr_get_delay, (SwrContext *context, int64_t base), (context, base))
FORWARD(int, swr_get_out_samples, (SwrContext *context, int in_count), (context, in_count))
FORWARD(int, swr_init, (SwrContext *context), (context))
FORWARD(int, swr_set_compensation, (SwrContext *context, int delta, int distance), (context, delta, distance))

int kine_load_ffmpeg(void) { return library() && dlsym(library(), "swr_alloc_set_opts2") != 0; }
