// The upright frame that is encoded: black bars, and the take's frame in the middle.
import KineMedia

/// 540×960 pixels. The bars are drawn once; each frame writes its own area alone.
final class PortraitFrame {
    static let size = PixelSize(width: 540, height: 960)

    let frame: PlanarFrame
    private let memory: UnsafeMutableRawBufferPointer
    private var area = PixelRect(x: 0, y: 0, width: 0, height: 0)

    init() {
        let layout = FrameLayout(pixelFormat: .i420, size: Self.size)
        memory = .allocate(byteCount: layout.slotBytes, alignment: 64)
        frame = layout.i420(at: memory.baseAddress!)  // never nil: it was allocated just now
        drawBars()
    }

    deinit { memory.deallocate() }

    /// Copies a frame into the middle. False where it is too large: the manifest asks the engine to scale frames down, so this
    /// happens only with another extension's.
    func draw(_ pixels: borrowing PixelBuffer) -> Bool {
        // Chroma planes have half the sides: an odd last row or column is left out.
        let (width, height) = (pixels.visibleSize.width & ~1, pixels.visibleSize.height & ~1)
        guard pixels.format == .i420, width <= Self.size.width, height <= Self.size.height else { return false }
        let area = PixelRect(
            x: (Self.size.width - width) / 2 & ~1, y: (Self.size.height - height) / 2 & ~1, width: width,
            height: height)
        if area != self.area {
            drawBars()
            self.area = area
        }
        let chroma = area.y / 2 * frame.chromaStride + area.x / 2
        copy(pixels[plane: 0], width, height, to: frame.y + area.y * frame.lumaStride + area.x, frame.lumaStride)
        copy(pixels[plane: 1], width / 2, height / 2, to: frame.u + chroma, frame.chromaStride)
        copy(pixels[plane: 2], width / 2, height / 2, to: frame.v + chroma, frame.chromaStride)
        return true
    }

    private func copy(
        _ plane: PixelBuffer.Plane, _ width: Int, _ height: Int, to target: UnsafeMutablePointer<UInt8>, _ stride: Int
    ) {
        for row in 0..<height {
            plane.row(row).extracting(first: width).withUnsafeBufferPointer { bytes in
                if let first = bytes.baseAddress { (target + row * stride).update(from: first, count: width) }
            }
        }
    }

    /// Black in limited range (ITU-R BT.709): luma 16, chroma 128.
    private func drawBars() {
        frame.y.update(repeating: 16, count: frame.lumaStride * Self.size.height)
        frame.u.update(repeating: 128, count: frame.chromaStride * Self.size.height / 2)
        frame.v.update(repeating: 128, count: frame.chromaStride * Self.size.height / 2)
    }
}
