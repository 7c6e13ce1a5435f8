// The pixel loops that libyuv of Debian 12 does not have: BGRA to 4:2:0 and 4:4:4 with BT.709's matrix (it knows BT.601 only), the
// way back (its BT.709 shows blue twelve steps too dark), scaling (its filter for BGRA reads two pixels of each side however much a
// frame shrinks, weighs with seven bits and makes white two steps darker), and the question whether a macroblock changed.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Converts `width` × `height` pixels of BGRA (the fourth byte ignored) to planes, BT.709 (ITU-R BT.709-6, 3.4 and 3.5; eight bits).
/// In 4:2:0, chroma is the mean of each 2×2 square; an odd last column or row counts twice, and the chroma planes get
/// (width + 1) / 2 × (height + 1) / 2 samples. With `is_444`, every pixel has chroma samples of its own. Range is limited, or with
/// `is_full_range` full: luma 0 to 255, chroma around 128 up to 255 (ITU-T H.273, 8.3). Strides are in bytes.
void kine_bgra_to_planes(const uint8_t *bgra, ptrdiff_t bgra_stride, uint8_t *y, ptrdiff_t y_stride, uint8_t *u,
                         ptrdiff_t u_stride, uint8_t *v, ptrdiff_t v_stride, int width, int height, bool is_full_range,
                         bool is_444);

/// Converts back: planes as above to BGRA, the fourth byte 255. In 4:2:0, `width` and `height` are even, and each chroma sample
/// serves its 2×2 square.
void kine_planes_to_bgra(const uint8_t *y, ptrdiff_t y_stride, const uint8_t *u, ptrdiff_t u_stride, const uint8_t *v,
                         ptrdiff_t v_stride, uint8_t *bgra, ptrdiff_t bgra_stride, int width, int height,
                         bool is_full_range, bool is_444);

/// The pixels of a scaled row, or of a scaled column: pixel i is the sum of `taps` pixels from `first[i]` on, weighted with as many
/// of `weights`, in 1/256ths. They add up to 256, and all of the pixels exist; `first` never decreases. The weights of pixel i begin at
/// i * n, n being the even number from `taps` on, and an additional one is 0. `halves`: pixel i is the mean of 2 * i and 2 * i + 1.
typedef struct {
    const int32_t *first;
    const int16_t *weights;
    int taps;
    bool halves;
} kine_scale_axis;

/// Scales a part of a frame of BGRA. The pixel `x` + i, `y` + j of the scaled frame is written to column i and row j of `target`; it
/// is the same whatever the part. `source` is where the frame's first pixel would be: only pixels that have a weight are read.
/// `scratch` has room for four values for each of the frame's columns, and for four more. Strides are in bytes.
void kine_scale_bgra(const uint8_t *source, ptrdiff_t source_stride, uint8_t *target, ptrdiff_t target_stride, int x,
                     int y, int width, int height, const kine_scale_axis *across, const kine_scale_axis *down,
                     uint16_t *scratch);

/// The same with a plane of bytes. `scratch` has room for eight values for each of the plane's columns, and for four more.
void kine_scale_plane(const uint8_t *source, ptrdiff_t source_stride, uint8_t *target, ptrdiff_t target_stride, int x,
                      int y, int width, int height, const kine_scale_axis *across, const kine_scale_axis *down,
                      uint16_t *scratch);

/// Draws a plane of `width` × `height` bytes from a part of another, whose place has fractions of a pixel. Weights may be negative here:
/// those of `across` add up to 16384, those of `down` to 128, without their signs to 160 at most. Both have an even number of taps, at
/// least four, and no weight besides. `scratch` has room for eight values for each of the source's columns.
void kine_view_plane(const uint8_t *source, ptrdiff_t source_stride, uint8_t *target, ptrdiff_t target_stride,
                     int width, int height, const kine_scale_axis *across, const kine_scale_axis *down,
                     uint16_t *scratch);

/// Draws `width` × `height` pixels of BGRA (the fourth byte ignored) over others. Each pixel of `mask` has two bytes: the weight of
/// `pixels`, and the weight of `colour`, which is a pixel of BGRA. Weights are in 1/255ths and add up to 255 at most; the rest is
/// what was there. Strides are in bytes.
void kine_blend_masked(const uint8_t *pixels, ptrdiff_t stride, const uint8_t *mask, ptrdiff_t mask_stride,
                       uint32_t colour, uint8_t *target, ptrdiff_t target_stride, int width, int height);

/// Whether two blocks of `width` × `height` bytes differ anywhere.
bool kine_block_differs(const uint8_t *a, ptrdiff_t a_stride, const uint8_t *b, ptrdiff_t b_stride, int width,
                        int height);
