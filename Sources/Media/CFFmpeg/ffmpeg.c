// FFmpeg's libraries, loaded when the first of their encoders, decoders or converters is made: a take without audio loads neither
// them nor the libraries that Debian's depend on.
#include "CFFmpeg.h"
#include "CLinux.h"
#include <libavutil/macros.h>

// libavcodec depends on libavutil and libswresample, so a search that begins there finds the functions of all three.
LATE_LIBRARY("libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR))

LATE_FUNCTION(AVCodecContext *, avcodec_alloc_context3, (const AVCodec *codec), (codec))
LATE_FUNCTION(const AVCodec *, avcodec_find_decoder_by_name, (const char *name), (name))
LATE_FUNCTION(const AVCodec *, avcodec_find_encoder_by_name, (const char *name), (name))
LATE_FUNCTION(const AVCodec *, avcodec_find_decoder, (enum AVCodecID id), (id))
LATE_FUNCTION(void, avcodec_flush_buffers, (AVCodecContext *context), (context))
LATE_FUNCTION(void, avcodec_free_context, (AVCodecContext **context), (context))
LATE_FUNCTION(int, avcodec_open2, (AVCodecContext *context, const AVCodec *codec, AVDictionary **options),
        (context, codec, options))
LATE_FUNCTION(int, avcodec_parameters_to_context, (AVCodecContext *context, const AVCodecParameters *parameters),
        (context, parameters))
LATE_FUNCTION(int, avcodec_receive_frame, (AVCodecContext *context, AVFrame *frame), (context, frame))
LATE_FUNCTION(int, avcodec_receive_packet, (AVCodecContext *context, AVPacket *packet), (context, packet))
LATE_FUNCTION(int, avcodec_send_frame, (AVCodecContext *context, const AVFrame *frame), (context, frame))
LATE_FUNCTION(int, avcodec_send_packet, (AVCodecContext *context, const AVPacket *packet), (context, packet))
LATE_FUNCTION(int, av_new_packet, (AVPacket *packet, int size), (packet, size))
LATE_FUNCTION(AVPacket *, av_packet_alloc, (void), ())
LATE_FUNCTION(void, av_packet_free, (AVPacket **packet), (packet))
LATE_FUNCTION(void, av_packet_unref, (AVPacket *packet), (packet))

LATE_FUNCTION(int, av_channel_layout_copy, (AVChannelLayout *target, const AVChannelLayout *source), (target, source))
LATE_FUNCTION(void, av_channel_layout_default, (AVChannelLayout *layout, int channels), (layout, channels))
LATE_FUNCTION(int, av_dict_set, (AVDictionary **options, const char *key, const char *value, int flags),
        (options, key, value, flags))
LATE_FUNCTION(void, av_dict_free, (AVDictionary **options), (options))
LATE_FUNCTION(AVFrame *, av_frame_alloc, (void), ())
LATE_FUNCTION(void, av_frame_free, (AVFrame **frame), (frame))
LATE_FUNCTION(int, av_frame_get_buffer, (AVFrame *frame, int alignment), (frame, alignment))
LATE_FUNCTION(int, av_frame_make_writable, (AVFrame *frame), (frame))
LATE_FUNCTION(void, av_frame_unref, (AVFrame *frame), (frame))
LATE_FUNCTION(void, av_log_set_level, (int level), (level))
LATE_FUNCTION(void *, av_mallocz, (size_t size), (size))
LATE_FUNCTION(int, av_opt_set, (void *object, const char *name, const char *value, int flags),
        (object, name, value, flags))
LATE_FUNCTION(int, av_opt_set_int, (void *object, const char *name, int64_t value, int flags),
        (object, name, value, flags))
LATE_FUNCTION(int, av_strerror, (int code, char *text, size_t size), (code, text, size))

// FFmpeg 7 declares these parameters const.
#if LIBSWRESAMPLE_VERSION_MAJOR >= 5
typedef const AVChannelLayout layout;
typedef uint8_t *const *planes_out;
typedef const uint8_t *const *planes_in;
#else
typedef AVChannelLayout layout;
typedef uint8_t **planes_out;
typedef const uint8_t **planes_in;
#endif

LATE_FUNCTION(int, swr_alloc_set_opts2,
        (SwrContext **context, layout *out, enum AVSampleFormat out_format, int out_rate,
         layout *in, enum AVSampleFormat in_format, int in_rate, int log_offset, void *log_context),
        (context, out, out_format, out_rate, in, in_format, in_rate, log_offset, log_context))
LATE_FUNCTION(int, swr_convert, (SwrContext *context, planes_out out, int out_count, planes_in in, int in_count),
        (context, out, out_count, in, in_count))
LATE_FUNCTION(void, swr_free, (SwrContext **context), (context))
LATE_FUNCTION(int64_t, swr_get_delay, (SwrContext *context, int64_t base), (context, base))
LATE_FUNCTION(int, swr_get_out_samples, (SwrContext *context, int in_count), (context, in_count))
LATE_FUNCTION(int, swr_init, (SwrContext *context), (context))
LATE_FUNCTION(int, swr_set_compensation, (SwrContext *context, int delta, int distance), (context, delta, distance))

// FFmpeg 5.0 has a libavcodec of the same number as 5.1, and not all of these functions: it counts as not installed.
int kine_load_ffmpeg(void) { return late_library() != 0; }
