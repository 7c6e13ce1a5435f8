// One extension's end of uncompressed pictures: which slots it has, and what changed since it was last offered one.
import KineImaging
import KineMedia
import KineRelay
import Synchronization

/// Offers pictures to one extension. The slots that it has are lent to it until it gives them back, or until this object goes
/// away: then its process must be gone as well.
final class PictureReader: Sendable {
    private struct State {
        /// What changed since the picture offered last, on the offered pictures' own grid.
        var damage: DamageRegion
        var slots = PictureSlots()
        var slotCount = 0
        var isOver = false
        var misbehaviour: StreamSender.Error?
    }

    /// The most slots an extension has: the picture it looks at, and the next.
    static let slotsEach = 2

    private let sender: StreamSender
    private let loans: SlotLoans
    private let state: Mutex<State>

    /// `size`: of the pictures in memory. `loans`: of the memory they lie in.
    init(sender: StreamSender, size: PixelSize, loans: SlotLoans) {
        self.sender = sender
        self.loans = loans
        state = Mutex(State(damage: .full(size: size)))
    }

    deinit { state.withLock { free($0.slots) } }

    /// What the extension wrote that it cannot mean. Nothing is offered to it any more.
    var misbehaviour: StreamSender.Error? { state.withLock { $0.misbehaviour } }

    /// The picture changed, and is not offered.
    func note(_ changed: DamageRegion) { state.withLock { $0.damage.formUnion(changed) } }

    /// Offers the picture in `slot`, which the caller has lent, in place of one that was not taken yet. `changed`: since the
    /// picture offered or noted before.
    func offer(
        slot: Int, at time: MediaTime, duration: MediaTime, changed: DamageRegion
    ) {
        state.withLock { state in
            guard !state.isOver else { return }
            state.damage.formUnion(changed)
            loans.retain(slot)
            state.slots.insert(slot)
            state.slotCount += 1
            do throws(StreamSender.Error) {
                take(
                    try sender.offer(
                        slot: slot, at: time, duration: duration, damage: state.damage, orientation: .up), &state)
                state.damage.removeAll()
                if state.slotCount > Self.slotsEach {
                    // It gave one back and took the next while we looked: now that is to be seen.
                    take(try sender.reclaim(), &state)
                    guard state.slotCount <= Self.slotsEach else {
                        throw .misbehaved("it holds more pictures than one")
                    }
                }
            } catch {
                fail(error, &state)
            }
        }
    }

    /// Frees the slots that the extension has given back.
    func reclaim() {
        state.withLock { state in
            guard !state.slots.isEmpty, !state.isOver else { return }
            do throws(StreamSender.Error) { take(try sender.reclaim(), &state) } catch { fail(error, &state) }
        }
    }

    /// Offers nothing any more. What the extension has, it keeps.
    func end() { state.withLock { $0.isOver = true } }

    private func take(_ freed: PictureSlots, _ state: inout State) {
        for slot in freed where state.slots.contains(slot) {
            state.slots.remove(slot)
            state.slotCount -= 1
            loans.release(slot)
        }
    }

    private func fail(_ error: StreamSender.Error, _ state: inout State) {
        state.misbehaviour = error
        state.isOver = true
    }

    private func free(_ slots: PictureSlots) {
        for slot in slots { loans.release(slot) }
    }
}
