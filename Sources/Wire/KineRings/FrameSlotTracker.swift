// The sender's view of each uncompressed frame: offered, withdrawn, or held by the receiver. Pure. Every word from the state
// page is checked here before it is trusted.
import KineMedia

/// The state of the frame mailbox and its slots.
struct FrameSlotTracker: Equatable {
    enum ProtocolViolation: Error, Equatable {
        /// The mailbox holds a word that the sender did not put there.
        case unknownEntry(UInt64)
        /// The receiver released a frame that it does not hold; its sequence number.
        case notHeld(UInt64)
    }

    /// The sequence number of the newest frame; 0: none.
    private(set) var lastSequence: UInt64 = 0
    /// The frame in the mailbox, as far as known.
    private(set) var waiting: MailboxEntry?
    /// The frames that the receiver has taken and not released, oldest first.
    private(set) var held: [MailboxEntry] = []
    private(set) var framesReplaced = 0
    private(set) var framesTaken = 0
    /// Counts the receiver's steps: frames taken and released.
    private(set) var progress: UInt64 = 0
    private var lastReleased: UInt64 = 0
    private var freed = FrameSlots()

    init(slotCount: Int) { held.reserveCapacity(slotCount) }

    /// Whether the slot waits in the mailbox or is held, so that it must not be drawn in.
    func isInUse(slot: Int) -> Bool { waiting?.slot == slot || held.contains { $0.slot == slot } }
    var isEmpty: Bool { waiting == nil && held.isEmpty }

    /// Updates from the state page: `released` must have been read before `mailbox`, which is left in place.
    mutating func update(released: UInt64, mailbox: UInt64) throws(ProtocolViolation) {
        if mailbox == 0 {
            noteTaken()
        } else if mailbox != waiting?.word {
            throw .unknownEntry(mailbox)
        }
        try release(upTo: released)
    }

    /// Called when the mailbox was emptied: `found` was in it, and `released` was read before. Returns the frame that was still
    /// there; its damage goes into the next one.
    mutating func withdraw(found: UInt64, released: UInt64) throws(ProtocolViolation) -> MailboxEntry? {
        guard found != 0 else {
            noteTaken()
            try release(upTo: released)
            return nil
        }
        guard found == waiting?.word else { throw .unknownEntry(found) }
        let withdrawn = waiting
        waiting = nil
        framesReplaced += 1
        if let withdrawn { freed.insert(withdrawn.slot) }
        try release(upTo: released)
        return withdrawn
    }

    /// The entry for the frame in `slot`, to be put into the mailbox, which is empty now.
    mutating func publish(slot: Int) -> MailboxEntry {
        lastSequence += 1
        let entry = MailboxEntry(sequence: lastSequence, slot: slot)
        waiting = entry
        return entry
    }

    /// The slots that have become free since the last call.
    mutating func removeFreed() -> FrameSlots {
        defer { freed = [] }
        return freed
    }

    private mutating func noteTaken() {
        guard let entry = waiting else { return }
        held.append(entry)
        framesTaken += 1
        waiting = nil
        progress += 1
    }

    private mutating func release(upTo sequence: UInt64) throws(ProtocolViolation) {
        guard sequence != lastReleased else { return }
        guard let last = held.firstIndex(where: { $0.sequence == sequence }) else { throw .notHeld(sequence) }
        for entry in held[...last] { freed.insert(entry.slot) }
        held.removeSubrange(...last)
        lastReleased = sequence
        progress += 1
    }
}
