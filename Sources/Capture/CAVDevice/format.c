// libavformat and libavdevice, loaded when the first camera is opened.
#include "CAVDevice.h"
#include "CLinux.h"
#include <libavutil/macros.h>

LATE_LIBRARY("libavformat.so." AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR))

LATE_FUNCTION(const AVInputFormat *, av_find_input_format, (const char *name), (name))
LATE_FUNCTION(int, av_find_best_stream,
        (AVFormatContext *context, enum AVMediaType type, int wanted, int related, const AVCodec **decoder, int flags),
        (context, type, wanted, related, decoder, flags))
LATE_FUNCTION(AVRational, av_guess_sample_aspect_ratio, (AVFormatContext *context, AVStream *stream, AVFrame *frame),
        (context, stream, frame))
LATE_FUNCTION(int, av_read_frame, (AVFormatContext *context, AVPacket *packet), (context, packet))
LATE_FUNCTION(int, av_seek_frame, (AVFormatContext *context, int stream, int64_t time, int flags),
        (context, stream, time, flags))
LATE_FUNCTION(void, avformat_close_input, (AVFormatContext **context), (context))
LATE_FUNCTION(int, avformat_find_stream_info, (AVFormatContext *context, AVDictionary **options), (context, options))
LATE_FUNCTION(int, avformat_open_input,
        (AVFormatContext **context, const char *url, const AVInputFormat *format, AVDictionary **options),
        (context, url, format, options))

const int32_t *kine_display_matrix(const AVStream *stream, const AVFrame *frame) {
    for (int i = 0; i < frame->nb_side_data; i++) {
        const AVFrameSideData *data = frame->side_data[i];
        if (data->type == AV_FRAME_DATA_DISPLAYMATRIX && data->size >= 36) return (const int32_t *)data->data;
    }
#if LIBAVFORMAT_VERSION_MAJOR < 61
    const AVPacketSideData *all = stream->side_data;
    int count = stream->nb_side_data;
#else
    const AVPacketSideData *all = stream->codecpar->coded_side_data;
    int count = stream->codecpar->nb_coded_side_data;
#endif
    for (int i = 0; i < count; i++) {
        if (all[i].type == AV_PKT_DATA_DISPLAYMATRIX && all[i].size >= 36) return (const int32_t *)all[i].data;
    }
    return NULL;
}

static int load_avformat(void) { return late_library() != NULL; }

int kine_load_swscale(void);

int kine_load_avformat(void) { return load_avformat() && kine_load_swscale(); }

int kine_load_avdevice(void) {
    static _Atomic int is_loaded;
    if (atomic_load(&is_loaded)) return 1;
    void *library = dlopen("libavdevice.so." AV_STRINGIFY(LIBAVDEVICE_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL);
    void (*register_all)(void) = library ? (void (*)(void))dlsym(library, "avdevice_register_all") : NULL;
    if (!register_all) return 0;
    register_all();
    atomic_store(&is_loaded, 1);
    return 1;
}
