// The states of frames, without memory, with honest and dishonest receivers.
import KineMedia
import Testing

@testable import KineRings

@Suite struct FrameSlotTrackerTests {
    /// The state page of a receiver that the test controls.
    private struct Page {
        var mailbox: UInt64 = 0
        var released: UInt64 = 0
        mutating func empty() -> UInt64 {
            defer { mailbox = 0 }
            return mailbox >> 8
        }
    }

    private func offer(
        _ slots: inout FrameSlotTracker, _ page: inout Page, slot: Int
    ) throws -> MailboxEntry? {
        let withdrawn = try slots.withdraw(found: page.mailbox, released: page.released)
        page.mailbox = slots.publish(slot: slot).word
        return withdrawn
    }

    @Test func `a frame that was not taken is withdrawn and its slot is free`() throws {
        var (slots, page) = (FrameSlotTracker(slotCount: 3), Page())
        #expect(try offer(&slots, &page, slot: 0) == nil)
        #expect(try offer(&slots, &page, slot: 1) == MailboxEntry(sequence: 1, slot: 0))
        #expect(slots.removeFreed() == [0])
        #expect(slots.framesReplaced == 1)
        #expect(slots.lastSequence == 2)
    }

    @Test func `the slot of a frame that was taken is in use until its release`() throws {
        var (slots, page) = (FrameSlotTracker(slotCount: 3), Page())
        _ = try offer(&slots, &page, slot: 0)
        let sequence = page.empty()
        #expect(try offer(&slots, &page, slot: 1) == nil)
        #expect(slots.isInUse(slot: 0) && slots.isInUse(slot: 1) && !slots.isInUse(slot: 2))
        #expect(slots.removeFreed() == [])
        page.released = sequence
        try slots.update(released: page.released, mailbox: page.mailbox)
        #expect(slots.removeFreed() == [0])
        #expect(slots.removeFreed() == [])
    }

    @Test func `a frame taken and released between two updates counts as both`() throws {
        var (slots, page) = (FrameSlotTracker(slotCount: 3), Page())
        _ = try offer(&slots, &page, slot: 2)
        page.released = page.empty()
        try slots.update(released: page.released, mailbox: page.mailbox)
        #expect(slots.removeFreed() == [2])
        #expect(slots.isEmpty)
        #expect(slots.progress == 2)
    }

    @Test(arguments: [1, 0x0200, 0x0101, 0xffff_ffff_ffff_ffff] as [UInt64])
    func `a word in the mailbox that was never put there is a violation`(word: UInt64) throws {
        var (slots, page) = (FrameSlotTracker(slotCount: 3), Page())
        _ = try offer(&slots, &page, slot: 0)
        #expect(throws: FrameSlotTracker.ProtocolViolation.unknownEntry(word)) {
            try slots.update(released: 0, mailbox: word)
        }
        #expect(throws: FrameSlotTracker.ProtocolViolation.unknownEntry(word)) {
            try slots.withdraw(found: word, released: 0)
        }
    }

    @Test func `a word in an empty mailbox is a violation`() throws {
        var (slots, page) = (FrameSlotTracker(slotCount: 3), Page())
        _ = try offer(&slots, &page, slot: 0)
        let old = page.mailbox
        _ = page.empty()
        try slots.update(released: 0, mailbox: 0)
        #expect(throws: FrameSlotTracker.ProtocolViolation.unknownEntry(old)) {
            try slots.update(released: 0, mailbox: old)
        }
    }

    @Test func `releasing a frame that is not held is a violation`() throws {
        var (slots, page) = (FrameSlotTracker(slotCount: 3), Page())
        _ = try offer(&slots, &page, slot: 0)
        // Still in the mailbox.
        #expect(throws: FrameSlotTracker.ProtocolViolation.notHeld(1)) {
            try slots.update(released: 1, mailbox: page.mailbox)
        }
        (slots, page) = (FrameSlotTracker(slotCount: 3), Page())
        _ = try offer(&slots, &page, slot: 0)
        page.released = page.empty()
        try slots.update(released: 1, mailbox: 0)
        #expect(throws: FrameSlotTracker.ProtocolViolation.notHeld(0)) { try slots.update(released: 0, mailbox: 0) }
        #expect(throws: FrameSlotTracker.ProtocolViolation.notHeld(2)) { try slots.update(released: 2, mailbox: 0) }
        #expect(throws: FrameSlotTracker.ProtocolViolation.notHeld(.max)) {
            try slots.update(released: .max, mailbox: 0)
        }
    }

    @Test func `every slot is either free or in use, whatever an honest receiver does`() throws {
        // All interleavings of eight steps: the sender offers, the receiver takes, the receiver releases.
        for choice in 0..<6561 {
            var (slots, page) = (FrameSlotTracker(slotCount: 3), Page())
            var free: FrameSlots = [0, 1, 2]
            var held: UInt64?
            var seen: UInt64 = 0
            var rest = choice
            for _ in 0..<8 {
                switch rest % 3 {
                case 0:
                    guard let slot = free.first(where: { _ in true }) else { break }
                    free.remove(slot)
                    _ = try offer(&slots, &page, slot: slot)
                case 1 where held == nil && page.mailbox != 0:
                    held = page.empty()
                    #expect(held! > seen)
                    seen = held!
                case 2:
                    if let held { page.released = held }
                    held = nil
                default: break
                }
                rest /= 3
                try slots.update(released: page.released, mailbox: page.mailbox)
                for slot in slots.removeFreed() {
                    #expect(!free.contains(slot))
                    free.insert(slot)
                }
                for slot in 0..<3 { #expect(free.contains(slot) != slots.isInUse(slot: slot)) }
            }
        }
    }
}
