// The frames of one size and format that the converter makes: their memory, and the newest of them.
import KineImaging
import KineMedia
import KineRelay

extension FrameConverter {
    /// The converted frames for all feeds with the same requirements. Other threads use only their memory.
    final class Output: @unchecked Sendable {
        // Sendable: all but the constants is used by the converter's thread alone.

        let memory: FrameMemory
        let loans: SlotLoans
        let requirements: FrameRequirements
        private let converter: FrameScaler
        private var newest: (sequence: UInt64, slot: Int)?

        /// `readers`: the most at a time.
        init(_ requirements: FrameRequirements, readers: Int) throws(SharedMemory.Error) {
            // The newest, the one being drawn, and what the readers have.
            let slotCount = 2 + FrameSink.slotsEach * readers
            self.requirements = requirements
            let layout = requirements.layout
            memory = try FrameMemory(
                layout: FrameSlotLayout(layout, visibleSize: requirements.geometry.size, slotCount: slotCount))
            // Frames of the encoder's own size have its additional column and row too.
            let geometry =
                requirements.geometry.isIdentity ? PictureGeometry(source: layout.size) : requirements.geometry
            converter = FrameScaler(
                geometry, layout: layout, slotCount: slotCount,
                memory: FrameRing.Memory(base: memory.slot(0), owner: memory))
            loans = converter.loans
        }

        /// Notes the changes in the encoder's frames since the last call.
        func note(_ damage: DamageRegion) { converter.note(damage) }

        /// The slot of the converted frame, and the changes since the one before it; they are nil if it was converted already.
        /// Nil while the readers have every slot.
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
