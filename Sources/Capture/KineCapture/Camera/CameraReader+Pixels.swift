// Converts a camera's frames to upright BGRA. libyuv converts the pixel formats of webcams; libswscale is slower, and
// converts the others.
import CAVDevice
import CFFmpeg
import CYUV
import KineMedia

extension Orientation {
    /// The nearest one to a display matrix, which shows (p, q) at (ap + cq, bp + dq) (ISO/IEC 14496-12, 6.2.2).
    init(displayMatrix matrix: UnsafePointer<Int32>) {
        let (a, b, c, d) = (Int64(matrix[0]), Int64(matrix[1]), Int64(matrix[3]), Int64(matrix[4]))
        let isTransposed = abs(b) + abs(c) > abs(a) + abs(d)
        self.init(
            isTransposed: isTransposed, isMirroredAcross: (isTransposed ? c : a) < 0,
            isMirroredDown: (isTransposed ? b : d) < 0)
    }

    /// Turns BGRA of `size`, rows without gaps, upright. Rows of the result have `stride` bytes.
    func turn(
        _ bgra: UnsafePointer<UInt8>, size: PixelSize, to upright: UnsafeMutablePointer<UInt8>, stride: Int32
    ) {
        let (mode, isFlippedFirst) =
            switch self {
            case .up: (kRotate0, false)
            case .downMirrored: (kRotate0, true)
            case .right: (kRotate90, false)
            case .leftMirrored: (kRotate90, true)
            case .down: (kRotate180, false)
            case .upMirrored: (kRotate180, true)
            case .left: (kRotate270, false)
            case .rightMirrored: (kRotate270, true)
            }
        // With a negative height, libyuv reads a frame from its last row on.
        let height = Int32(isFlippedFirst ? -size.height : size.height)
        ARGBRotate(bgra, Int32(size.width) * 4, upright, stride, Int32(size.width), height, mode)
    }
}

extension AVFrame {
    /// BT.601, or unspecified: nearly all cameras.
    private var isBT601: Bool {
        [AVCOL_SPC_UNSPECIFIED, AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M].contains(colorspace)
    }

    /// Writes the frame as BGRA, rows of `stride` bytes. False for a format that libyuv does not convert correctly.
    func convertQuickly(to bgra: UnsafeMutablePointer<UInt8>, stride: Int32) -> Bool {
        guard isBT601, let first = data.0 else { return false }
        let isFullRange = color_range == AVCOL_RANGE_JPEG
        // libyuv names formats from a word's highest byte down: its ARGB is BGRA in memory.
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
