// The packets between an extension and a process to which it passes samples, over a pair of packet sockets (unix(7),
// SOCK_SEQPACKET) from the engine. All numbers are in native byte order: both ends run on the same machine.
import FoundationEssentials
import KineRings

public enum FramePacket: Sendable, Equatable {
    /// The first packet, from the sender: the streams. Its descriptors: the memory of the samples and, if there are
    /// uncompressed frames, theirs. The receiver can only read them.
    case hello(StreamDescription)
    /// An uncompressed frame in a slot, which does not change until it is released.
    case frame(number: UInt64, sequence: UInt64, slot: Int, lost: Losses)
    /// An access unit or audio in the ring, which does not change until it is released.
    case record(number: UInt64, position: UInt64, lost: Losses)
    /// From the receiver: it no longer reads this sample.
    case released(number: UInt64)

    /// Samples that no receiver got, since the sender started.
    public struct Losses: Sendable, Equatable {
        public var frames: UInt64 = 0
        /// In nanoseconds.
        public var audio: UInt64 = 0

        public init(frames: UInt64 = 0, audio: UInt64 = 0) {
            self.frames = frames
            self.audio = audio
        }

        /// The most lost frames, and nanoseconds of lost audio (104 days), of a sender. Their sums do not overflow.
        static let most: UInt64 = 1 << 53

        /// The losses since an earlier packet of the same sender; nil if a counter has decreased, or exceeds `most`.
        package func added(since earlier: Losses) -> Losses? {
            guard earlier.frames <= frames, earlier.audio <= audio, max(frames, audio) <= Self.most else { return nil }
            return Losses(frames: frames - earlier.frames, audio: audio - earlier.audio)
        }
    }

    /// The longest packet, in bytes: less than a socket's default buffer on Linux.
    public static let limit = 65536
    /// Bytes of later packets: kind, slot (4 each), number, sequence or position, lost frames, lost audio (8 each).
    private static let byteCount = 40

    private enum Kind: UInt32 {
        case hello = 1
        case frame, record, released
    }

    /// Nil if the streams' description is too long.
    public var bytes: [UInt8]? {
        switch self {
        case .hello(let stream):
            guard let json = try? JSONEncoder().encode(stream), json.count + 4 <= Self.limit else { return nil }
            return Self.bytes(of: Kind.hello.rawValue) + json
        case .frame(let number, let sequence, let slot, let lost):
            return Self.bytes(.frame, slot: UInt32(slot), [number, sequence, lost.frames, lost.audio])
        case .record(let number, let position, let lost):
            return Self.bytes(.record, slot: 0, [number, position, lost.frames, lost.audio])
        case .released(let number): return Self.bytes(.released, slot: 0, [number, 0, 0, 0])
        }
    }

    private static func bytes(_ kind: Kind, slot: UInt32, _ words: [UInt64]) -> [UInt8] {
        words.reduce(bytes(of: kind.rawValue) + bytes(of: slot)) { $0 + bytes(of: $1) }
    }

    private static func bytes<Word: FixedWidthInteger>(of word: Word) -> [UInt8] {
        withUnsafeBytes(of: word) { Array($0) }
    }

    /// Nil if the bytes are not a packet.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 4, let kind = Kind(rawValue: bytes.loadUnaligned(as: UInt32.self)) else { return nil }
        if kind == .hello {
            guard bytes.count <= Self.limit,
                let stream = try? JSONDecoder().decode(StreamDescription.self, from: Data(bytes[4...]))
            else { return nil }
            self = .hello(stream)
            return
        }
        guard bytes.count == Self.byteCount else { return nil }
        func word(_ index: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: 8 + 8 * index, as: UInt64.self) }
        let lost = Losses(frames: word(2), audio: word(3))
        switch kind {
        case .hello: return nil
        case .frame:
            let slot = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
            self = .frame(number: word(0), sequence: word(1), slot: Int(slot), lost: lost)
        case .record: self = .record(number: word(0), position: word(1), lost: lost)
        case .released: self = .released(number: word(0))
        }
    }
}
