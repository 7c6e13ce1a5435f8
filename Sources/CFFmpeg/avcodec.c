// Loading libavcodec.
#include "CFFmpeg.h"
#include <dlfcn.h>
#include <libavutil/macros.h>

const struct kine_avcodec *kine_avcodec(void) {
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
