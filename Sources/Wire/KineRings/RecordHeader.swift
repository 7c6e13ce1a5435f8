// The header of each sample in the ring.
import KineMedia

/// 32 bytes before the payload; both together are padded to 8.
struct RecordHeader: Equatable {
    static let byteCount = 32

    /// nil: one of a later version. Never written.
    var type: SampleType?
    /// Whether the payload is interleaved floats, not an access unit.
    var isPCM = false
    var isKeyframe = false
    /// Samples of this type that are missing before this one; `UInt16.max`: that many or more.
    var missing: UInt16 = 0
    /// Nanoseconds, as they came from capture.
    var presentationTime: MediaTime
    var duration: MediaTime
    /// Bytes that follow.
    var payloadBytes: Int

    /// Bytes of the whole record in the ring.
    var recordBytes: Int { Self.recordBytes(payload: payloadBytes) }

    static func recordBytes(payload: Int) -> Int { byteCount + (payload + 7) & ~7 }

    /// Writes also `position`, the bytes of the stream before this record: a reader that has lost its place notices.
    func write(to memory: UnsafeMutableRawPointer, position: UInt64) {
        memory.storeBytes(of: UInt32(payloadBytes), as: UInt32.self)
        let kind: UInt8 =
            switch type {
            case .video: 0
            case .audioApp: 1
            case .audioMic: 2
            case nil: .max
            }
        memory.storeBytes(of: kind, toByteOffset: 4, as: UInt8.self)
        let flags: UInt8 = (isPCM ? 1 : 0) | (isKeyframe ? 2 : 0) | (missing > 0 ? 4 : 0)
        memory.storeBytes(of: flags, toByteOffset: 5, as: UInt8.self)
        memory.storeBytes(of: missing, toByteOffset: 6, as: UInt16.self)
        memory.storeBytes(of: presentationTime.nanoseconds, toByteOffset: 8, as: Int64.self)
        memory.storeBytes(of: duration.nanoseconds, toByteOffset: 16, as: Int64.self)
        memory.storeBytes(of: position, toByteOffset: 24, as: UInt64.self)
    }
}

extension RecordHeader {
    /// Nil if the bytes are not a record that begins at `position`.
    init?(reading memory: UnsafeRawPointer, position: UInt64) {
        guard memory.load(fromByteOffset: 24, as: UInt64.self) == position else { return nil }
        let type: SampleType? =
            switch memory.load(fromByteOffset: 4, as: UInt8.self) {
            case 0: .video
            case 1: .audioApp
            case 2: .audioMic
            default: nil
            }
        let flags = memory.load(fromByteOffset: 5, as: UInt8.self)
        // Older engines set the flag, and no number.
        let missing = flags & 4 == 0 ? 0 : max(1, memory.load(fromByteOffset: 6, as: UInt16.self))
        self.init(
            type: type, isPCM: flags & 1 != 0, isKeyframe: flags & 2 != 0, missing: missing,
            presentationTime: MediaTime(nanoseconds: memory.load(fromByteOffset: 8, as: Int64.self)),
            duration: MediaTime(nanoseconds: memory.load(fromByteOffset: 16, as: Int64.self)),
            payloadBytes: Int(memory.load(as: UInt32.self)))
    }
}
