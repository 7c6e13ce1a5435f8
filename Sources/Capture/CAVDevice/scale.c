// libswscale, loaded with libavformat.
#include "CAVDevice.h"
#include "CLinux.h"
#include <libavutil/macros.h>

LATE_LIBRARY("libswscale.so." AV_STRINGIFY(LIBSWSCALE_VERSION_MAJOR))

LATE_FUNCTION(void, sws_freeContext, (struct SwsContext *context), (context))
LATE_FUNCTION(const int *, sws_getCoefficients, (int colorspace), (colorspace))
LATE_FUNCTION(struct SwsContext *, sws_getCachedContext,
        (struct SwsContext *context, int from_width, int from_height, enum AVPixelFormat from, int to_width, int to_height,
         enum AVPixelFormat to, int flags, SwsFilter *from_filter, SwsFilter *to_filter, const double *parameters),
        (context, from_width, from_height, from, to_width, to_height, to, flags, from_filter, to_filter, parameters))
LATE_FUNCTION(int, sws_scale,
        (struct SwsContext *context, const uint8_t *const from[], const int from_strides[], int y, int height,
         uint8_t *const to[], const int to_strides[]),
        (context, from, from_strides, y, height, to, to_strides))
LATE_FUNCTION(int, sws_setColorspaceDetails,
        (struct SwsContext *context, const int from[4], int from_range, const int to[4], int to_range, int brightness,
         int contrast, int saturation),
        (context, from, from_range, to, to_range, brightness, contrast, saturation))

int kine_load_swscale(void);
int kine_load_swscale(void) { return late_library() != NULL; }

// libswscale's number of the frame's matrix. Cameras that name none use BT.601.
static int matrix(const AVFrame *frame) {
    switch (frame->colorspace) {
    case AVCOL_SPC_BT709: return SWS_CS_ITU709;
    case AVCOL_SPC_BT2020_NCL: return SWS_CS_BT2020;
    case AVCOL_SPC_SMPTE240M: return SWS_CS_SMPTE240M;
    case AVCOL_SPC_FCC: return SWS_CS_FCC;
    default: return SWS_CS_ITU601;
    }
}

int kine_frame_to_bgra(struct SwsContext **context, const AVFrame *frame, int width, uint8_t *bgra, int stride) {
    *context = sws_getCachedContext(
        *context, frame->width, frame->height, (enum AVPixelFormat)frame->format, width, frame->height,
        AV_PIX_FMT_BGRA, SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, NULL, NULL, NULL);
    if (!*context) return AVERROR(EINVAL);
    // The formats named J have full range by their name, which libswscale knows itself.
    sws_setColorspaceDetails(
        *context, sws_getCoefficients(matrix(frame)), frame->color_range == AVCOL_RANGE_JPEG,
        sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16);
    int rows = sws_scale(
        *context, (const uint8_t *const *)frame->data, frame->linesize, 0, frame->height, &bgra, &stride);
    return rows == frame->height ? 0 : AVERROR(EINVAL);
}
