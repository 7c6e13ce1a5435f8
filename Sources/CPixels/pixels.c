// Plain loops that the compiler turns into vector code, once for AVX2 and once for every machine of the architecture; the
// loader picks.
#include "CPixels.h"
#include <string.h>

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

// The inverse of the matrix above, in 1/65536ths: 255/219 for luma, 255/224 times 1.5748 and 1.8556 for chroma.
enum { Y_ALL = 76309, R_V = 117489, G_U = -13975, G_V = -34925, B_U = 138438 };

static inline uint32_t clamped(int32_t value) { return (uint32_t)(value < 0 ? 0 : value > 255 << 16 ? 255 : value >> 16); }

VECTORISED static void bgra_row(const uint8_t *restrict y, const uint8_t *restrict u, const uint8_t *restrict v,
                                uint32_t *restrict bgra, int width) {
    for (int x = 0; x < width; x++) {
        int32_t luma = (y[x] - 16) * Y_ALL + (1 << 15), cb = u[x / 2] - 128, cr = v[x / 2] - 128;
        bgra[x] = clamped(luma + cb * B_U) | clamped(luma + cb * G_U + cr * G_V) << 8
            | clamped(luma + cr * R_V) << 16 | 0xff000000;
    }
}

void kine_i420_to_bgra_bt709(const uint8_t *y, ptrdiff_t y_stride, const uint8_t *u, ptrdiff_t u_stride,
                             const uint8_t *v, ptrdiff_t v_stride, uint8_t *bgra, ptrdiff_t bgra_stride, int width,
                             int height) {
    for (int row = 0; row < height; row++)
        bgra_row(y + row * y_stride, u + row / 2 * u_stride, v + row / 2 * v_stride,
                 (uint32_t *)(bgra + row * bgra_stride), width);
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
