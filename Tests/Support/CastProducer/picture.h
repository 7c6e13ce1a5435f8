// The picture that the producer casts: pixels as 0xRRGGBB, which commands paint and buffers get in any format.
#pragma once
#include <stdint.h>

struct picture {
    uint32_t width, height;
    uint32_t *pixels;
};

// Another size; all pixels are 0.
void picture_resize(struct picture *picture, uint32_t width, uint32_t height);
// Each pixel differs from its neighbours and says where it is.
void picture_fill_pattern(struct picture *picture, uint32_t seed);
void picture_paint(struct picture *picture, int x, int y, int width, int height, uint32_t colour);

// Bytes of a pixel of the SPA_VIDEO_FORMAT_.
uint32_t bytes_of(uint32_t format);
// Writes the picture's first `width`×`height` pixels; what lies outside of the picture is 0.
void picture_copy(
    const struct picture *picture, uint32_t format, uint32_t width, uint32_t height, uint32_t stride, uint8_t *into);
