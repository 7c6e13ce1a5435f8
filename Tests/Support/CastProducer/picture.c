// See picture.h. Tests compute the same pattern: CastTesting, CastPicture.
#include "picture.h"
#include <spa/param/video/raw.h>
#include <stdlib.h>

void picture_resize(struct picture *picture, uint32_t width, uint32_t height) {
    free(picture->pixels);
    *picture = (struct picture){width, height, calloc((size_t)width * height, sizeof(uint32_t))};
    if (!picture->pixels) abort();
}

void picture_fill_pattern(struct picture *picture, uint32_t seed) {
    for (uint32_t y = 0; y < picture->height; y++)
        for (uint32_t x = 0; x < picture->width; x++)
            picture->pixels[y * picture->width + x] =
                ((x * 7 + seed * 31) & 255) << 16 | ((y * 5 + seed * 17) & 255) << 8 | (((x ^ y) + seed) & 255);
}

void picture_paint(struct picture *picture, int x, int y, int width, int height, uint32_t colour) {
    for (int row = y; row < y + height; row++)
        for (int column = x; column < x + width; column++)
            if (row >= 0 && column >= 0 && row < (int)picture->height && column < (int)picture->width)
                picture->pixels[row * picture->width + column] = colour;
}

uint32_t bytes_of(uint32_t format) { return format == SPA_VIDEO_FORMAT_RGB || format == SPA_VIDEO_FORMAT_BGR ? 3 : 4; }

void picture_copy(
    const struct picture *picture, uint32_t format, uint32_t width, uint32_t height, uint32_t stride, uint8_t *into) {
    int is_red_first =
        format == SPA_VIDEO_FORMAT_RGB || format == SPA_VIDEO_FORMAT_RGBx || format == SPA_VIDEO_FORMAT_RGBA;
    uint32_t bytes = bytes_of(format);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint8_t *place = into + (size_t)y * stride + x * bytes;
            uint32_t pixel = x < picture->width && y < picture->height ? picture->pixels[y * picture->width + x] : 0;
            place[is_red_first ? 0 : 2] = pixel >> 16;
            place[1] = pixel >> 8;
            place[is_red_first ? 2 : 0] = pixel;
            // Without a meaning, or opaque.
            if (bytes == 4)
                place[3] = format == SPA_VIDEO_FORMAT_RGBA || format == SPA_VIDEO_FORMAT_BGRA ? 255 : (uint8_t)(x + y);
        }
}
