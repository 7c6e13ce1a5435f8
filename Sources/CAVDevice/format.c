// libavformat and libavdevice, loaded when the first camera is opened.
#include "CAVDevice.h"
#include "CLinux.h"
#include <libavutil/macros.h>

LATE_LIBRARY("libavformat.so." AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR))

LATE_FUNCTION(const AVInputFormat *, av_find_input_format, (const char *name), (name))
LATE_FUNCTION(int, av_find_best_stream,
        (AVFormatContext *context, enum AVMediaType type, int wanted, int related, const AVCodec **decoder, int flags),
        (context, type, wanted, related, decoder, flags))
LATE_FUNCTION(int, av_read_frame, (AVFormatContext *context, AVPacket *packet), (context, packet))
LATE_FUNCTION(int, av_seek_frame, (AVFormatContext *context, int stream, int64_t time, int flags),
        (context, stream, time, flags))
LATE_FUNCTION(void, avformat_close_input, (AVFormatContext **context), (context))
LATE_FUNCTION(int, avformat_find_stream_info, (AVFormatContext *context, AVDictionary **options), (context, options))
LATE_FUNCTION(int, avformat_open_input,
        (AVFormatContext **context, const char *url, const AVInputFormat *format, AVDictionary **options),
        (context, url, format, options))

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
