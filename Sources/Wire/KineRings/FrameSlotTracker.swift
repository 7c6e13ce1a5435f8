// The sender's view of each uncompressed frame: offered, withdrawn, or held by the receiver. Pure. Checks every word
// from the state page before it is used.
import KineMedia

/// The state of the frame mailbox and its slots.
struct FrameSlotTracker: Equatable {
    enum ProtocolViolation: Error, Equatable {
        /// The mailbox has a word that the sender did not put there.
        case unknownEntry(UInt64)
        /// The receiver released a frame that it does not hold; its sequence number.
        case notHeld(UInt64)
    }

    /// The sequence number of the newest frame; 0: none.
    private(set) var lastSequence: UInt64 = 0
    /// The frame in the mailbox, as of the last update.
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

    /// Whether the slot is in the mailbox or held, so that it must not be drawn into.
    func isInUse(slot: Int) -> Bool { waiting?.slot == slot || held.contains { $0.slot == slot } }
    var isEmpty: Bool { waiting == nil && held.isEmpty }

    /// Updates from the state page. Read `released` before `mailbox`, which is left in place.
    mutating func update(released: UInt64, mailbox: UInt64) throws(ProtocolViolation) {
        if mailbox == 0 {
            noteTaken()
        } else if mailbox != waiting?.word {
            throw .unknownEntry(mailbox)
        }
        try release(upTo: released)
    }

    /// Updates after the mailbox was emptied: it contained `found`, and `released` was read before. Returns the frame
    /// that was still there; its damage is added to the next one.
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

    /// The entry for the frame in `slot`, to be put into the empty mailbox.
    mutating func publish(slot: Int) -> MailboxEntry {
        lastSequence += 1
        let entry = MailboxEntry(sequence: lastSequence, slot: slot)
        waiting = entry
        return entry
    }

    /// The slots freed since the last call.
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
