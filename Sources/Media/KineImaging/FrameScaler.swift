// Makes frames of another size or pixel format than the encoder's, for readers that request them: from the encoder's
// frame, only when one is due, and only where it changed.
import CPixels
import KineMedia

/// Makes frames of one size and format in its own slots. Used by one thread; any thread may release slots.
public final class FrameScaler {
    /// A converted frame, retained once; see `SlotReferences`.
    public struct Frame: Sendable {
        public let slot: Int
        /// The tiles, on the converted frame's grid, that may differ from the previous converted frame.
        public let changed: DamageRegion
    }

    public let layout: FrameLayout
    public let references: SlotReferences
    private let renderer: PictureRenderer
    private let base: UnsafeMutableRawPointer
    /// For each slot, the changes since it was last up to date, on the converted frame's grid.
    private var missed: [DamageRegion]
    /// The changes since the last frame.
    private var changed: DamageRegion

    /// `geometry` maps the encoder's frames to the converted ones, whose even size is `layout.size`.
    public init(_ geometry: PictureGeometry, layout: FrameLayout, slotCount: Int, memory: FrameRing.Memory) {
        renderer = PictureRenderer(geometry, layout: layout)
        self.layout = layout
        base = memory.base
        references = SlotReferences(slotCount: slotCount, memory: memory.owner)
        changed = .full(size: layout.size)
        missed = Array(repeating: changed, count: slotCount)
    }

    /// Notes the damage of an encoder's frame, on that frame's grid. Call for each frame, also if it is not converted.
    public func note(_ damage: DamageRegion) {
        let geometry = renderer.geometry
        let mapped = geometry.map(DamageRegion(damage, size: geometry.source))
        changed.formUnion(DamageRegion(mapped, size: layout.size))
    }

    /// Converts `frame`, whose damage was noted. Nil if no slot is free: the next frame then has this one's damage.
    public func convert(_ frame: PlanarFrame) -> Frame? {
        for slot in missed.indices { missed[slot].formUnion(changed) }
        guard let index = references.cheapestFree(except: nil, cost: { missed[$0].tileCount }) else { return nil }
        let target = base + index * layout.slotBytes
        if !missed[index].isEmpty {
            renderer.draw(DamageRegion(missed[index], size: renderer.geometry.size), of: .planar(frame), at: target)
        }
        missed[index].removeAll()
        references.retain(index)
        defer { changed.removeAll() }
        return Frame(slot: index, changed: changed)
    }
}

// Converts between BGRA and the planes of a frame, in any colour format.
extension PlanarFrame {
    /// Draws BGRA pixels at the upper left corner; an odd last column or row of 4:2:0 counts twice in its chroma.
    func convert(bgra: UnsafePointer<UInt8>, stride: Int, width: Int, height: Int) {
        kine_bgra_to_planes(
            bgra, stride, y, lumaStride, u, chromaStride, v, chromaStride, Int32(width), Int32(height),
            colour.isFullRange, colour.chroma == .yuv444)
    }

    /// Draws the whole frame as BGRA.
    func convert(toBGRA target: UnsafeMutablePointer<UInt8>, stride: Int) {
        kine_planes_to_bgra(
            y, lumaStride, u, chromaStride, v, chromaStride, target, stride, Int32(size.width), Int32(size.height),
            colour.isFullRange, colour.chroma == .yuv444)
    }

    /// Repeats an odd last column or row of the pixels drawn at the upper left corner: coded frames have even sides.
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
