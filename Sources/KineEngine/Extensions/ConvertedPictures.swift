// Pictures of one size and format for the readers that want them so: their memory, and the newest of them.
import KineImaging
import KineMedia
import KineRelay

/// Belongs to the delivery's thread, but for its memory.
final class ConvertedPictures: @unchecked Sendable {
    // Sendable: what never changes is for all; the rest only the delivery's thread touches.

    let memory: PictureMemory
    let loans: SlotLoans
    let size: PixelSize
    let pixelFormat: PixelFormat
    private let converter: PictureConverter
    private var newest: (sequence: UInt64, slot: Int)?

    /// `readers`: how many there will be at a time.
    init(
        layout: FrameLayout, visibleSize: PixelSize, sourceSize: PixelSize, readers: Int
    ) throws(SharedMemory.Error) {
        // The newest, the one being drawn, and what the readers have.
        let slotCount = 2 + PictureReader.slotsEach * readers
        memory = try PictureMemory(
            layout: PictureLayout(layout, visibleSize: visibleSize, slotCount: slotCount))
        converter = PictureConverter(
            sourceSize: sourceSize, layout: layout, slotCount: slotCount,
            memory: PictureRing.Memory(base: memory.slot(0), owner: memory))
        loans = converter.loans
        size = layout.size
        pixelFormat = layout.pixelFormat
    }

    /// What changed in the encoder's pictures since this was last called.
    func note(_ damage: DamageRegion) { converter.note(damage) }

    /// The slot of the converted picture, and what changed since the one before it; nothing where it was converted already.
    /// Nil where the readers have every slot.
    func slot(for picture: PictureRing.Picture, sequence: UInt64) -> (slot: Int, changed: DamageRegion?)? {
        if let newest {
            if newest.sequence == sequence { return (newest.slot, nil) }
            loans.release(newest.slot)
            self.newest = nil
        }
        guard let converted = converter.convert(picture.planes) else { return nil }
        newest = (sequence, converted.slot)
        return (converted.slot, converted.changed)
    }
}
