// Converts the pixel formats of webcams with libyuv. libswscale is slower, and converts the others.
import CAVDevice
import CFFmpeg
import CYUV

extension AVFrame {
    /// BT.601, or not said: nearly all cameras.
    private var isBT601: Bool {
        [AVCOL_SPC_UNSPECIFIED, AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M].contains(colorspace)
    }

    /// Writes the frame as BGRA, rows of `stride` bytes. False for a format that libyuv does not convert as it should.
    func convertQuickly(to bgra: UnsafeMutablePointer<UInt8>, stride: Int32) -> Bool {
        guard isBT601, let first = data.0 else { return false }
        let isFullRange = color_range == AVCOL_RANGE_JPEG
        // libyuv names formats from the highest byte of a word to the lowest: its ARGB is BGRA in memory.
        switch (AVPixelFormat(format), isFullRange) {
        case (AV_PIX_FMT_YUYV422, false):
            return YUY2ToARGB(first, linesize.0, bgra, stride, width, height) == 0
        case (AV_PIX_FMT_UYVY422, false):
            return UYVYToARGB(first, linesize.0, bgra, stride, width, height) == 0
        case (AV_PIX_FMT_NV12, false):
            return NV12ToARGB(first, linesize.0, data.1, linesize.1, bgra, stride, width, height) == 0
        case (AV_PIX_FMT_YUVJ420P, _), (AV_PIX_FMT_YUV420P, true):
            return J420ToARGB(
                first, linesize.0, data.1, linesize.1, data.2, linesize.2, bgra, stride, width, height) == 0
        case (AV_PIX_FMT_YUVJ422P, _), (AV_PIX_FMT_YUV422P, true):
            return J422ToARGB(
                first, linesize.0, data.1, linesize.1, data.2, linesize.2, bgra, stride, width, height) == 0
        case (AV_PIX_FMT_YUV420P, false):
            return I420ToARGB(
                first, linesize.0, data.1, linesize.1, data.2, linesize.2, bgra, stride, width, height) == 0
        case (AV_PIX_FMT_YUV422P, false):
            return I422ToARGB(
                first, linesize.0, data.1, linesize.1, data.2, linesize.2, bgra, stride, width, height) == 0
        default: return false
        }
    }
}
