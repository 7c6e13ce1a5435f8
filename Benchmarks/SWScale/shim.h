// FFmpeg's scaler, beside which ours is measured.
#pragma once
#include <libswscale/swscale.h>
#include <libavutil/pixfmt.h>
