// Scaling by weighted sums, first of whole rows, then of the pixels of the row that comes out. Sums of rows have 16 bits (255 times
// 256 fits) and lose the lowest, so that they can be multiplied as signed numbers.
#include "CPixels.h"
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// See pixels.c.
#if defined(__x86_64__) && !__has_feature(thread_sanitizer)
#define VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define VECTORISED
#endif

VECTORISED static void add_two(uint16_t *restrict sums, const uint8_t *restrict a, uint16_t weight_a,
                               const uint8_t *restrict b, uint16_t weight_b, int count) {
    for (int i = 0; i < count; i++)
        sums[i] = (uint16_t)(sums[i] + (uint16_t)(a[i] * weight_a) + (uint16_t)(b[i] * weight_b));
}

VECTORISED static void weigh_two(uint16_t *restrict sums, const uint8_t *restrict a, uint16_t weight_a,
                                 const uint8_t *restrict b, uint16_t weight_b, int count) {
    for (int i = 0; i < count; i++) sums[i] = (uint16_t)((uint16_t)(a[i] * weight_a) + (uint16_t)(b[i] * weight_b));
}

// The last ones also halve the sums.

VECTORISED static void finish_one(uint16_t *restrict sums, const uint8_t *restrict a, uint16_t weight, int count) {
    for (int i = 0; i < count; i++) sums[i] = (uint16_t)(sums[i] + (uint16_t)(a[i] * weight)) >> 1;
}

VECTORISED static void finish_two(uint16_t *restrict sums, const uint8_t *restrict a, uint16_t weight_a,
                                  const uint8_t *restrict b, uint16_t weight_b, int count) {
    for (int i = 0; i < count; i++)
        sums[i] = (uint16_t)(sums[i] + (uint16_t)(a[i] * weight_a) + (uint16_t)(b[i] * weight_b)) >> 1;
}

VECTORISED static void only_one(uint16_t *restrict sums, const uint8_t *restrict a, uint16_t weight, int count) {
    for (int i = 0; i < count; i++) sums[i] = (uint16_t)(a[i] * weight) >> 1;
}

VECTORISED static void only_two(uint16_t *restrict sums, const uint8_t *restrict a, uint16_t weight_a,
                                const uint8_t *restrict b, uint16_t weight_b, int count) {
    for (int i = 0; i < count; i++)
        sums[i] = (uint16_t)((uint16_t)(a[i] * weight_a) + (uint16_t)(b[i] * weight_b)) >> 1;
}

// The weighted sum of rows for one row of the scaled frame.
static void weigh_rows(uint16_t *sums, const uint8_t *first, ptrdiff_t stride, const int16_t *weights, int taps,
                       int count) {
    // Weights of 0 are at the ends.
    while (taps > 1 && weights[taps - 1] == 0) taps--;
    while (taps > 1 && weights[0] == 0) {
        first += stride;
        weights++;
        taps--;
    }
#define ROW(tap) first + (tap) * stride, (uint16_t)weights[tap]
    if (taps == 1) {
        only_one(sums, ROW(0), count);
    } else if (taps == 2) {
        only_two(sums, ROW(0), ROW(1), count);
    } else {
        weigh_two(sums, ROW(0), ROW(1), count);
        int tap = 2;
        for (; tap + 2 < taps; tap += 2) add_two(sums, ROW(tap), ROW(tap + 1), count);
        if (taps - tap == 2) finish_two(sums, ROW(tap), ROW(tap + 1), count);
        else finish_one(sums, ROW(tap), count);
    }
#undef ROW
}

// The sums of `pairs` pairs of pixels, of four values each, from `pixel` on, in 2^`shift`ths and from `middle` on.
static inline uint32_t weigh_pixel(const int16_t *pixel, const int16_t *weights, int pairs, int32_t middle, int shift) {
    uint32_t result;
    int32_t start = (middle << shift) + (1 << (shift - 1));
#if defined(__SSE2__)
    __m128i total = _mm_set1_epi32(start);
    for (int pair = 0; pair < pairs; pair++) {
        __m128i two = _mm_loadu_si128((const __m128i *)(pixel + 8 * pair));
        int32_t both;
        memcpy(&both, weights + 2 * pair, sizeof both);
        __m128i side_by_side = _mm_unpacklo_epi16(two, _mm_unpackhi_epi64(two, two));
        total = _mm_add_epi32(total, _mm_madd_epi16(side_by_side, _mm_set1_epi32(both)));
    }
    __m128i halves = _mm_packs_epi32(_mm_srai_epi32(total, shift), _mm_setzero_si128());
    result = (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(halves, halves));
#else
    uint8_t bytes[4];
    for (int channel = 0; channel < 4; channel++) {
        int32_t total = start;
        for (int tap = 0; tap < 2 * pairs; tap++) total += pixel[4 * tap + channel] * weights[tap];
        total >>= shift;
        bytes[channel] = (uint8_t)(total < 0 ? 0 : total > 255 ? 255 : total);
    }
    memcpy(&result, bytes, sizeof result);
#endif
    return result;
}

// `sums` begins with the column `origin` of the frame, and has a pixel more than is read.
static inline void weigh_pixels_by(const uint16_t *sums, int origin, uint32_t *target, int x, int width,
                                   const kine_scale_axis *across, int pairs) {
    const int16_t *weights = across->weights + (ptrdiff_t)x * 2 * pairs;
    for (int i = 0; i < width; i++, weights += 2 * pairs)
        target[i] = weigh_pixel((const int16_t *)sums + 4 * (across->first[x + i] - origin), weights, pairs, 0, 15);
}

static void weigh_pixels(const uint16_t *sums, int origin, uint32_t *target, int x, int width,
                         const kine_scale_axis *across) {
    // The common ones as constants, so that the loop within is none.
    switch ((across->taps + 1) / 2) {
    case 1: weigh_pixels_by(sums, origin, target, x, width, across, 1); break;
    case 2: weigh_pixels_by(sums, origin, target, x, width, across, 2); break;
    case 3: weigh_pixels_by(sums, origin, target, x, width, across, 3); break;
    default: weigh_pixels_by(sums, origin, target, x, width, across, (across->taps + 1) / 2);
    }
}

void kine_scale_bgra(const uint8_t *source, ptrdiff_t source_stride, uint8_t *target, ptrdiff_t target_stride, int x,
                     int y, int width, int height, const kine_scale_axis *across, const kine_scale_axis *down,
                     uint16_t *scratch) {
    int origin = across->first[x];
    int count = 4 * (across->first[x + width - 1] + across->taps - origin);
    int down_stride = (down->taps + 1) & ~1;
    memset(scratch + count, 0, 4 * sizeof *scratch);
    for (int row = 0; row < height; row++) {
        weigh_rows(scratch, source + down->first[y + row] * source_stride + 4 * (ptrdiff_t)origin, source_stride,
                   down->weights + (ptrdiff_t)(y + row) * down_stride, down->taps, count);
        weigh_pixels(scratch, origin, (uint32_t *)(target + row * target_stride), x, width, across);
    }
}

VECTORISED static void join(uint16_t *restrict joined, const uint16_t *restrict a, const uint16_t *restrict b,
                            const uint16_t *restrict c, const uint16_t *restrict d, int count) {
    for (int i = 0; i < count; i++) {
        joined[4 * i] = a[i];
        joined[4 * i + 1] = b[i];
        joined[4 * i + 2] = c[i];
        joined[4 * i + 3] = d[i];
    }
}

VECTORISED static void extract(uint8_t *restrict row, const uint32_t *restrict joined, int shift, int count) {
    for (int i = 0; i < count; i++) row[i] = (uint8_t)(joined[i] >> shift);
}

VECTORISED static void mean_of_four(uint8_t *restrict target, const uint8_t *restrict top, const uint8_t *restrict bottom,
                                    int width) {
    for (int i = 0; i < width; i++)
        target[i] = (uint8_t)((top[2 * i] + top[2 * i + 1] + bottom[2 * i] + bottom[2 * i + 1] + 2) >> 2);
}

void kine_scale_plane(const uint8_t *source, ptrdiff_t source_stride, uint8_t *target, ptrdiff_t target_stride, int x,
                      int y, int width, int height, const kine_scale_axis *across, const kine_scale_axis *down,
                      uint16_t *scratch) {
    // The same sums, without rounding on the way.
    if (across->halves && down->halves) {
        for (int row = 0; row < height; row++) {
            const uint8_t *top = source + down->first[y + row] * source_stride + across->first[x];
            mean_of_four(target + row * target_stride, top, top + source_stride, width);
        }
        return;
    }
    // Four rows side by side are like the four values of a pixel.
    int origin = across->first[x];
    int count = across->first[x + width - 1] + across->taps - origin;
    int down_stride = (down->taps + 1) & ~1;
    uint16_t *joined = scratch + 4 * (ptrdiff_t)count;
    memset(joined + 4 * (ptrdiff_t)count, 0, 4 * sizeof *scratch);
    for (int top = 0; top < height; top += 4) {
        int rows = height - top < 4 ? height - top : 4;
        uint16_t *sums[4];
        for (int row = 0; row < 4; row++) {
            sums[row] = scratch + (row < rows ? row : 0) * (ptrdiff_t)count;
            if (row >= rows) continue;
            int index = y + top + row;
            weigh_rows(sums[row], source + down->first[index] * source_stride + origin, source_stride,
                       down->weights + (ptrdiff_t)index * down_stride, down->taps, count);
        }
        join(joined, sums[0], sums[1], sums[2], sums[3], count);
        for (int left = 0; left < width; left += 64) {
            int part = width - left < 64 ? width - left : 64;
            uint32_t four[64];
            weigh_pixels(joined, origin, four, x + left, part, across);
            for (int row = 0; row < rows; row++)
                extract(target + (top + row) * target_stride + left, four, 8 * row, part);
        }
    }
}

// Pixels are counted from their middle, 128, so that sums of rows have 16 bits with their sign.

VECTORISED static void weigh_four(int16_t *restrict sums, const uint8_t *restrict a, const uint8_t *restrict b,
                                  const uint8_t *restrict c, const uint8_t *restrict d, const int16_t *weights, int count) {
    int16_t wa = weights[0], wb = weights[1], wc = weights[2], wd = weights[3];
    for (int i = 0; i < count; i++)
        sums[i] = (int16_t)((int16_t)((int16_t)(a[i] - 128) * wa) + (int16_t)((int16_t)(b[i] - 128) * wb) +
                            (int16_t)((int16_t)(c[i] - 128) * wc) + (int16_t)((int16_t)(d[i] - 128) * wd));
}

VECTORISED static void add_weighed(int16_t *restrict sums, const uint8_t *restrict a, int16_t weight, int count) {
    for (int i = 0; i < count; i++) sums[i] = (int16_t)(sums[i] + (int16_t)((int16_t)(a[i] - 128) * weight));
}

void kine_view_plane(const uint8_t *source, ptrdiff_t source_stride, uint8_t *target, ptrdiff_t target_stride,
                     int width, int height, const kine_scale_axis *across, const kine_scale_axis *down,
                     uint16_t *scratch) {
    int origin = across->first[0];
    int count = across->first[width - 1] + across->taps - origin;
    uint16_t *joined = scratch + 4 * (ptrdiff_t)count;
    for (int top = 0; top < height; top += 4) {
        int rows = height - top < 4 ? height - top : 4;
        uint16_t *sums[4];
        for (int row = 0; row < 4; row++) {
            sums[row] = scratch + (row < rows ? row : 0) * (ptrdiff_t)count;
            if (row >= rows) continue;
            const uint8_t *first = source + down->first[top + row] * source_stride + origin;
            const int16_t *weights = down->weights + (ptrdiff_t)(top + row) * down->taps;
            int16_t *sum = (int16_t *)sums[row];
            weigh_four(sum, first, first + source_stride, first + 2 * source_stride, first + 3 * source_stride, weights,
                       count);
            for (int tap = 4; tap < down->taps; tap++)
                if (weights[tap]) add_weighed(sum, first + tap * source_stride, weights[tap], count);
        }
        join(joined, sums[0], sums[1], sums[2], sums[3], count);
        for (int left = 0; left < width; left += 64) {
            int part = width - left < 64 ? width - left : 64;
            uint32_t four[64];
            const int16_t *weights = across->weights + (ptrdiff_t)left * across->taps;
            for (int i = 0; i < part; i++, weights += across->taps)
                four[i] = weigh_pixel((const int16_t *)joined + 4 * (across->first[left + i] - origin), weights,
                                      across->taps / 2, 128, 21);
            for (int row = 0; row < rows; row++)
                extract(target + (top + row) * target_stride + left, four, 8 * row, part);
        }
    }
}
