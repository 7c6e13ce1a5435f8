// Which picture is where, as the engine knows it: what it offered, what it took back, and what the extension may hold. Pure;
// every word from the state page passes through here before it is believed.
import KineMedia

/// The engine's books of the picture mailbox.
struct PictureLedger: Equatable {
    enum Nonsense: Error, Equatable {
        /// The mailbox holds a word that the engine did not put there.
        case foreignMailbox(UInt64)
        /// A picture was given back that the extension does not hold.
        case falseRelease(UInt64)
    }

    /// The sequence number of the newest picture; 0: none.
    private(set) var lastSequence: UInt64 = 0
    /// In the mailbox, as far as known.
    private(set) var waiting: MailboxWord?
    /// Taken by the extension and not given back, oldest first.
    private(set) var taken: [MailboxWord] = []
    private(set) var picturesSkipped: Int64 = 0
    /// How often the extension has moved: pictures taken and given back.
    private(set) var progress: UInt64 = 0
    private var lastReleased: UInt64 = 0
    private var freed = PictureSlots()

    init(slotCount: Int) { taken.reserveCapacity(slotCount) }

    /// Whether the slot is not the engine's to draw in.
    func isOut(slot: Int) -> Bool { waiting?.slot == slot || taken.contains { $0.slot == slot } }
    var isEmpty: Bool { waiting == nil && taken.isEmpty }

    /// Looks at the state page: `released` must have been read before `mailbox`, which is left in place.
    mutating func look(released: UInt64, mailbox: UInt64) throws(Nonsense) {
        if mailbox == 0 {
            noteTaken()
        } else if mailbox != waiting?.word {
            throw .foreignMailbox(mailbox)
        }
        try release(upTo: released)
    }

    /// The mailbox was emptied: `found` was in it; `released` was read before. Returns the picture withdrawn, if it was
    /// still there: its damage has to go on to the next.
    mutating func withdraw(found: UInt64, released: UInt64) throws(Nonsense) -> MailboxWord? {
        guard found != 0 else {
            noteTaken()
            try release(upTo: released)
            return nil
        }
        guard found == waiting?.word else { throw .foreignMailbox(found) }
        let withdrawn = waiting
        waiting = nil
        picturesSkipped += 1
        if let withdrawn { freed.insert(withdrawn.slot) }
        try release(upTo: released)
        return withdrawn
    }

    /// The word for the picture in `slot`, which goes into the mailbox now that it is empty.
    mutating func publish(slot: Int) -> MailboxWord {
        lastSequence += 1
        let word = MailboxWord(sequence: lastSequence, slot: slot)
        waiting = word
        return word
    }

    /// The slots that have become free since this was last asked.
    mutating func takeFreed() -> PictureSlots {
        defer { freed = [] }
        return freed
    }

    private mutating func noteTaken() {
        guard let word = waiting else { return }
        taken.append(word)
        waiting = nil
        progress += 1
    }

    private mutating func release(upTo sequence: UInt64) throws(Nonsense) {
        guard sequence != lastReleased else { return }
        guard let last = taken.firstIndex(where: { $0.sequence == sequence }) else { throw .falseRelease(sequence) }
        for word in taken[...last] { freed.insert(word.slot) }
        taken.removeSubrange(...last)
        lastReleased = sequence
        progress += 1
    }
}
