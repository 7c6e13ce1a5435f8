// Cisco's OpenH264: H.264 under the BSD licence.
#pragma once
#include <wels/codec_api.h>

// Loads libopenh264 of the version that these headers are for; 0 where it is not installed. Nothing else here may be called
// before this has succeeded. Any thread may call.
int kine_load_openh264(void);

// The arrays of these structures are tuples of up to 128 elements in Swift.
static inline const SLayerBSInfo *kine_openh264_layer(const SFrameBSInfo *info, int index) {
    return &info->sLayerInfo[index];
}
