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

// BT.709: Y' = 0.2126 R' + 0.7152 G' + 0.0722 B', scaled to 16…235; Cb = (B' - Y') / 1.8556 and Cr = (R' - Y') / 1.5748,
// scaled to 16…240 around 128. In 1/65536ths; each chroma row sums to zero, so that grey stays exactly grey.
enum {
    Y_R = 11966, Y_G = 40254, Y_B = 4064,
    U_R = -6596, U_G = -22188, U_B = 28784,
    V_R = 28784, V_G = -26145, V_B = -2639,
};

VECTORISED static void luma_row(const uint32_t *restrict bgra, uint8_t *restrict y, int width) {
    for (int x = 0; x < width; x++) {
        uint32_t p = bgra[x];
        uint32_t sum = (p & 255) * Y_B + ((p >> 8) & 255) * Y_G + ((p >> 16) & 255) * Y_R;
        y[x] = (uint8_t)((sum + (16 << 16) + (1 << 15)) >> 16);
    }
}

VECTORISED static void chroma_row(const uint64_t *restrict top, const uint64_t *restrict bottom, uint8_t *restrict u,
                                  uint8_t *restrict v, int pairs) {
    for (int x = 0; x < pairs; x++) {
        uint64_t t = top[x], l = bottom[x];
        uint32_t t0 = (uint32_t)t, t1 = (uint32_t)(t >> 32), l0 = (uint32_t)l, l1 = (uint32_t)(l >> 32);
        uint32_t red_blue = (t0 & 0xff00ff) + (t1 & 0xff00ff) + (l0 & 0xff00ff) + (l1 & 0xff00ff);
        uint32_t both_green = ((t0 >> 8) & 0xff) + ((t1 >> 8) & 0xff) + ((l0 >> 8) & 0xff) + ((l1 >> 8) & 0xff);
        int32_t red = (int32_t)(red_blue >> 16), blue = (int32_t)(red_blue & 0xffff), green = (int32_t)both_green;
        u[x] = (uint8_t)((blue * U_B + green * U_G + red * U_R + (128 << 18) + (1 << 17)) >> 18);
        v[x] = (uint8_t)((blue * V_B + green * V_G + red * V_R + (128 << 18) + (1 << 17)) >> 18);
    }
}

void kine_bgra_to_i420_bt709(const uint8_t *bgra, ptrdiff_t bgra_stride, uint8_t *y, ptrdiff_t y_stride, uint8_t *u,
                             ptrdiff_t u_stride, uint8_t *v, ptrdiff_t v_stride, int width, int height) {
    for (int row = 0; row < height; row += 2) {
        const uint8_t *top = bgra + row * bgra_stride;
        const uint8_t *bottom = row + 1 < height ? top + bgra_stride : top;
        luma_row((const uint32_t *)top, y + row * y_stride, width);
        if (row + 1 < height) luma_row((const uint32_t *)bottom, y + (row + 1) * y_stride, width);
        uint8_t *u_row = u + row / 2 * u_stride, *v_row = v + row / 2 * v_stride;
        chroma_row((const uint64_t *)top, (const uint64_t *)bottom, u_row, v_row, width / 2);
        if (width & 1) {
            uint32_t last[2][2];
            memcpy(&last[0][0], top + 4 * (width - 1), 4);
            memcpy(&last[1][0], bottom + 4 * (width - 1), 4);
            last[0][1] = last[0][0];
            last[1][1] = last[1][0];
            uint64_t pair[2];
            memcpy(pair, last, sizeof pair);
            chroma_row(&pair[0], &pair[1], u_row + width / 2, v_row + width / 2, 1);
        }
    }
}

// The inverse of the matrix above, in 1/65536ths: 255/224 times 1.5748 and 1.8556; luma is multiplied by 255/219.
enum { R_V = 117489, G_U = -13975, G_V = -34925, B_U = 138438 };

// Pixels are computed in 1/32nds, which fit into 16 bits. What chroma adds to luma is computed once for its two by two pixels.
enum { PART = 256, LUMA_32ND = 9539, LUMA_OFFSET = -(579 << 11) - 1434 };

VECTORISED static void chroma_parts(const uint8_t *restrict u, const uint8_t *restrict v, int16_t *restrict blue,
                                    int16_t *restrict green, int16_t *restrict red, int pairs) {
    for (int x = 0; x < pairs; x++) {
        int32_t cb = u[x] - 128, cr = v[x] - 128;
        blue[2 * x] = blue[2 * x + 1] = (int16_t)((cb * B_U + LUMA_OFFSET) >> 11);
        green[2 * x] = green[2 * x + 1] = (int16_t)((cb * G_U + cr * G_V + LUMA_OFFSET) >> 11);
        red[2 * x] = red[2 * x + 1] = (int16_t)((cr * R_V + LUMA_OFFSET) >> 11);
    }
}

static inline uint32_t clamped(int16_t value) {
    value >>= 5;
    value = value < 0 ? 0 : value;
    return (uint8_t)(value > 255 ? 255 : value);
}

#if defined(__x86_64__)
// Sixteen pixels at a time, the same numbers. Returns how many pixels that were.
__attribute__((target("avx2"))) static int bgra_sixteens(const uint8_t *y, const int16_t *blue, const int16_t *green,
                                                         const int16_t *red, uint32_t *bgra, int width) {
    const __m256i scale = _mm256_set1_epi16(LUMA_32ND), opaque = _mm256_set1_epi16(255);
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

VECTORISED static void bgra_row(const uint8_t *restrict y, const int16_t *restrict blue, const int16_t *restrict green,
                                const int16_t *restrict red, uint32_t *restrict bgra, int width) {
    for (int x = 0; x < width; x++) {
        int16_t luma = (int16_t)(((uint32_t)(uint16_t)(y[x] << 8) * LUMA_32ND) >> 16);
        bgra[x] = clamped((int16_t)(luma + blue[x])) | clamped((int16_t)(luma + green[x])) << 8
            | clamped((int16_t)(luma + red[x])) << 16 | 0xff000000;
    }
}

void kine_i420_to_bgra_bt709(const uint8_t *y, ptrdiff_t y_stride, const uint8_t *u, ptrdiff_t u_stride,
                             const uint8_t *v, ptrdiff_t v_stride, uint8_t *bgra, ptrdiff_t bgra_stride, int width,
                             int height) {
    int16_t blue[PART], green[PART], red[PART];
    for (int row = 0; row < height; row += 2) {
        for (int left = 0; left < width; left += PART) {
            int part = width - left < PART ? width - left : PART;
            chroma_parts(u + row / 2 * u_stride + left / 2, v + row / 2 * v_stride + left / 2, blue, green, red,
                         (part + 1) / 2);
            for (int line = row; line < row + 2 && line < height; line++) {
                const uint8_t *luma = y + line * y_stride + left;
                uint32_t *target = (uint32_t *)(bgra + line * bgra_stride) + left;
                int done = 0;
#if defined(__x86_64__)
                if (__builtin_cpu_supports("avx2")) done = bgra_sixteens(luma, blue, green, red, target, part);
#endif
                bgra_row(luma + done, blue + done, green + done, red + done, target + done, part - done);
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
