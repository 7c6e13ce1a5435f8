// Frames of another size or pixel format than the encoder's, for readers that want them: made from the encoder's frame, only
// when one is due, and only where something changed.
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
    private let renderer: PictureRenderer
    private let base: UnsafeMutableRawPointer
    /// For each slot, the changes since it was last up to date, on the converted frame's grid.
    private var missed: [DamageRegion]
    /// The changes since the last frame.
    private var changed: DamageRegion

    /// `geometry` leads from the encoder's frames to the converted ones, whose even size is `layout.size`.
    public init(_ geometry: PictureGeometry, layout: FrameLayout, slotCount: Int, memory: FrameRing.Memory) {
        renderer = PictureRenderer(geometry, layout: layout)
        self.layout = layout
        base = memory.base
        loans = SlotLoans(slotCount: slotCount, memory: memory.owner)
        changed = .full(size: layout.size)
        missed = Array(repeating: changed, count: slotCount)
    }

    /// Notes the damage of the encoder's frame, on that frame's grid, before `convert` or in place of it.
    public func note(_ damage: DamageRegion) {
        let geometry = renderer.geometry
        let mapped = geometry.map(DamageRegion(damage, size: geometry.source))
        changed.formUnion(DamageRegion(mapped, size: layout.size))
    }

    /// Converts `frame`, whose damage has been noted. Nil if every slot is lent: the next frame then carries this one's damage.
    public func convert(_ frame: PlanarFrame) -> Frame? {
        for slot in missed.indices { missed[slot].formUnion(changed) }
        guard let index = loans.cheapestFree(except: nil, cost: { missed[$0].tileCount }) else { return nil }
        let target = base + index * layout.slotBytes
        if !missed[index].isEmpty {
            renderer.draw(DamageRegion(missed[index], size: renderer.geometry.size), of: .planar(frame), at: target)
        }
        missed[index].removeAll()
        loans.retain(index)
        defer { changed.removeAll() }
        return Frame(slot: index, changed: changed)
    }
}
