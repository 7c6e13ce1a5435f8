// The uncompressed frames of one feed: the slots that its reader has, and the changes since it was last offered one.
import KineImaging
import KineMedia
import KineRings
import Synchronization

/// Offers frames to one reader in another process. The reader holds its slots until it gives them back or this object
/// is gone. The object must outlive the reader.
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
        /// The pace and the number of the last frame served, where the converter serves it.
        var pacer: FramePacer?
        var sequence: UInt64 = 0
    }

    /// The maker of the frames.
    enum Origin: Sendable {
        /// The encoder's own frames.
        case encoder
        case conversion(ConvertedFrames)
        case camera(CameraFrames)
    }

    /// The most slots a reader has: the frame that it reads, and the next.
    static let slotsEach = 2

    let store: FrameStore
    let origin: Origin
    /// The highest rate; nil: every frame.
    package let framesPerSecond: Int?
    /// The turn that makes the frames upright; each frame is tagged with it.
    private let orientation: Orientation
    private let sender: StreamSender
    private let state: Mutex<State>

    init(
        sender: StreamSender, store: FrameStore, origin: Origin, framesPerSecond: Int? = nil,
        orientation: Orientation = .up
    ) {
        self.sender = sender
        self.store = store
        self.origin = origin
        self.framesPerSecond = framesPerSecond
        self.orientation = orientation
        state = Mutex(
            State(
                damage: .full(size: store.memory.layout.size),
                pacer: framesPerSecond.map { FramePacer(framesPerSecond: $0) }))
        store.addReader()
    }

    deinit {
        state.withLock { for slot in $0.slots { store.references.release(slot) } }
        store.removeReader()
    }

    /// The capture thread offers every one of the encoder's own frames.
    var isReadInPlace: Bool { if case .encoder = origin { framesPerSecond == nil } else { false } }

    /// `FrameConverter` offers the frames: they are converted, or some are left out.
    var isConverted: Bool {
        switch origin {
        case .encoder: framesPerSecond != nil
        case .conversion: true
        case .camera: false
        }
    }

    /// The time between two frames; nil: it gets all.
    var interval: MediaTime? { state.withLock { $0.pacer.map { MediaTime(nanoseconds: $0.interval) } } }

    /// The instant from which that frame may be offered (CLOCK_MONOTONIC, nanoseconds); nil: it was served.
    func nextInstant(for sequence: UInt64) -> Int64? {
        state.withLock { $0.sequence < sequence ? $0.pacer?.earliest ?? .min : nil }
    }

    /// Counts the frames up to `sequence` as served; `now`: one was just offered.
    func serve(_ sequence: UInt64, at now: Int64?) {
        state.withLock { state in
            state.sequence = sequence
            if let now { state.pacer?.recordFrame(at: now) }
        }
    }

    /// The reader's protocol violation in the memory that it writes, if any. After one, it gets no more frames.
    var violation: StreamSender.Error? {
        state.withLock { if case .violated(let error) = $0.phase { error } else { nil } }
    }

    /// Notes the changes of a frame that is not offered.
    func note(_ changed: DamageRegion) { state.withLock { $0.damage.formUnion(changed) } }

    /// Offers the frame in `slot`, to which the caller holds a reference, in place of an unread one. `changed`: since
    /// the frame offered or noted before.
    func offer(slot: Int, at time: MediaTime, duration: MediaTime, changed: DamageRegion) {
        state.withLock { state in
            guard case .offering = state.phase else { return }
            state.damage.formUnion(changed)
            store.references.retain(slot)
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

    /// Stops offering frames.
    func end() { state.withLock { if case .offering = $0.phase { $0.phase = .ended } } }

    private func release(_ freed: FrameSlots, _ state: inout State) {
        for slot in freed where state.slots.contains(slot) {
            state.slots.remove(slot)
            state.slotCount -= 1
            store.references.release(slot)
        }
    }
}

/// The memory of frames for a limited number of readers: one more would make the others wait for a slot.
final class FrameStore: Sendable {
    let memory: FrameMemory
    let references: SlotReferences
    private let limit: Int
    private let readers = Atomic<Int>(0)

    /// `readers`: the most at a time.
    init(_ memory: FrameMemory, references: SlotReferences, readers: Int) {
        self.memory = memory
        self.references = references
        limit = readers
    }

    var hasRoom: Bool { readers.load(ordering: .relaxed) < limit }

    // A reader has its slots until its `FrameSink` is gone.
    fileprivate func addReader() { readers.add(1, ordering: .relaxed) }
    fileprivate func removeReader() { readers.subtract(1, ordering: .relaxed) }
}
