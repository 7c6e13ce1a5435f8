// Reads a stamped take and finds its faults: a frame that is torn, repeated, out of order or has incomplete damage, a sample that
// is not the one it claims to be, or one that is missing without a mark.
import KineMedia
import KineRings

/// A reader that checks everything.
public struct StampChecker {
    public struct Fault: Error, CustomStringConvertible {
        public let description: String
    }

    public private(set) var frames = 0
    public private(set) var samples = 0
    public private(set) var discontinuities = 0
    private var tiles = StampedTake.Tiles()
    /// The reader's own frame, updated only where the damage says.
    private var copy: [UInt8]
    private var last: [SampleType: UInt64] = [:]

    public init() { copy = [UInt8](repeating: 0, count: StampedTake.layout.slotBytes) }

    /// Checks what is there. `hold` runs while a frame is held, which must not change meanwhile. True if there was anything.
    public mutating func readAvailable(_ receiver: StreamReceiver, hold: () -> Void) throws -> Bool {
        var found = false
        while let record = try receiver.nextRecord() {
            try check(record)
            receiver.advance(past: record)
            found = true
        }
        let peeked = try receiver.peekFrame()
        if let frame = try receiver.nextFrame() {
            if let peeked, peeked.sequence > frame.sequence { throw Fault(description: "an older picture came back") }
            try check(frame)
            hold()
            try checkWhole(frame)
            receiver.release(frame)
            found = true
        }
        return found
    }

    private mutating func check(_ frame: StreamReceiver.Frame) throws {
        // The time identifies the frame; sequence numbers count only those that were offered.
        let number = UInt64((frame.presentationTime.nanoseconds + 5) / 16_666_667)
        guard frame.presentationTime == StampedTake.presentationTime(number) else {
            throw Fault(description: "the time \(frame.presentationTime.nanoseconds) was never sent")
        }
        guard number > tiles.number else {
            throw Fault(description: "picture \(number) came after picture \(tiles.number)")
        }
        tiles.advance(to: number)
        frames += 1
        try checkWhole(frame)
        applyDamage(frame)
        let layout = StampedTake.layout
        let isEqual = copy.withUnsafeBytes { copy in
            layout.planeExtents.indices.allSatisfy { plane in
                (0..<layout.planeExtents[plane].rows).allSatisfy { row in
                    let start = layout.planeOffsets[plane] + row * layout.planeStrides[plane]
                    let range = start..<start + layout.planeExtents[plane].rowBytes
                    return copy[range].elementsEqual(
                        UnsafeRawBufferPointer(start: frame.base, count: layout.slotBytes)[range])
                }
            }
        }
        guard isEqual else { throw Fault(description: "the damage of picture \(number) leaves something out") }
    }

    private func checkWhole(_ frame: StreamReceiver.Frame) throws {
        for tile in tiles.stamps.indices where !tiles.isWhole(tile, in: frame.base) {
            throw Fault(description: "picture \(tiles.number) is torn at tile \(tile)")
        }
    }

    private mutating func applyDamage(_ frame: StreamReceiver.Frame) {
        let layout = StampedTake.layout
        guard let damage = DamageRegion(size: layout.size, words: frame.damageWords) else { return }
        copy.withUnsafeMutableBytes { copy in
            for rect in damage.rectangles() {
                for (plane, extent) in layout.planeExtents.enumerated() {
                    let scale = plane == 0 ? 1 : 2
                    for row in rect.y / scale..<min((rect.maxY + 1) / scale, extent.rows) {
                        let start =
                            layout.planeOffsets[plane] + row * layout.planeStrides[plane] + rect.x / scale
                        let count = min((rect.width + 1) / scale, extent.rowBytes - rect.x / scale)
                        copy[start..<start + count].copyBytes(
                            from: UnsafeRawBufferPointer(start: frame.base + start, count: count))
                    }
                }
            }
        }
    }

    private mutating func check(_ record: StreamReceiver.Record) throws {
        var number: UInt64 = 0
        for index in 0..<8 { number |= UInt64(record.bytes[index]) << (8 * UInt64(index)) }
        let expected = StampedTake.sample(record.type, number, isKeyframe: record.isKeyframe)
        guard record.bytes.elementsEqual(expected.data), record.presentationTime == expected.presentationTime,
            record.duration == expected.duration
        else { throw Fault(description: "\(record.type) sample \(number) is not what was sent") }
        let before = last[record.type, default: 0]
        last[record.type] = number
        guard number > before else { throw Fault(description: "\(record.type) sample \(number) came after \(before)") }
        let isMissing = number != before + 1
        if record.missing != min(Int(number - before - 1), Int(UInt16.max)) {
            throw Fault(description: "\(record.type) from \(before) to \(number), said missing: \(record.missing)")
        }
        if isMissing, !record.isKeyframe {
            throw Fault(description: "after a gap, picture \(number) needs one that did not come")
        }
        if isMissing { discontinuities += 1 }
        samples += 1
    }
}
