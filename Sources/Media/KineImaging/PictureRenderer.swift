// Draws pictures into memory of any layout: the pixels of a plan, converted to the pixel format.
import CYUV
import KineMedia

/// Draws pictures of one geometry and layout, only where they changed. Used by one thread.
public final class PictureRenderer {
    public let layout: FrameLayout
    private let plan: PicturePlan
    /// For planar sources with standard colours, if the geometry allows it.
    private let planarPlan: PlanarPlan?
    /// BGRA before its conversion, and 4:2:0 before its conversion to NV12.
    private let band: OwnedMemory
    private let subsampled: PlanarFrame
    private let subsampledMemory: OwnedMemory

    /// The most rows to draw at once; see `Compositor`.
    private static let mostRows = 4 * DamageRegion.tileSide

    /// `geometry.size` is the layout's or its visible part's: an odd last column or row is drawn twice.
    public init(_ geometry: PictureGeometry, layout: FrameLayout) {
        precondition(geometry.size.roundedUpToEven == layout.size, "a layout of another size")
        plan = PicturePlan(geometry)
        planarPlan = PlanarPlan(geometry)
        self.layout = layout
        let part = FrameLayout(pixelFormat: .i420, size: PixelSize(width: layout.size.width, height: Self.mostRows))
        band = OwnedMemory(byteCount: layout.size.width * Self.mostRows * 4)
        subsampledMemory = OwnedMemory(byteCount: part.slotBytes)
        subsampled = part.i420(at: subsampledMemory.base)
    }

    public var geometry: PictureGeometry { plan.geometry }

    /// Draws the tiles of `region`, a region of the picture, into the memory of the layout at `target`.
    public func draw(_ region: DamageRegion, of source: PictureSource, at target: UnsafeMutableRawPointer) {
        let rows = geometry.orientation.isTransposed ? Self.mostRows : DamageRegion.tileSide
        for rect in region.rectangles() {
            if geometry.isIdentity, source.isStandard {
                convert(source, rect, to: target)
                continue
            }
            for top in stride(from: rect.y, to: rect.maxY, by: rows) {
                let part = PixelRect(x: rect.x, y: top, width: rect.width, height: min(rows, rect.maxY - top))
                if case .planar(let frame) = source, source.isStandard, let planarPlan, geometry.size == layout.size {
                    let isPlanar = layout.pixelFormat == .i420
                    let planes = isPlanar ? layout.i420(at: target).part(part) : subsampled
                    planarPlan.draw(part, of: frame, to: planes)
                    if !isPlanar { convert(planes, part, to: target) }
                } else if layout.pixelFormat == .bgra {
                    plan.draw(part, of: source, to: target + offset(of: part), stride: layout.planeStrides[0])
                } else {
                    plan.draw(part, of: source, to: band.base, stride: part.width * 4)
                    convert(bgra: UnsafeRawPointer(band.base), stride: part.width * 4, part, to: target)
                }
            }
        }
    }

    private func offset(of rect: PixelRect) -> Int { rect.y * layout.planeStrides[0] + rect.x * 4 }

    /// Draws a part of a source that equals the picture.
    private func convert(_ source: PictureSource, _ rect: PixelRect, to target: UnsafeMutableRawPointer) {
        switch source {
        case .bgra(let base, let stride) where layout.pixelFormat == .bgra:
            ARGBCopy(
                (base + rect.y * stride + rect.x * 4).assumingMemoryBound(to: UInt8.self), Int32(stride),
                (target + offset(of: rect)).assumingMemoryBound(to: UInt8.self), Int32(layout.planeStrides[0]),
                Int32(rect.width), Int32(rect.height))
        case .bgra(let base, let stride):
            for top in Swift.stride(from: rect.y, to: rect.maxY, by: Self.mostRows) {
                let height = min(Self.mostRows, rect.maxY - top)
                let part = PixelRect(x: rect.x, y: top, width: rect.width, height: height)
                convert(bgra: base + top * stride + rect.x * 4, stride: stride, part, to: target)
            }
        case .planar(let frame): convert(frame.part(rect), rect, to: target)
        }
    }

    private func convert(bgra: UnsafeRawPointer, stride: Int, _ part: PixelRect, to target: UnsafeMutableRawPointer) {
        let isPlanar = layout.pixelFormat == .i420
        let planes = isPlanar ? layout.i420(at: target).part(part) : subsampled
        planes.convert(
            bgra: bgra.assumingMemoryBound(to: UInt8.self), stride: stride, width: part.width, height: part.height)
        let even = part.size.roundedUpToEven
        planes.repeatOddEdges(width: part.width, height: part.height)
        guard !isPlanar else { return }
        convert(planes, PixelRect(origin: (part.x, part.y), size: even), to: target)
    }

    /// `from` begins at `rect`.
    private func convert(_ from: PlanarFrame, _ rect: PixelRect, to target: UnsafeMutableRawPointer) {
        let bytes = target.assumingMemoryBound(to: UInt8.self)
        let stride = layout.planeStrides[0]
        let (width, height) = (Int32(rect.width), Int32(rect.height))
        let (luma, chroma) = (Int32(from.lumaStride), Int32(from.chromaStride))
        switch layout.pixelFormat {
        case .i420:
            let to = layout.i420(at: target).part(rect)
            I420Copy(
                from.y, luma, from.u, chroma, from.v, chroma, to.y, Int32(to.lumaStride), to.u,
                Int32(to.chromaStride), to.v, Int32(to.chromaStride), width, height)
        case .nv12:
            let pairs = bytes + layout.planeOffsets[1] + rect.y / 2 * layout.planeStrides[1] + rect.x
            I420ToNV12(
                from.y, luma, from.u, chroma, from.v, chroma, bytes + rect.y * stride + rect.x, Int32(stride), pairs,
                Int32(layout.planeStrides[1]), width, height)
        case .bgra:
            PlanarFrame(
                size: rect.size, y: from.y, u: from.u, v: from.v, lumaStride: from.lumaStride,
                chromaStride: from.chromaStride
            ).convert(toBGRA: bytes + offset(of: rect), stride: stride)
        }
    }
}

/// A view of a whole frame. Its maker owns the memory.
public enum PictureSource {
    /// `base` is the first pixel; `stride` is in bytes.
    case bgra(base: UnsafeRawPointer, stride: Int)
    case planar(PlanarFrame)

    /// Whether its colours are those of every `FrameLayout`, so that its pixels can be copied or converted directly.
    var isStandard: Bool {
        switch self {
        case .bgra: true
        case .planar(let frame): frame.colour == .standard
        }
    }
}
