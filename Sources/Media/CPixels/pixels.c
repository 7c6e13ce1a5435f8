// Plain loops that the compiler turns into vector code, once for AVX2 and once for every machine of the architecture; the
// loader picks.
#include "CPixels.h"
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Not under the thread sanitizer: the function that picks runs before the sanitizer is ready for it.
#if defined(__x86_64__) && !__has_feature(thread_sanitizer)
#define VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define VECTORISED
#endif

// BT.709: Y' = 0.2126 R' + 0.7152 G' + 0.0722 B'; Cb = (B' - Y') / 1.8556 and Cr = (R' - Y') / 1.5748, around 128. In 1/65536ths;
// each chroma row sums to zero, so that grey stays exactly grey.
typedef struct {
    uint32_t y_r, y_g, y_b, black;
    int32_t u_r, u_g, u_b, v_r, v_g, v_b;
} matrix;

/// Luma is scaled to 16…235, chroma to 16…240.
static const matrix LIMITED = {
    .y_r = 11966, .y_g = 40254, .y_b = 4064, .black = 16,
    .u_r = -6596, .u_g = -22188, .u_b = 28784,
    .v_r = 28784, .v_g = -26145, .v_b = -2639,
};

/// Luma is scaled to 0…255, chroma to 0.5…255.5. The largest factor of chroma is 32767 instead of 32768: pure blue and red then end at
/// 255, where ITU-T H.273, 8.3 clips them.
static const matrix FULL = {
    .y_r = 13933, .y_g = 46871, .y_b = 4732, .black = 0,
    .u_r = -7508, .u_g = -25259, .u_b = 32767,
    .v_r = 32767, .v_g = -29763, .v_b = -3004,
};

// The bodies of the loops; each range has copies in which its matrix is constant.
#define BODY static inline __attribute__((always_inline))

BODY void luma_of(const uint32_t *restrict bgra, uint8_t *restrict y, int width, matrix m) {
    for (int x = 0; x < width; x++) {
        uint32_t p = bgra[x];
        uint32_t sum = (p & 255) * m.y_b + ((p >> 8) & 255) * m.y_g + ((p >> 16) & 255) * m.y_r;
        y[x] = (uint8_t)((sum + (m.black << 16) + (1 << 15)) >> 16);
    }
}

BODY void chroma_of_squares(const uint64_t *restrict top, const uint64_t *restrict bottom, uint8_t *restrict u,
                            uint8_t *restrict v, int pairs, matrix m) {
    for (int x = 0; x < pairs; x++) {
        uint64_t t = top[x], l = bottom[x];
        uint32_t t0 = (uint32_t)t, t1 = (uint32_t)(t >> 32), l0 = (uint32_t)l, l1 = (uint32_t)(l >> 32);
        uint32_t red_blue = (t0 & 0xff00ff) + (t1 & 0xff00ff) + (l0 & 0xff00ff) + (l1 & 0xff00ff);
        uint32_t both_green = ((t0 >> 8) & 0xff) + ((t1 >> 8) & 0xff) + ((l0 >> 8) & 0xff) + ((l1 >> 8) & 0xff);
        int32_t red = (int32_t)(red_blue >> 16), blue = (int32_t)(red_blue & 0xffff), green = (int32_t)both_green;
        u[x] = (uint8_t)((blue * m.u_b + green * m.u_g + red * m.u_r + (128 << 18) + (1 << 17)) >> 18);
        v[x] = (uint8_t)((blue * m.v_b + green * m.v_g + red * m.v_r + (128 << 18) + (1 << 17)) >> 18);
    }
}

BODY void chroma_of_pixels(const uint32_t *restrict bgra, uint8_t *restrict u, uint8_t *restrict v, int width,
                           matrix m) {
    for (int x = 0; x < width; x++) {
        int32_t p = (int32_t)bgra[x];
        int32_t blue = p & 255, green = (p >> 8) & 255, red = (p >> 16) & 255;
        u[x] = (uint8_t)((blue * m.u_b + green * m.u_g + red * m.u_r + (128 << 16) + (1 << 15)) >> 16);
        v[x] = (uint8_t)((blue * m.v_b + green * m.v_g + red * m.v_r + (128 << 16) + (1 << 15)) >> 16);
    }
}

#define FORWARD_ROWS(range, constants)                                                                                 \
    VECTORISED static void range##_luma(const uint32_t *restrict bgra, uint8_t *restrict y, int width) {               \
        luma_of(bgra, y, width, constants);                                                                            \
    }                                                                                                                  \
    VECTORISED static void range##_squares(const uint64_t *restrict top, const uint64_t *restrict bottom,              \
                                           uint8_t *restrict u, uint8_t *restrict v, int pairs) {                      \
        chroma_of_squares(top, bottom, u, v, pairs, constants);                                                        \
    }                                                                                                                  \
    VECTORISED static void range##_pixels(const uint32_t *restrict bgra, uint8_t *restrict u, uint8_t *restrict v,     \
                                          int width) {                                                                 \
        chroma_of_pixels(bgra, u, v, width, constants);                                                                \
    }

FORWARD_ROWS(limited, LIMITED)
FORWARD_ROWS(full, FULL)

typedef void luma_row(const uint32_t *restrict bgra, uint8_t *restrict y, int width);
typedef void squares_row(const uint64_t *restrict top, const uint64_t *restrict bottom, uint8_t *restrict u,
                         uint8_t *restrict v, int pairs);
typedef void pixels_row(const uint32_t *restrict bgra, uint8_t *restrict u, uint8_t *restrict v, int width);

static void bgra_to_i420(const uint8_t *bgra, ptrdiff_t bgra_stride, uint8_t *y, ptrdiff_t y_stride, uint8_t *u,
                         ptrdiff_t u_stride, uint8_t *v, ptrdiff_t v_stride, int width, int height, luma_row *luma,
                         squares_row *chroma) {
    for (int row = 0; row < height; row += 2) {
        const uint8_t *top = bgra + row * bgra_stride;
        const uint8_t *bottom = row + 1 < height ? top + bgra_stride : top;
        luma((const uint32_t *)top, y + row * y_stride, width);
        if (row + 1 < height) luma((const uint32_t *)bottom, y + (row + 1) * y_stride, width);
        uint8_t *u_row = u + row / 2 * u_stride, *v_row = v + row / 2 * v_stride;
        chroma((const uint64_t *)top, (const uint64_t *)bottom, u_row, v_row, width / 2);
        if (width & 1) {
            uint32_t last[2][2];
            memcpy(&last[0][0], top + 4 * (width - 1), 4);
            memcpy(&last[1][0], bottom + 4 * (width - 1), 4);
            last[0][1] = last[0][0];
            last[1][1] = last[1][0];
            uint64_t pair[2];
            memcpy(pair, last, sizeof pair);
            chroma(&pair[0], &pair[1], u_row + width / 2, v_row + width / 2, 1);
        }
    }
}

void kine_bgra_to_planes(const uint8_t *bgra, ptrdiff_t bgra_stride, uint8_t *y, ptrdiff_t y_stride, uint8_t *u,
                         ptrdiff_t u_stride, uint8_t *v, ptrdiff_t v_stride, int width, int height, bool is_full_range,
                         bool is_444) {
    luma_row *luma = is_full_range ? full_luma : limited_luma;
    if (!is_444) {
        squares_row *chroma = is_full_range ? full_squares : limited_squares;
        bgra_to_i420(bgra, bgra_stride, y, y_stride, u, u_stride, v, v_stride, width, height, luma, chroma);
        return;
    }
    pixels_row *chroma = is_full_range ? full_pixels : limited_pixels;
    for (int row = 0; row < height; row++) {
        const uint32_t *pixels = (const uint32_t *)(bgra + row * bgra_stride);
        luma(pixels, y + row * y_stride, width);
        chroma(pixels, u + row * u_stride, v + row * v_stride, width);
    }
}

// The inverses of the matrices above, in 1/65536ths. Pixels are computed in 1/32nds, which fit into 16 bits: luma is multiplied by
// `luma` / 256, and what chroma adds to it is computed once for all of its pixels, with `offset` for black and for rounding.
typedef struct {
    uint32_t luma;
    int32_t offset, r_v, g_u, g_v, b_u;
} inverse;

/// 255/224 times 1.5748 and 1.8556; luma is multiplied by 255/219.
static const inverse FROM_LIMITED = {
    .luma = 9539, .offset = -(579 << 11) - 1434, .r_v = 117489, .g_u = -13975, .g_v = -34925, .b_u = 138438,
};

static const inverse FROM_FULL = {
    .luma = 8192, .offset = (1 << 15) + (1 << 10), .r_v = 103206, .g_u = -12276, .g_v = -30679, .b_u = 121609,
};

enum { PART = 256 };

BODY void parts_of(uint8_t u, uint8_t v, int16_t *blue, int16_t *green, int16_t *red, inverse m) {
    int32_t cb = u - 128, cr = v - 128;
    *blue = (int16_t)((cb * m.b_u + m.offset) >> 11);
    *green = (int16_t)((cb * m.g_u + cr * m.g_v + m.offset) >> 11);
    *red = (int16_t)((cr * m.r_v + m.offset) >> 11);
}

BODY void parts_of_squares(const uint8_t *restrict u, const uint8_t *restrict v, int16_t *restrict blue,
                           int16_t *restrict green, int16_t *restrict red, int pairs, inverse m) {
    for (int x = 0; x < pairs; x++) {
        int16_t b, g, r;
        parts_of(u[x], v[x], &b, &g, &r, m);
        blue[2 * x] = blue[2 * x + 1] = b;
        green[2 * x] = green[2 * x + 1] = g;
        red[2 * x] = red[2 * x + 1] = r;
    }
}

BODY void parts_of_pixels(const uint8_t *restrict u, const uint8_t *restrict v, int16_t *restrict blue,
                          int16_t *restrict green, int16_t *restrict red, int width, inverse m) {
    for (int x = 0; x < width; x++) parts_of(u[x], v[x], &blue[x], &green[x], &red[x], m);
}

static inline uint32_t clamped(int16_t value) {
    value >>= 5;
    value = value < 0 ? 0 : value;
    return (uint8_t)(value > 255 ? 255 : value);
}

BODY void bgra_of(const uint8_t *restrict y, const int16_t *restrict blue, const int16_t *restrict green,
                  const int16_t *restrict red, uint32_t *restrict bgra, int width, inverse m) {
    for (int x = 0; x < width; x++) {
        int16_t luma = (int16_t)(((uint32_t)(uint16_t)(y[x] << 8) * m.luma) >> 16);
        bgra[x] = clamped((int16_t)(luma + blue[x])) | clamped((int16_t)(luma + green[x])) << 8
            | clamped((int16_t)(luma + red[x])) << 16 | 0xff000000;
    }
}

#define BACKWARD_ROWS(range, constants)                                                                                \
    VECTORISED static void range##_square_parts(const uint8_t *restrict u, const uint8_t *restrict v,                  \
                                                int16_t *restrict blue, int16_t *restrict green,                       \
                                                int16_t *restrict red, int pairs) {                                    \
        parts_of_squares(u, v, blue, green, red, pairs, constants);                                                    \
    }                                                                                                                  \
    VECTORISED static void range##_pixel_parts(const uint8_t *restrict u, const uint8_t *restrict v,                   \
                                               int16_t *restrict blue, int16_t *restrict green,                        \
                                               int16_t *restrict red, int width) {                                     \
        parts_of_pixels(u, v, blue, green, red, width, constants);                                                     \
    }                                                                                                                  \
    VECTORISED static void range##_bgra(const uint8_t *restrict y, const int16_t *restrict blue,                       \
                                        const int16_t *restrict green, const int16_t *restrict red,                    \
                                        uint32_t *restrict bgra, int width) {                                          \
        bgra_of(y, blue, green, red, bgra, width, constants);                                                          \
    }

BACKWARD_ROWS(from_limited, FROM_LIMITED)
BACKWARD_ROWS(from_full, FROM_FULL)

typedef void parts_row(const uint8_t *restrict u, const uint8_t *restrict v, int16_t *restrict blue,
                       int16_t *restrict green, int16_t *restrict red, int count);
typedef void bgra_row(const uint8_t *restrict y, const int16_t *restrict blue, const int16_t *restrict green,
                      const int16_t *restrict red, uint32_t *restrict bgra, int width);

#if defined(__x86_64__)
// Sixteen pixels at a time, the same numbers: `luma_factor` is the inverse's. Returns how many pixels that were.
__attribute__((target("avx2"))) static int bgra_sixteens(const uint8_t *y, const int16_t *blue, const int16_t *green,
                                                         const int16_t *red, uint32_t *bgra, int width, int luma_factor) {
    const __m256i scale = _mm256_set1_epi16((int16_t)luma_factor), opaque = _mm256_set1_epi16(255);
    int x = 0;
    for (; x + 16 <= width; x += 16) {
        __m256i wide = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(y + x)));
        __m256i luma = _mm256_mulhi_epu16(_mm256_slli_epi16(wide, 8), scale);
#define PART_OF(plane) _mm256_srai_epi16(_mm256_add_epi16(luma, _mm256_loadu_si256((const __m256i *)(plane + x))), 5)
        __m256i blue_red = _mm256_packus_epi16(PART_OF(blue), PART_OF(red));
        __m256i green_alpha = _mm256_packus_epi16(PART_OF(green), opaque);
#undef PART_OF
        __m256i blue_green = _mm256_unpacklo_epi8(blue_red, green_alpha);
        __m256i red_alpha = _mm256_unpackhi_epi8(blue_red, green_alpha);
        __m256i low = _mm256_unpacklo_epi16(blue_green, red_alpha), high = _mm256_unpackhi_epi16(blue_green, red_alpha);
        _mm256_storeu_si256((__m256i *)(bgra + x), _mm256_permute2x128_si256(low, high, 0x20));
        _mm256_storeu_si256((__m256i *)(bgra + x + 8), _mm256_permute2x128_si256(low, high, 0x31));
    }
    return x;
}
#endif

void kine_planes_to_bgra(const uint8_t *y, ptrdiff_t y_stride, const uint8_t *u, ptrdiff_t u_stride, const uint8_t *v,
                         ptrdiff_t v_stride, uint8_t *bgra, ptrdiff_t bgra_stride, int width, int height,
                         bool is_full_range, bool is_444) {
    parts_row *squares = is_full_range ? from_full_square_parts : from_limited_square_parts;
    parts_row *parts = !is_444 ? squares : is_full_range ? from_full_pixel_parts : from_limited_pixel_parts;
    bgra_row *pixels = is_full_range ? from_full_bgra : from_limited_bgra;
    // A chroma sample serves `side` × `side` pixels, 1 << `shift`.
    int shift = is_444 ? 0 : 1, side = 1 << shift;
    int16_t blue[PART], green[PART], red[PART];
    for (int row = 0; row < height; row += side) {
        for (int left = 0; left < width; left += PART) {
            int part = width - left < PART ? width - left : PART;
            parts(u + (row >> shift) * u_stride + (left >> shift), v + (row >> shift) * v_stride + (left >> shift), blue,
                  green, red, (part + side - 1) >> shift);
            for (int line = row; line < row + side && line < height; line++) {
                const uint8_t *luma = y + line * y_stride + left;
                uint32_t *target = (uint32_t *)(bgra + line * bgra_stride) + left;
                int done = 0;
#if defined(__x86_64__)
                int factor = (int)(is_full_range ? FROM_FULL : FROM_LIMITED).luma;
                if (__builtin_cpu_supports("avx2")) done = bgra_sixteens(luma, blue, green, red, target, part, factor);
#endif
                pixels(luma + done, blue + done, green + done, red + done, target + done, part - done);
            }
        }
    }
}

static inline uint32_t weighed(uint32_t pixel, uint32_t weight, uint32_t colour, uint32_t colour_weight, uint32_t below,
                               int shift) {
    uint32_t sum = (pixel >> shift & 255) * weight + (colour >> shift & 255) * colour_weight
        + (below >> shift & 255) * (255 - weight - colour_weight) + 128;
    return (sum + (sum >> 8)) >> 8 << shift;  // a 255th, rounded
}

VECTORISED static void blend_row(const uint32_t *restrict pixels, const uint16_t *restrict mask, uint32_t colour,
                                 uint32_t *restrict target, int width) {
    for (int x = 0; x < width; x++) {
        uint32_t weight = mask[x] & 255, colour_weight = mask[x] >> 8;
        target[x] = weighed(pixels[x], weight, colour, colour_weight, target[x], 0)
            | weighed(pixels[x], weight, colour, colour_weight, target[x], 8)
            | weighed(pixels[x], weight, colour, colour_weight, target[x], 16) | 0xff000000;
    }
}

void kine_blend_masked(const uint8_t *pixels, ptrdiff_t stride, const uint8_t *mask, ptrdiff_t mask_stride,
                       uint32_t colour, uint8_t *target, ptrdiff_t target_stride, int width, int height) {
    for (int row = 0; row < height; row++)
        blend_row((const uint32_t *)(pixels + row * stride), (const uint16_t *)(mask + row * mask_stride), colour,
                  (uint32_t *)(target + row * target_stride), width);
}

bool kine_block_differs(const uint8_t *a, ptrdiff_t a_stride, const uint8_t *b, ptrdiff_t b_stride, int width,
                        int height) {
    // The common widths as constants, so that memcmp becomes one or two vector compares.
    if (width == 16) {
        for (int row = 0; row < height; row++)
            if (memcmp(a + row * a_stride, b + row * b_stride, 16)) return true;
    } else if (width == 8) {
        for (int row = 0; row < height; row++)
            if (memcmp(a + row * a_stride, b + row * b_stride, 8)) return true;
    } else {
        for (int row = 0; row < height; row++)
            if (memcmp(a + row * a_stride, b + row * b_stride, (size_t)width)) return true;
    }
    return false;
}
