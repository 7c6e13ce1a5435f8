// The slots between capture and encoder. Capture draws its damage into a free slot; the ring finds the tiles that
// differ from the previous frame, and copies into the slot the changes that it missed (buffer age).
import CPixels
import KineMedia

/// A few planar frames that are filled in turn. One thread draws; readers use slots and release them.
///
/// Pixels are first converted into a scratch band of one tile's height, which stays in the processor's cache, compared
/// there with the newest frame, and copied only where it differs or where the slot is out of date.
public final class FrameRing {
    /// A finished frame, retained once: each further reader retains its slot, and the last release frees it.
    public struct Frame: Sendable {
        public let planes: PlanarFrame
        /// The tiles that differ from the previous committed frame.
        public let changed: DamageRegion
        /// The slot's number in the ring's memory.
        public let slot: Int
    }

    private struct Slot {
        let planes: PlanarFrame
        /// The newest frame's changes since this slot was last up to date.
        var missed: DamageRegion
        /// Whether the slot was never drawn in; its memory was not touched then.
        var isFresh = true
    }

    /// The memory of the slots, and its owner.
    public struct Memory {
        let base: UnsafeMutableRawPointer
        let owner: any AnyObject & Sendable

        /// `base`: page-aligned, with room for all slots in the ring's layout. `owner` frees it.
        public init(base: UnsafeMutableRawPointer, owner: any AnyObject & Sendable) {
            self.base = base
            self.owner = owner
        }

        fileprivate init(byteCount: Int) {
            // `SlotReferences` decides which thread may use a slot.
            let own = OwnedMemory(byteCount: byteCount)
            self.init(base: own.base, owner: own)
        }
    }

    public let layout: PlanarLayout
    /// The readers of each slot; any thread releases frames here.
    public let references: SlotReferences
    private var slots: [Slot]
    private var newest: Int?
    private var drawing: Int?
    private var changed: DamageRegion
    private let scratchMemory: OwnedMemory
    private let scratch: PlanarFrame

    /// At least three slots: for the encoder, the next frame, and drawing. Each further reader that is not waited for
    /// needs two more: the frame that it reads, and the next one.
    public init(size: PixelSize, colour: ColourFormat = .standard, slotCount: Int = 3, memory: Memory? = nil) {
        let layout = PlanarLayout(size: size, colour: colour)
        self.layout = layout
        let memory = memory ?? Memory(byteCount: layout.slotBytes * slotCount)
        // One band of tiles, with the layout of a slot's rows.
        let band = PlanarLayout(size: PixelSize(width: size.width, height: 16), colour: colour)
        scratchMemory = OwnedMemory(byteCount: band.slotBytes)
        scratch = band.frame(at: scratchMemory.base)
        slots = (0..<slotCount).map {
            Slot(planes: layout.frame(at: memory.base + $0 * layout.slotBytes), missed: .full(size: size))
        }
        references = SlotReferences(slotCount: slotCount, memory: memory.owner)
        changed = DamageRegion(size: size)
    }

    /// The frame's size in pixels, both sides even.
    public var size: PixelSize { layout.size }

    private var chroma: ColourFormat.Chroma { layout.colour.chroma }

    public var hasFreeSlot: Bool { references.firstFree(except: newest) != nil }

    /// Begins to draw in a free slot. False if none is free: the encoder is late, and no frame should be read now.
    public func begin() -> Bool {
        precondition(drawing == nil, "the last frame was neither committed nor abandoned")
        // Drawing is compared with the newest frame, which is never drawn over. Of the other slots, uses the one with
        // the fewest missed tiles; a fresh one misses all of them, and stays unused as long as possible.
        guard let slot = references.cheapestFree(except: newest, cost: { slots[$0].missed.tileCount }) else {
            return false
        }
        drawing = slot
        if slots[slot].isFresh {
            slots[slot].isFresh = false
            blacken(slots[slot].planes)
        }
        return true
    }

    /// Done only when a slot is needed: spare slots are mostly unused and then cost no memory.
    private func blacken(_ planes: PlanarFrame) {
        planes.y.initialize(repeating: planes.colour.black, count: planes.lumaStride * layout.lumaRows)
        for plane in [planes.u, planes.v] {
            plane.initialize(repeating: ColourFormat.noColour, count: planes.chromaStride * layout.chromaRows)
        }
    }

    /// Draws a rectangle of BGRA pixels at `rect`. Its sides must be multiples of 16, except at the right and bottom
    /// edge of the frame. An odd last column or row is repeated.
    public func draw(_ rect: PixelRect, bgra pixels: UnsafeRawPointer, stride: Int) {
        precondition(rect.x % 16 == 0 && rect.y % 16 == 0, "drawing starts on a tile")
        let source = pixels.assumingMemoryBound(to: UInt8.self)
        var top = 0
        while top < rect.height {
            let height = min(16, rect.height - top)
            scratch.convert(bgra: source + top * stride, stride: stride, width: rect.width, height: height)
            scratch.repeatOddEdges(width: rect.width, height: height)
            mergeBand(
                row: (rect.y + top) / 16, firstColumn: rect.x / 16, width: (rect.width + 1) & ~1,
                height: (height + 1) & ~1)
            top += 16
        }
    }

    /// Ends drawing. Returns the frame, retained, or nil if it equals the previous one. `evenIfUnchanged` returns it in
    /// any case, as a repeat.
    public func commit(evenIfUnchanged: Bool = false) -> Frame? {
        guard let slot = drawing else { return nil }
        let first = newest == nil
        if changed.isEmpty && !evenIfUnchanged && !first {
            // The slot is up to date where it was drawn over; it still misses the rest.
            abandon()
            return nil
        }
        catchUp(slot)
        let result = Frame(
            planes: slots[slot].planes, changed: first ? .full(size: size) : changed, slot: slot)
        for index in slots.indices where index != slot { slots[index].missed.formUnion(changed) }
        slots[slot].missed.removeAll()
        newest = slot
        references.retain(slot)
        abandon()
        return result
    }

    /// Ends drawing without a frame. The same parts must be drawn again.
    public func abandon() {
        if let slot = drawing, slot != newest {
            // Tiles that were written but not committed equal no committed frame.
            slots[slot].missed.formUnion(changed)
        }
        drawing = nil
        changed.removeAll()
    }

    /// Releases a frame; from any thread.
    public func release(_ frame: Frame) { references.release(frame.slot) }

    /// Copies one row of tiles from the scratch band into the slot where they differ or the slot is out of date.
    private func mergeBand(row: Int, firstColumn: Int, width: Int, height: Int) {
        guard let drawing else { return }
        let place = PixelRect(x: firstColumn * 16, y: row * 16, width: width, height: height)
        let target = slots[drawing].planes.part(place)
        let reference = newest.map { slots[$0].planes.part(place) }
        // The first of the tiles to copy; neighbours are copied together.
        var begin: Int?
        for x in stride(from: 0, to: width, by: 16) {
            let column = firstColumn + x / 16
            // A tile that is drawn twice for one frame was written before, even if it equals the newest frame's.
            var isNeeded = changed.contains(column: column, row: row)
            if reference.map({ differs($0, x: x, width: min(16, width - x), height: height) }) ?? true {
                changed.insert(column: column, row: row)
                isNeeded = true
            }
            if isNeeded || slots[drawing].missed.contains(column: column, row: row) {
                if begin == nil { begin = x }
            } else if let first = begin {
                Self.copy(first..<x, of: scratch, to: target, height: height)
                begin = nil
            }
        }
        if let first = begin { Self.copy(first..<width, of: scratch, to: target, height: height) }
    }

    /// Whether the tile at `x` of the scratch band differs from `reference`, the same part of a frame.
    private func differs(_ reference: PlanarFrame, x: Int, width: Int, height: Int) -> Bool {
        let left = chroma.samples(of: x)
        let (columns, rows) = (Int32(chroma.samples(of: width)), Int32(chroma.samples(of: height)))
        return kine_block_differs(
            scratch.y + x, scratch.lumaStride, reference.y + x, reference.lumaStride, Int32(width), Int32(height))
            || kine_block_differs(
                scratch.u + left, scratch.chromaStride, reference.u + left, reference.chromaStride, columns, rows)
            || kine_block_differs(
                scratch.v + left, scratch.chromaStride, reference.v + left, reference.chromaStride, columns, rows)
    }

    private static func copy(_ columns: Range<Int>, of source: PlanarFrame, to target: PlanarFrame, height: Int) {
        let (x, chroma) = (columns.lowerBound, source.colour.chroma)
        for line in 0..<height {
            (target.y + line * target.lumaStride + x).update(
                from: source.y + line * source.lumaStride + x, count: columns.count)
        }
        let (left, count) = (chroma.samples(of: x), chroma.samples(of: columns.count))
        for line in 0..<chroma.samples(of: height) {
            let (to, from) = (line * target.chromaStride + left, line * source.chromaStride + left)
            (target.u + to).update(from: source.u + from, count: count)
            (target.v + to).update(from: source.v + from, count: count)
        }
    }

    /// Copies from the newest frame the tiles that `slot` missed and that were not drawn over.
    private func catchUp(_ slot: Int) {
        guard let newest else { return }
        let source = slots[newest].planes
        let target = slots[slot].planes
        var behind = slots[slot].missed
        behind.subtract(changed)
        for rect in behind.rectangles() {
            Self.copy(0..<rect.width, of: source.part(rect), to: target.part(rect), height: rect.height)
        }
    }
}
