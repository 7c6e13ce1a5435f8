// What `samples` sends: records, each a short header and a piece of the stream. A record of a sample holds the
// sample's whole MP4 fragment, so that one buffer serves both streams and every viewer, whichever way they play it.
import KineContainers
import KineMedia
import NIOCore

/// One piece of a live stream, built once and shared by all viewers.
///
/// Layout, integers big-endian:
///
/// | offset | bytes | |
/// |---|---|---|
/// | 0 | 4 | how many bytes follow these four |
/// | 4 | 1 | kind |
/// | 5 | 1 | flags: bit 0, decoding can start here |
/// | 6 | 2 | where the access unit begins, counted from offset 0; 0 in records that are no sample |
/// | 8 | 8 | presentation time in microseconds on the take's timeline, signed |
/// | 16 | | the content |
///
/// The content of a sample is a fragment (`moof`, `mdat`), whose last part is the access unit: AVCC for pictures, a raw AAC
/// block for sound. A second sound's fragments belong to a movie of their own, which nobody is sent. A stream begins with
/// `description` (JSON, see `StreamDescription`), `pictures`, `initialization` (the MP4 initialization segment) and `state`;
/// then come samples, from a keyframe on, and now and then states and ticks.
struct LiveRecord: Sendable {
    enum Kind: UInt8, Sendable {
        case description = 0
        case initialization = 1
        case video = 2
        case audioApp = 3
        case audioMic = 4
        /// JSON: `{"phase": "live" | "paused" | "ended"}`.
        case state = 5
        /// JSON, as `LiveStream.Standing`. Comes once a second while nothing else does, and when the number of viewers or the
        /// clock has changed.
        case tick = 6
        /// The initialization segment for pictures alone, where there is sound too: without sound to wait for, Media Source
        /// plays with less delay. The pictures' fragments fit both.
        case pictures = 7

        init(_ type: SampleType) {
            self =
                switch type {
                case .video: .video
                case .audioApp: .audioApp
                case .audioMic: .audioMic
                }
        }

        var isSample: Bool { self == .video || self == .audioApp || self == .audioMic }
    }

    static let headerBytes = 16
    private static let keyframeFlag: UInt8 = 1

    let kind: Kind
    let isKeyframe: Bool
    /// Header and content.
    let bytes: ByteBuffer
    /// CLOCK_MONOTONIC nanoseconds at which it came.
    let arrival: Int64

    /// Whether it is part of `live.mp4`, which has one sound at most.
    let isInMovie: Bool

    /// What `live.mp4` sends of it: the fragment. Nil for records that are no part of it.
    var fragment: ByteBuffer? {
        guard isInMovie else { return nil }
        return bytes.getSlice(at: bytes.readerIndex + Self.headerBytes, length: bytes.readableBytes - Self.headerBytes)
    }

    /// A record that is no sample.
    init(_ kind: Kind, content: some Collection<UInt8>, time: MediaTime = .zero, arrival: Int64) {
        self.kind = kind
        self.arrival = arrival
        isKeyframe = false
        isInMovie = kind == .initialization
        var buffer = Self.header(kind, flags: 0, accessUnitOffset: 0, time: time, contentBytes: content.count)
        buffer.writeBytes(content)
        bytes = buffer
    }

    /// A sample.
    /// - Parameters:
    ///   - fragmentHeader: of `FragmentedMovie.fragmentHeader`.
    ///   - accessUnit: copied, once for all viewers.
    init(
        sample type: SampleType, fragmentHeader: [UInt8], accessUnit: UnsafeRawBufferPointer, time: MediaTime,
        isKeyframe: Bool, isInMovie: Bool = true, arrival: Int64
    ) {
        kind = Kind(type)
        self.isInMovie = isInMovie
        self.arrival = arrival
        self.isKeyframe = isKeyframe
        var buffer = Self.header(
            kind, flags: isKeyframe ? Self.keyframeFlag : 0,
            accessUnitOffset: UInt16(clamping: Self.headerBytes + fragmentHeader.count), time: time,
            contentBytes: fragmentHeader.count + accessUnit.count)
        buffer.writeBytes(fragmentHeader)
        buffer.writeBytes(accessUnit)
        bytes = buffer
    }

    private static func header(
        _ kind: Kind, flags: UInt8, accessUnitOffset: UInt16, time: MediaTime, contentBytes: Int
    ) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: headerBytes + contentBytes)
        buffer.writeInteger(UInt32(clamping: headerBytes - 4 + contentBytes))
        buffer.writeInteger(kind.rawValue)
        buffer.writeInteger(flags)
        buffer.writeInteger(accessUnitOffset)
        buffer.writeInteger(time.nanoseconds / 1000)
        return buffer
    }
}
