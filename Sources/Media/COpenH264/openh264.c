// libopenh264, loaded when the first of its encoders is made: it needs C++'s library, which a program that has no use for it
// should not have to load.
#include "COpenH264.h"
#include "CLinux.h"
#include <wels/codec_ver.h>

// The number of its interface, which its headers do not say: 7 from version 2.2 on, 8 from 2.5 on.
#if OPENH264_MAJOR == 2 && OPENH264_MINOR >= 5
LATE_LIBRARY("libopenh264.so.8")
#else
LATE_LIBRARY("libopenh264.so.7")
#endif

LATE_FUNCTION(int, WelsCreateSVCEncoder, (ISVCEncoder **encoder), (encoder))
LATE_FUNCTION(void, WelsDestroySVCEncoder, (ISVCEncoder *encoder), (encoder))
LATE_FUNCTION(void, WelsGetCodecVersionEx, (OpenH264Version *version), (version))

// Its structures grow from version to version, and nothing in them says which they are.
int kine_load_openh264(void) {
    OpenH264Version found;
    if (!late_library() || !dlsym(late_library(), "WelsGetCodecVersionEx")) return 0;
    WelsGetCodecVersionEx(&found);
    return found.uMajor == OPENH264_MAJOR && found.uMinor == OPENH264_MINOR;
}
