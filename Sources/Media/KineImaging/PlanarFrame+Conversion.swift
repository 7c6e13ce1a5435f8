// Between BGRA and the planes of a frame, in whatever samples it has.
import CPixels
import KineMedia

extension PlanarFrame {
    /// Draws pixels of BGRA at the frame's upper left corner; an odd last column or row of 4:2:0 counts twice in its chroma.
    func convert(bgra: UnsafePointer<UInt8>, stride: Int, width: Int, height: Int) {
        let kernel =
            switch (colour.chroma, colour.isFullRange) {
            case (.yuv420, false): kine_bgra_to_i420_bt709
            case (.yuv420, true): kine_bgra_to_i420_bt709_full
            case (.yuv444, false): kine_bgra_to_i444_bt709
            case (.yuv444, true): kine_bgra_to_i444_bt709_full
            }
        kernel(bgra, stride, y, lumaStride, u, chromaStride, v, chromaStride, Int32(width), Int32(height))
    }

    /// Draws the whole frame as BGRA.
    func convert(toBGRA target: UnsafeMutablePointer<UInt8>, stride: Int) {
        let kernel =
            switch (colour.chroma, colour.isFullRange) {
            case (.yuv420, false): kine_i420_to_bgra_bt709
            case (.yuv420, true): kine_i420_to_bgra_bt709_full
            case (.yuv444, false): kine_i444_to_bgra_bt709
            case (.yuv444, true): kine_i444_to_bgra_bt709_full
            }
        kernel(y, lumaStride, u, chromaStride, v, chromaStride, target, stride, Int32(size.width), Int32(size.height))
    }

    /// Repeats an odd last column or row of pixels drawn at the upper left corner: the coded frame has even sides.
    func repeatOddEdges(width: Int, height: Int) {
        repeatOddEdges(of: y, lumaStride, width, height)
        guard colour.chroma == .yuv444 else { return }
        repeatOddEdges(of: u, chromaStride, width, height)
        repeatOddEdges(of: v, chromaStride, width, height)
    }

    private func repeatOddEdges(of plane: UnsafeMutablePointer<UInt8>, _ stride: Int, _ width: Int, _ height: Int) {
        if width & 1 == 1 {
            for row in 0..<height { plane[row * stride + width] = plane[row * stride + width - 1] }
        }
        if height & 1 == 1 {
            (plane + height * stride).update(from: plane + (height - 1) * stride, count: (width + 1) & ~1)
        }
    }
}
