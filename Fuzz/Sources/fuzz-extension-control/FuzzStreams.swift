// Both ends of a stream against another end that writes what it likes into the memory that both share.
import FuzzDriver
import KineMedia
import KineRings
import SystemPackage

private let layout = FrameSlotLayout(pixelFormat: .i420, visibleSize: PixelSize(width: 40, height: 24), slotCount: 3)

private func copies(_ descriptors: [FileDescriptor]) -> [FileDescriptor] {
    descriptors.compactMap { try? $0.duplicate() }
}

/// The engine's end: after any write into the state page it goes on or says that the extension misbehaved, and never gives out
/// a slot twice or goes back.
func fuzzSender(_ input: Script) {
    var script = input
    guard let sender = try? StreamSender(video: true, frames: layout, sampleRingBytes: 1 << 16),
        let descriptor = copies([sender.descriptors[1]]).first,
        let page = try? SharedMemory(adopting: descriptor, byteCount: SharedMemory.pageSize, writable: true)
    else { return }
    var free: FrameSlots = [0, 1, 2]
    var number: Int64 = 0
    var position = sender.position
    var hasFailed = false
    func give(_ slots: FrameSlots) {
        for slot in slots {
            precondition(slot < 3 && !free.contains(slot), "a slot is given back twice")
            free.insert(slot)
        }
    }
    while let choice = script.byte() {
        do {
            switch choice & 7 {
            case 0, 1:
                guard let slot = free.first(where: { _ in true }) else { break }
                free.remove(slot)
                number += 1
                give(
                    try sender.offer(
                        slot: slot, at: MediaTime(nanoseconds: number), duration: .zero,
                        damage: .full(size: layout.size),
                        orientation: .up))
                precondition(!hasFailed, "it was believed again")
            case 2: give(try sender.reclaim())
            case 3:
                sender.send(
                    EncodedSample(
                        type: choice & 8 == 0 ? .video : .audioApp, presentationTime: .zero, duration: .zero,
                        isKeyframe: choice & 16 == 0, data: [UInt8](repeating: 1, count: Int(choice) * 64)))
            case 4:
                _ = sender.heldSince(now: number)
                _ = sender.consumeKeyframeRequest()
                try sender.check()
                precondition(!hasFailed, "it was believed again")
            case 5:
                // An honest step: the mailbox is emptied, and what was in it is given back.
                withExtendedLifetime(page) {
                    let word = page.base.load(fromByteOffset: 64, as: UInt64.self)
                    guard word != 0 else { return }
                    page.base.storeBytes(of: 0, toByteOffset: 64, as: UInt64.self)
                    page.base.storeBytes(of: word >> 8, toByteOffset: 128, as: UInt64.self)
                }
            default:
                guard let value = script.number() else { return }
                withExtendedLifetime(page) {
                    page.base.storeBytes(of: value, toByteOffset: Int(choice >> 3) % 3 * 64, as: UInt64.self)
                }
            }
        } catch {
            guard case StreamSender.Error.misbehaved = error else { preconditionFailure("\(error)") }
            hasFailed = true
        }
        let now = sender.position
        precondition(now.samples >= position.samples && now.frames >= position.frames, "the stream went back")
        position = now
        let counts = sender.counts
        precondition(counts.queuedBytes >= 0 && counts.queuedBytes <= Int64(sender.sampleRingBytes), "more than fits")
    }
}

/// The extension's end: whatever is in the memories, it reads inside them or says that they are damaged.
func fuzzReceiver(_ input: Script) {
    var script = input
    let hasFrames = (script.byte() ?? 0) & 1 == 1
    guard let samples = try? SharedMemory(name: "samples", byteCount: 1 << 15, access: .writable),
        let page = try? SharedMemory(name: "state", byteCount: SharedMemory.pageSize, access: .writable),
        let frames = try? SharedMemory(name: "pictures", byteCount: layout.byteCount, access: .writable),
        let wake = try? FileDescriptor.pipe()
    else { return }
    let stream = StreamDescription(
        framesPerSecond: 1, video: nil, frames: hasFrames ? layout : nil, audio: [], sampleRingBytes: 4096)
    let descriptors =
        copies([samples.descriptor, page.descriptor]) + [wake.readEnd]
        + (hasFrames ? copies([frames.descriptor]) : [])
    defer { try? wake.writeEnd.close() }
    guard let receiver = try? StreamReceiver(stream, descriptors: descriptors) else { return }
    withExtendedLifetime((samples, page)) {
        while let choice = script.byte() {
            switch choice & 3 {
            case 0:
                guard let value = script.number() else { return }
                // The write position, a frame's entry, or a record's head or size.
                let places = [
                    0, 4096, 4104, 4120, 4224, 8192, 8200, 8216, 4096 + Int(choice) * 8, 8192 + Int(choice) * 8,
                ]
                samples.base.storeBytes(
                    of: value, toByteOffset: places[Int(choice >> 2) % places.count], as: UInt64.self)
            case 1:
                guard let value = script.number() else { return }
                page.base.storeBytes(of: value, toByteOffset: Int(choice >> 2) % 3 * 64, as: UInt64.self)
            case 2:
                guard let record = try? receiver.nextRecord() else { break }
                precondition(record.bytes.count <= 4096, "more than the ring has")
                _ = record.bytes.reduce(0 as UInt8, &+)
                receiver.advance(past: record)
            default:
                _ = try? receiver.peekFrame()
                guard let frame = try? receiver.nextFrame() else { break }
                _ = UnsafeRawBufferPointer(start: frame.base, count: layout.slotBytes).reduce(0 as UInt8, &+)
                _ = DamageRegion(size: layout.size, words: frame.damageWords)?.rectangles()
                receiver.release(frame)
            }
        }
    }
}
