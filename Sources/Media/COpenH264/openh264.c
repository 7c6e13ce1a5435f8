// libopenh264, loaded when the first of its encoders is made: it needs C++'s library, which a program that has no use for it
// should not have to load.
#include "COpenH264.h"
#include "CLinux.h"

#define TEXT(number) #number
#define FILE_NAME(number) "libopenh264.so." TEXT(number)
LATE_LIBRARY(FILE_NAME(KINE_OPENH264_INTERFACE))

LATE_FUNCTION(int, WelsCreateSVCEncoder, (ISVCEncoder **encoder), (encoder))
LATE_FUNCTION(void, WelsDestroySVCEncoder, (ISVCEncoder *encoder), (encoder))
LATE_FUNCTION(void, WelsGetCodecVersionEx, (OpenH264Version *version), (version))

// Its structures grow from version to version, and nothing in them says which they are.
int kine_load_openh264(void) {
    OpenH264Version found;
    if (!late_library()) return 0;
    WelsGetCodecVersionEx(&found);
    return found.uMajor == OPENH264_MAJOR && found.uMinor == OPENH264_MINOR;
}
