// Frames of another size or pixel format than the encoder's, for readers that want them: made from the encoder's frame, only
// when one is due, and only where something changed.
import CPixels
import CYUV
import KineMedia

/// Makes frames of one size and format in slots of their own. Belongs to one thread; slots are given back from any.
public final class FrameScaler {
    /// A converted frame, lent once; see `SlotLoans`.
    public struct Frame: Sendable {
        public let slot: Int
        /// The tiles, of the converted frame's own grid, that may differ from the frame converted before this one.
        public let changed: DamageRegion
    }

    public let layout: FrameLayout
    public let loans: SlotLoans
    private let sourceSize: PixelSize
    private let base: UnsafeMutableRawPointer
    /// For each slot, the changes since it was last up to date, on the converted frame's grid.
    private var missed: [DamageRegion]
    /// A scaled frame on its way to another format.
    private let scaled: (planes: I420Frame, memory: UnsafeMutableRawPointer)?
    /// Rows that are scaled at once.
    private let bands: (sourceRows: Int, targetRows: Int)
    /// The changes since the last frame.
    private var changed: DamageRegion

    /// `sourceSize` is the encoder's frames' size, `layout.size` that of the converted ones.
    public init(sourceSize: PixelSize, layout: FrameLayout, slotCount: Int, memory: FrameRing.Memory) {
        self.sourceSize = sourceSize
        self.layout = layout
        base = memory.base
        loans = SlotLoans(slotCount: slotCount, memory: memory.owner)
        changed = .full(size: layout.size)
        missed = Array(repeating: changed, count: slotCount)
        bands = Self.bands(from: sourceSize.height, to: layout.size.height)
        if sourceSize != layout.size && layout.pixelFormat != .i420 {
            let between = FrameLayout(pixelFormat: .i420, size: layout.size)
            let memory = UnsafeMutableRawPointer.allocate(byteCount: between.slotBytes, alignment: 64)
            scaled = (between.i420(at: memory), memory)
        } else {
            scaled = nil
        }
    }

    deinit { scaled?.memory.deallocate() }

    /// Notes the damage of the encoder's frame, on that frame's grid, before `convert` or in place of it.
    public func note(_ damage: DamageRegion) {
        if damage.size == layout.size {
            changed.formUnion(damage)
            return
        }
        let mapping = DamageMapping(from: sourceSize, to: layout.size)
        for rect in damage.rectangles() { changed.insert(mapping.map(rect)) }
    }

    /// Converts `frame`, whose damage has been noted. Nil if every slot is lent: the next frame then carries this one's damage.
    public func convert(_ frame: I420Frame) -> Frame? {
        for slot in missed.indices { missed[slot].formUnion(changed) }
        guard let index = loans.cheapestFree(except: nil, cost: { missed[$0].tileCount }) else { return nil }
        let target = base + index * layout.slotBytes
        if !missed[index].isEmpty { draw(frame, missed[index], at: target) }
        missed[index].removeAll()
        loans.retain(index)
        defer { changed.removeAll() }
        return Frame(slot: index, changed: changed)
    }

    private func draw(_ frame: I420Frame, _ region: DamageRegion, at target: UnsafeMutableRawPointer) {
        switch layout.pixelFormat {
        case .i420 where sourceSize == layout.size:
            let planes = layout.i420(at: target)
            for rect in region.rectangles() { copy(frame, rect, to: planes) }
        case .i420:
            scale(frame, region, to: layout.i420(at: target))
        case .nv12, .bgra:
            guard let scaled else {
                for rect in region.rectangles() { convert(frame, rect, to: target) }
                return
            }
            scale(frame, region, to: scaled.planes)
            for rect in region.rectangles() { convert(scaled.planes, rect, to: target) }
        }
    }

    /// Scales the bands that `region` touches, each by itself, so that a band always comes out alike.
    private func scale(_ source: I420Frame, _ region: DamageRegion, to target: I420Frame) {
        let bandRows = bands.targetRows
        var next = 0
        for row in 0..<region.rows where !region.runs(row: row).isEmpty {
            let first = max(next, row * DamageRegion.tileSide / bandRows)
            let last = (min((row + 1) * DamageRegion.tileSide, layout.size.height) - 1) / bandRows
            guard first <= last else { continue }
            for band in first...last { scale(source, band: band, to: target) }
            next = last + 1
        }
    }

    private func scale(_ source: I420Frame, band: Int, to target: I420Frame) {
        let from = source.part(
            PixelRect(
                x: 0, y: band * bands.sourceRows, width: source.size.width, height: bands.sourceRows))
        let to = target.part(
            PixelRect(x: 0, y: band * bands.targetRows, width: target.size.width, height: bands.targetRows))
        let height = Int32(min(bands.sourceRows, source.size.height - band * bands.sourceRows))
        let targetHeight = Int32(min(bands.targetRows, target.size.height - band * bands.targetRows))
        I420Scale(
            from.y, Int32(from.lumaStride), from.u, Int32(from.chromaStride), from.v, Int32(from.chromaStride),
            Int32(source.size.width), height, to.y, Int32(to.lumaStride), to.u, Int32(to.chromaStride), to.v,
            Int32(to.chromaStride), Int32(target.size.width), targetHeight, kFilterBox)
    }

    /// The shortest bands, at least a tile high, whose borders lie between rows both before and after scaling: libyuv's steps
    /// from row to row begin at the edge of its input, so that any other part would not meet its neighbours.
    private static func bands(from source: Int, to target: Int) -> (sourceRows: Int, targetRows: Int) {
        // Counted in pairs of rows, for the sake of the chroma planes.
        var (divisor, rest) = (source / 2, target / 2)
        while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
        let (sourceStep, targetStep) = (source / divisor, target / divisor)
        let count = (DamageRegion.tileSide + targetStep - 1) / targetStep
        return (sourceStep * count, targetStep * count)
    }

    private func copy(_ source: I420Frame, _ rect: PixelRect, to target: I420Frame) {
        let from = source.part(rect)
        let to = target.part(rect)
        I420Copy(
            from.y, Int32(from.lumaStride), from.u, Int32(from.chromaStride), from.v, Int32(from.chromaStride), to.y,
            Int32(to.lumaStride), to.u, Int32(to.chromaStride), to.v, Int32(to.chromaStride), Int32(rect.width),
            Int32(rect.height))
    }

    private func convert(_ source: I420Frame, _ rect: PixelRect, to target: UnsafeMutableRawPointer) {
        let from = source.part(rect)
        let bytes = target.assumingMemoryBound(to: UInt8.self)
        let stride = layout.planeStrides[0]
        if layout.pixelFormat == .nv12 {
            let chroma = bytes + layout.planeOffsets[1] + rect.y / 2 * layout.planeStrides[1] + rect.x
            I420ToNV12(
                from.y, Int32(from.lumaStride), from.u, Int32(from.chromaStride), from.v, Int32(from.chromaStride),
                bytes + rect.y * stride + rect.x, Int32(stride), chroma, Int32(layout.planeStrides[1]),
                Int32(rect.width), Int32(rect.height))
        } else {
            kine_i420_to_bgra_bt709(
                from.y, from.lumaStride, from.u, from.chromaStride, from.v, from.chromaStride,
                bytes + rect.y * stride + rect.x * 4, stride, Int32(rect.width), Int32(rect.height))
        }
    }
}
