// The engine's books of the picture mailbox, without memory: honest and dishonest extensions.
import KineMedia
import Testing

@testable import KineRelay

@Suite struct PictureLedgerTests {
    /// An extension that can be told what to do, as the state page shows it.
    private struct Page {
        var mailbox: UInt64 = 0
        var released: UInt64 = 0
        mutating func take() -> UInt64 {
            defer { mailbox = 0 }
            return mailbox >> 8
        }
    }

    private func offer(
        _ ledger: inout PictureLedger, _ page: inout Page, slot: Int
    ) throws -> MailboxWord? {
        let withdrawn = try ledger.withdraw(found: page.mailbox, released: page.released)
        page.mailbox = ledger.publish(slot: slot).word
        return withdrawn
    }

    @Test func `a picture that nobody took is withdrawn and its slot is free`() throws {
        var (ledger, page) = (PictureLedger(slotCount: 3), Page())
        #expect(try offer(&ledger, &page, slot: 0) == nil)
        #expect(try offer(&ledger, &page, slot: 1) == MailboxWord(sequence: 1, slot: 0))
        #expect(ledger.takeFreed() == [0])
        #expect(ledger.picturesSkipped == 1)
        #expect(ledger.lastSequence == 2)
    }

    @Test func `a picture that was taken stays out until it is given back`() throws {
        var (ledger, page) = (PictureLedger(slotCount: 3), Page())
        _ = try offer(&ledger, &page, slot: 0)
        let sequence = page.take()
        #expect(try offer(&ledger, &page, slot: 1) == nil)
        #expect(ledger.isOut(slot: 0) && ledger.isOut(slot: 1) && !ledger.isOut(slot: 2))
        #expect(ledger.takeFreed() == [])
        page.released = sequence
        try ledger.look(released: page.released, mailbox: page.mailbox)
        #expect(ledger.takeFreed() == [0])
        #expect(ledger.takeFreed() == [])
    }

    @Test func `taking and giving back between two looks is seen as both`() throws {
        var (ledger, page) = (PictureLedger(slotCount: 3), Page())
        _ = try offer(&ledger, &page, slot: 2)
        page.released = page.take()
        try ledger.look(released: page.released, mailbox: page.mailbox)
        #expect(ledger.takeFreed() == [2])
        #expect(ledger.isEmpty)
        #expect(ledger.progress == 2)
    }

    @Test(arguments: [1, 0x0200, 0x0101, 0xffff_ffff_ffff_ffff] as [UInt64])
    func `a word in the mailbox that was never put there is nonsense`(word: UInt64) throws {
        var (ledger, page) = (PictureLedger(slotCount: 3), Page())
        _ = try offer(&ledger, &page, slot: 0)
        #expect(throws: PictureLedger.Nonsense.foreignMailbox(word)) { try ledger.look(released: 0, mailbox: word) }
        #expect(throws: PictureLedger.Nonsense.foreignMailbox(word)) {
            try ledger.withdraw(found: word, released: 0)
        }
    }

    @Test func `a word in an empty mailbox is nonsense`() throws {
        var (ledger, page) = (PictureLedger(slotCount: 3), Page())
        _ = try offer(&ledger, &page, slot: 0)
        let old = page.mailbox
        _ = page.take()
        try ledger.look(released: 0, mailbox: 0)
        #expect(throws: PictureLedger.Nonsense.foreignMailbox(old)) { try ledger.look(released: 0, mailbox: old) }
    }

    @Test func `giving back what is not held is nonsense`() throws {
        var (ledger, page) = (PictureLedger(slotCount: 3), Page())
        _ = try offer(&ledger, &page, slot: 0)
        // Still in the mailbox.
        #expect(throws: PictureLedger.Nonsense.falseRelease(1)) { try ledger.look(released: 1, mailbox: page.mailbox) }
        (ledger, page) = (PictureLedger(slotCount: 3), Page())
        _ = try offer(&ledger, &page, slot: 0)
        page.released = page.take()
        try ledger.look(released: 1, mailbox: 0)
        #expect(throws: PictureLedger.Nonsense.falseRelease(0)) { try ledger.look(released: 0, mailbox: 0) }
        #expect(throws: PictureLedger.Nonsense.falseRelease(2)) { try ledger.look(released: 2, mailbox: 0) }
        #expect(throws: PictureLedger.Nonsense.falseRelease(.max)) { try ledger.look(released: .max, mailbox: 0) }
    }

    @Test func `every slot is out, waiting or free, whatever an honest extension does`() throws {
        // All interleavings of eight steps: the engine offers, the extension takes, the extension gives back.
        for choice in 0..<6561 {
            var (ledger, page) = (PictureLedger(slotCount: 3), Page())
            var free: PictureSlots = [0, 1, 2]
            var held: UInt64?
            var seen: UInt64 = 0
            var rest = choice
            for _ in 0..<8 {
                switch rest % 3 {
                case 0:
                    guard let slot = free.first(where: { _ in true }) else { break }
                    free.remove(slot)
                    _ = try offer(&ledger, &page, slot: slot)
                case 1 where held == nil && page.mailbox != 0:
                    held = page.take()
                    #expect(held! > seen)
                    seen = held!
                case 2:
                    if let held { page.released = held }
                    held = nil
                default: break
                }
                rest /= 3
                try ledger.look(released: page.released, mailbox: page.mailbox)
                for slot in ledger.takeFreed() {
                    #expect(!free.contains(slot))
                    free.insert(slot)
                }
                for slot in 0..<3 { #expect(free.contains(slot) != ledger.isOut(slot: slot)) }
            }
        }
    }
}

@Suite struct HoldWatchTests {
    @Test func `time counts from when something waits without a move`() {
        var watch = HoldWatch()
        watch.note(isWaiting: false, progress: 0, now: 1)
        #expect(watch.since == nil)
        watch.note(isWaiting: true, progress: 0, now: 2)
        watch.note(isWaiting: true, progress: 0, now: 3)
        #expect(watch.since == 2)
        watch.note(isWaiting: true, progress: 1, now: 4)
        #expect(watch.since == 4)
        watch.note(isWaiting: false, progress: 2, now: 5)
        #expect(watch.since == nil)
        watch.note(isWaiting: true, progress: 2, now: 6)
        #expect(watch.since == 6)
    }
}
