// The uncompressed frames of one feed: the slots that its reader has, and the changes since it was last offered one.
import KineImaging
import KineMedia
import KineRings
import Synchronization

/// Offers frames to one reader in another process. The reader has its slots until it gives them back or this object goes away,
/// which must outlive the reader.
package final class FrameSink: Sendable {
    private enum Phase {
        case offering
        /// The reader keeps its slots.
        case ended
        case violated(StreamSender.Error)
    }

    private struct State {
        var phase = Phase.offering
        /// The changes since the frame offered last, on the grid of the offered frames.
        var damage: DamageRegion
        var slots = FrameSlots()
        var slotCount = 0
    }

    /// The most slots a reader has: the frame it looks at, and the next.
    static let slotsEach = 2

    /// The memory of the frames.
    let memory: FrameMemory
    /// The conversion that makes them; nil: they are the encoder's own.
    let conversion: FrameConverter.Output?
    /// The highest rate; nil: every frame.
    package let framesPerSecond: Int?
    /// The turn that makes the frames upright, which the reader is told with each.
    private let orientation: Orientation
    private let sender: StreamSender
    private let loans: SlotLoans
    private let state: Mutex<State>

    /// `loans`: of the slots in `memory`.
    init(
        sender: StreamSender, memory: FrameMemory, loans: SlotLoans, conversion: FrameConverter.Output?,
        framesPerSecond: Int?, orientation: Orientation
    ) {
        self.sender = sender
        self.memory = memory
        self.loans = loans
        self.conversion = conversion
        self.framesPerSecond = framesPerSecond
        self.orientation = orientation
        state = Mutex(State(damage: .full(size: memory.layout.size)))
    }

    deinit { state.withLock { for slot in $0.slots { loans.release(slot) } } }

    /// The reader's violation of the protocol in the memory that it writes; nil: none. After one, nothing is offered to it.
    var violation: StreamSender.Error? {
        state.withLock { if case .violated(let error) = $0.phase { error } else { nil } }
    }

    /// Notes the changes of a frame that is not offered.
    func note(_ changed: DamageRegion) { state.withLock { $0.damage.formUnion(changed) } }

    /// Offers the frame in `slot`, which the caller has lent, in place of one that was not read yet. `changed`: since the frame
    /// offered or noted before.
    func offer(slot: Int, at time: MediaTime, duration: MediaTime, changed: DamageRegion) {
        state.withLock { state in
            guard case .offering = state.phase else { return }
            state.damage.formUnion(changed)
            loans.retain(slot)
            state.slots.insert(slot)
            state.slotCount += 1
            do throws(StreamSender.Error) {
                let freed = try sender.offer(
                    slot: slot, at: time, duration: duration, damage: state.damage, orientation: orientation)
                release(freed, &state)
                state.damage.removeAll()
                if state.slotCount > Self.slotsEach {
                    // The reader may have given one back and begun the next meanwhile, which is seen only now.
                    release(try sender.reclaim(), &state)
                    guard state.slotCount <= Self.slotsEach else {
                        throw .misbehaved("it holds more frames than one")
                    }
                }
            } catch {
                state.phase = .violated(error)
            }
        }
    }

    /// Frees the slots that the reader has given back.
    func reclaim() {
        state.withLock { state in
            guard !state.slots.isEmpty, case .offering = state.phase else { return }
            do throws(StreamSender.Error) {
                release(try sender.reclaim(), &state)
            } catch {
                state.phase = .violated(error)
            }
        }
    }

    /// Offers nothing any more.
    func end() { state.withLock { if case .offering = $0.phase { $0.phase = .ended } } }

    private func release(_ freed: FrameSlots, _ state: inout State) {
        for slot in freed where state.slots.contains(slot) {
            state.slots.remove(slot)
            state.slotCount -= 1
            loans.release(slot)
        }
    }
}
