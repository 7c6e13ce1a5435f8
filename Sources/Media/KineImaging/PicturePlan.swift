// Crops, scales and turns a source's pixels for a part of a picture. A part has the same bytes as in the whole picture,
// so that only changed parts need to be drawn.
import CPixels
import CYUV
import KineMedia

/// Draws pictures of one geometry. Keeps its scratch memory. Used by one thread.
public final class PicturePlan {
    public let geometry: PictureGeometry
    /// Nil without scaling.
    private let scale: (across: ScaleAxis, down: ScaleAxis)?
    private let scratch: UnsafeMutablePointer<UInt16>
    private var loadedPixels = ScratchMemory()
    private var scaledPixels = ScratchMemory()

    public init(_ geometry: PictureGeometry) {
        self.geometry = geometry
        let (from, to) = (geometry.part.size, geometry.scaledSize)
        scale =
            from == to
            ? nil
            : (ScaleAxis(from: from.width, to: to.width), ScaleAxis(from: from.height, to: to.height))
        scratch = .allocate(capacity: 4 * from.width + 4)
    }

    deinit { scratch.deallocate() }

    /// Draws `rect` of the picture as BGRA. `target` is its first pixel.
    public func draw(_ rect: PixelRect, of source: PictureSource, to target: UnsafeMutableRawPointer, stride: Int) {
        let common = rect.intersection(geometry.place)
        if common != rect { blacken(rect, to: target, stride: stride) }
        guard !common.isEmpty else { return }
        let first = (target + (common.y - rect.y) * stride + (common.x - rect.x) * 4).assumingMemoryBound(
            to: UInt8.self)
        let clip = geometry.orientation.turnedBack(
            common.offset(x: -geometry.place.x, y: -geometry.place.y), of: geometry.scaledSize)
        guard let scale else { return turn(load(clip, of: source), clip, to: first, stride: stride) }
        let pixels = load(Self.needed(for: clip, scale.across, scale.down), of: source)
        if geometry.orientation == .up {
            self.scale(pixels, clip, to: first, stride: stride)
        } else {
            let scaled = scaledPixels.view(of: clip)
            self.scale(pixels, clip, to: scaled[clip.x, clip.y], stride: scaled.stride)
            turn(scaled, clip, to: first, stride: stride)
        }
    }

    private func blacken(_ rect: PixelRect, to target: UnsafeMutableRawPointer, stride: Int) {
        ARGBRect(
            target.assumingMemoryBound(to: UInt8.self), Int32(stride), 0, 0, Int32(rect.width), Int32(rect.height),
            0xff00_0000)
    }

    /// The pixels of the shown part that a part of the scaled frame needs.
    private static func needed(for clip: PixelRect, _ across: ScaleAxis, _ down: ScaleAxis) -> PixelRect {
        let (columns, rows) = (across.read(for: clip.x..<clip.maxX), down.read(for: clip.y..<clip.maxY))
        return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    private func scale(_ pixels: PixelView, _ clip: PixelRect, to target: UnsafeMutablePointer<UInt8>, stride: Int) {
        guard let scale else { return }
        withUnsafePointer(to: scale.across.table) { across in
            withUnsafePointer(to: scale.down.table) { down in
                kine_scale_bgra(
                    pixels[0, 0], pixels.stride, target, stride, Int32(clip.x), Int32(clip.y), Int32(clip.width),
                    Int32(clip.height), across, down, scratch)
            }
        }
    }

    /// Loads `rect` of the shown part, unscaled.
    private func load(_ rect: PixelRect, of source: PictureSource) -> PixelView {
        let part = geometry.part
        switch source {
        case .bgra(let base, let stride):
            let first = base + part.y * stride + part.x * 4
            return PixelView(
                base: UnsafeMutableRawPointer(mutating: first).assumingMemoryBound(to: UInt8.self), stride: stride)
        case .planar(let frame):
            // A chroma sample of 4:2:0 covers a square of two by two pixels.
            let left = (part.x + rect.x) & ~1
            let top = (part.y + rect.y) & ~1
            let right = (part.x + rect.maxX + 1) & ~1
            let bottom = (part.y + rect.maxY + 1) & ~1
            let even = PixelRect(x: left, y: top, width: right - left, height: bottom - top)
            let view = loadedPixels.view(of: even.offset(x: -part.x, y: -part.y))
            frame.part(even).convert(toBGRA: view[left - part.x, top - part.y], stride: view.stride)
            return view
        }
    }

    private func turn(_ view: PixelView, _ clip: PixelRect, to target: UnsafeMutablePointer<UInt8>, stride: Int) {
        let from = view[clip.x, clip.y]
        let (fromStride, toStride) = (Int32(view.stride), Int32(stride))
        let (width, height) = (Int32(clip.width), Int32(clip.height))
        // With a negative height, libyuv first turns a frame upside down.
        switch geometry.orientation {
        case .up: ARGBCopy(from, fromStride, target, toStride, width, height)
        case .upMirrored: ARGBMirror(from, fromStride, target, toStride, width, height)
        case .down: ARGBRotate(from, fromStride, target, toStride, width, height, kRotate180)
        case .downMirrored: ARGBCopy(from, fromStride, target, toStride, width, -height)
        case .leftMirrored: ARGBRotate(from, fromStride, target, toStride, width, -height, kRotate90)
        case .right: ARGBRotate(from, fromStride, target, toStride, width, height, kRotate90)
        case .rightMirrored: ARGBRotate(from, fromStride, target, toStride, width, -height, kRotate270)
        case .left: ARGBRotate(from, fromStride, target, toStride, width, height, kRotate270)
        }
    }
}

/// BGRA pixels of a part of a frame, addressed by their position in the frame.
private struct PixelView {
    /// Where the frame's first pixel would be.
    let base: UnsafeMutablePointer<UInt8>
    let stride: Int

    subscript(x: Int, y: Int) -> UnsafeMutablePointer<UInt8> { base + y * stride + x * 4 }
}

extension ScratchMemory {
    /// A view of `rect`, a part of a frame, valid until the next call.
    fileprivate mutating func view(of rect: PixelRect) -> PixelView {
        let stride = (rect.width * 4 + 63) & ~63
        let first = memory(stride * rect.height).assumingMemoryBound(to: UInt8.self)
        return PixelView(base: first - rect.y * stride - rect.x * 4, stride: stride)
    }
}
