// A frame as a still image: scaled, and in the colours of image files.
import CYUV
import KineMedia

/// A copy of a frame. Not thread-safe: one thread uses it.
public final class StillImage {
    /// The visible size in pixels. The sides may be odd.
    public let size: PixelSize
    private let layout: FrameLayout
    private let bgra: OwnedMemory

    /// Copies a frame and scales it down.
    /// - Parameters:
    ///   - visibleSize: the visible part of the frame. A side may be odd, and one smaller than the frame's.
    ///   - limit: the image fits into it and keeps its shape; nil: no scaling. It is never enlarged.
    public init(_ frame: PlanarFrame, visibleSize: PixelSize, fitting limit: PixelSize?) {
        var size = visibleSize
        if let limit, limit.width < size.width || limit.height < size.height { size = size.aspectFit(into: limit) }
        self.size = size
        layout = FrameLayout(pixelFormat: .bgra, size: size.roundedUpToEven)
        bgra = OwnedMemory(byteCount: layout.slotBytes)
        guard layout.size != frame.size else {
            convert(frame)
            return
        }
        let between = PlanarLayout(size: layout.size, colour: frame.colour)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: between.slotBytes, alignment: 64)
        defer { memory.deallocate() }
        let scaled = between.frame(at: memory)
        let scale =
            switch frame.colour.chroma {
            case .yuv420: I420Scale
            case .yuv444: I444Scale
            }
        _ = scale(
            frame.y, Int32(frame.lumaStride), frame.u, Int32(frame.chromaStride), frame.v, Int32(frame.chromaStride),
            Int32(frame.size.width), Int32(frame.size.height), scaled.y, Int32(scaled.lumaStride), scaled.u,
            Int32(scaled.chromaStride), scaled.v, Int32(scaled.chromaStride), Int32(scaled.size.width),
            Int32(scaled.size.height), kFilterBox)
        convert(scaled)
    }

    /// Scales BGRA pixels down.
    ///
    /// - Parameters:
    ///   - pixels: rows without gaps.
    ///   - limit: the image fits into it and keeps its shape. It is never enlarged.
    public init(bgra pixels: UnsafeRawPointer, size pixelSize: PixelSize, fitting limit: PixelSize) {
        let isLarger = limit.width < pixelSize.width || limit.height < pixelSize.height
        size = isLarger ? pixelSize.aspectFit(into: limit) : pixelSize
        layout = FrameLayout(pixelFormat: .bgra, size: size.roundedUpToEven)
        bgra = OwnedMemory(zeros: layout.slotBytes)
        _ = ARGBScale(
            pixels.assumingMemoryBound(to: UInt8.self), Int32(pixelSize.width * 4), Int32(pixelSize.width),
            Int32(pixelSize.height), bgra.base.assumingMemoryBound(to: UInt8.self), Int32(layout.planeStrides[0]),
            Int32(size.width), Int32(size.height), kFilterBox)
    }

    private func convert(_ frame: PlanarFrame) {
        frame.convert(toBGRA: bgra.base.assumingMemoryBound(to: UInt8.self), stride: layout.planeStrides[0])
    }

    private var pixels: (bytes: UnsafePointer<UInt8>, stride: Int32) {
        (UnsafePointer(bgra.base.assumingMemoryBound(to: UInt8.self)), Int32(layout.planeStrides[0]))
    }

    /// Red, green and blue, three bytes a pixel, rows without gaps.
    public func rgb() -> [UInt8] {
        let rowBytes = size.width * 3
        return [UInt8](unsafeUninitializedCapacity: rowBytes * size.height) { target, count in
            // libyuv names formats from a word's highest byte down: its ARGB is BGRA in memory, its RAW is RGB.
            ARGBToRAW(
                pixels.bytes, pixels.stride, target.baseAddress, Int32(rowBytes), Int32(size.width), Int32(size.height))
            count = rowBytes * size.height
        }
    }

    /// The planes of JFIF in order, rows without gaps: 4:2:0, its chroma planes' sides rounded up, BT.601 with full
    /// range.
    public func jfif() -> [UInt8] {
        let chroma = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
        return [UInt8](unsafeUninitializedCapacity: size.area + 2 * chroma.area) { target, count in
            guard let y = target.baseAddress else { return }
            ARGBToJ420(
                pixels.bytes, pixels.stride, y, Int32(size.width), y + size.area, Int32(chroma.width),
                y + size.area + chroma.area, Int32(chroma.width), Int32(size.width), Int32(size.height))
            count = size.area + 2 * chroma.area
        }
    }
}
