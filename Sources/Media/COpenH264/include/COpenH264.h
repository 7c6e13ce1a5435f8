// Cisco's OpenH264: H.264 under the BSD licence.
#pragma once
#include <wels/codec_api.h>
#include <wels/codec_ver.h>

// The number of its interface, which its headers do not say: 7 from version 2.2 on, 8 from 2.5 on.
#if OPENH264_MAJOR == 2 && OPENH264_MINOR >= 5
#define KINE_OPENH264_INTERFACE 8
#else
#define KINE_OPENH264_INTERFACE 7
#endif

// Loads libopenh264 of the version that these headers are for; 0 where it is not installed. Nothing else here may be called
// before this has succeeded. Any thread may call.
int kine_load_openh264(void);

// The arrays of these structures are tuples of up to 128 elements in Swift.
static inline const SLayerBSInfo *kine_openh264_layer(const SFrameBSInfo *info, int index) {
    return &info->sLayerInfo[index];
}
