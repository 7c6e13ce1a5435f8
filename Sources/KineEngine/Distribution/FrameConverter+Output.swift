// Frames of one size and format for the feeds that want them so: their memory, and the newest of them.
import KineImaging
import KineMedia
import KineRelay

extension FrameConverter {
    /// What the converter makes for all feeds with the same requirements. Only its memory is used outside the converter's thread.
    final class Output: @unchecked Sendable {
        // Sendable: what never changes is for all; only the converter's thread touches the rest.

        let memory: FrameMemory
        let loans: SlotLoans
        let layout: FrameLayout
        private let converter: FrameScaler
        private var newest: (sequence: UInt64, slot: Int)?

        /// `readers`: how many there will be at a time.
        init(
            _ requirements: FrameRequirements, sourceSize: PixelSize, readers: Int
        ) throws(SharedMemory.Error) {
            // The newest, the one being drawn, and what the readers have.
            let slotCount = 2 + FrameSink.slotsEach * readers
            layout = requirements.layout
            memory = try FrameMemory(
                layout: FrameSlotLayout(layout, visibleSize: requirements.visibleSize, slotCount: slotCount))
            converter = FrameScaler(
                sourceSize: sourceSize, layout: layout, slotCount: slotCount,
                memory: FrameRing.Memory(base: memory.slot(0), owner: memory))
            loans = converter.loans
        }

        /// What changed in the encoder's frames since this was last called.
        func note(_ damage: DamageRegion) { converter.note(damage) }

        /// The slot of the converted frame, and what changed since the one before it; nil where it was converted already.
        /// Nil where the readers have every slot.
        func convert(_ frame: FrameRing.Frame, sequence: UInt64) -> (slot: Int, changed: DamageRegion?)? {
            if let newest {
                if newest.sequence == sequence { return (newest.slot, nil) }
                loans.release(newest.slot)
                self.newest = nil
            }
            guard let converted = converter.convert(frame.planes) else { return nil }
            newest = (sequence, converted.slot)
            return (converted.slot, converted.changed)
        }
    }
}
