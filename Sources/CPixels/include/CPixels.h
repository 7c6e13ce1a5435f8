// The pixel loops that libyuv of Debian 12 does not have: BGRA to 4:2:0 with BT.709's matrix (it knows BT.601 only), the way
// back (its BT.709 shows blue twelve steps too dark), and the question whether a macroblock changed.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Converts `width` × `height` pixels of BGRA (the fourth byte ignored) to planar 4:2:0, BT.709, limited range
/// (ITU-R BT.709-6, 3.4 and 3.5; eight bits). Chroma is the mean of each 2×2 square; an odd last column or row counts twice.
/// Strides are in bytes. The chroma planes get (width + 1) / 2 × (height + 1) / 2 samples.
void kine_bgra_to_i420_bt709(const uint8_t *bgra, ptrdiff_t bgra_stride, uint8_t *y, ptrdiff_t y_stride, uint8_t *u,
                             ptrdiff_t u_stride, uint8_t *v, ptrdiff_t v_stride, int width, int height);

/// Converts back: planar 4:2:0 as above to BGRA, the fourth byte 255. `width` and `height` are even; each chroma sample serves
/// its 2×2 square.
void kine_i420_to_bgra_bt709(const uint8_t *y, ptrdiff_t y_stride, const uint8_t *u, ptrdiff_t u_stride,
                             const uint8_t *v, ptrdiff_t v_stride, uint8_t *bgra, ptrdiff_t bgra_stride, int width,
                             int height);

/// Whether two blocks of `width` × `height` bytes differ anywhere.
bool kine_block_differs(const uint8_t *a, ptrdiff_t a_stride, const uint8_t *b, ptrdiff_t b_stride, int width,
                        int height);
