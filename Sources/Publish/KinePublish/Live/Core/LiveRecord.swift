// The records of `samples`: a short header and a piece of the stream each. A sample's record has its whole MP4
// fragment, so that one buffer serves both streams and every viewer.
import KineContainers
import KineLive
import KineMedia
import NIOCore

/// One piece of a live stream, built once and shared by all viewers.
///
/// Layout, integers big-endian:
///
/// | offset | bytes | |
/// |---|---|---|
/// | 0 | 4 | the number of bytes after these four |
/// | 4 | 1 | kind |
/// | 5 | 1 | flags: bit 0, decoding can start here |
/// | 6 | 2 | offset of the access unit, counted from offset 0; 0 in records that are no sample |
/// | 8 | 8 | presentation time in microseconds on the take's timeline, signed |
/// | 16 | | the content |
///
/// A sample's content is a fragment (`moof`, `mdat`), which ends with the access unit: AVCC for video, a raw AAC block for audio. The
/// fragments of a second audio track belong to a movie of their own, whose initialization segment is not sent. A stream begins with
/// `description` (JSON, see `LiveDescription`), `videoInitialization`, `initialization`, `state` and `tick`; then samples follow,
/// from a keyframe on, with states and ticks among them. Before a keyframe of another format, the first three come again.
struct LiveRecord: Sendable {
    enum Kind: UInt8, Sendable {
        case description = 0
        case initialization = 1
        case video = 2
        case audioApp = 3
        case audioMic = 4
        /// JSON: `{"phase": "live" | "paused" | "ended"}`.
        case state = 5
        /// JSON, a `LiveEdge.Status`. Sent after a second without another record, and when the number of viewers or the clock
        /// has changed.
        case tick = 6
        /// The initialization segment for video only, in a stream that also has audio: without audio, Media Source
        /// plays with less delay. The video's fragments fit both segments.
        case videoInitialization = 7

        init(_ type: SampleType) {
            self =
                switch type {
                case .video: .video
                case .audioApp: .audioApp
                case .audioMic: .audioMic
                }
        }
    }

    static let headerBytes = 16
    private static let keyframeFlag: UInt8 = 1
    private static let headerChunkBytes = 4 + headerBytes + 2

    /// Header and content, each as an HTTP chunk (RFC 9112, section 7.1), so that no viewer needs a copy.
    let chunks: ByteBuffer
    /// Whether the record is part of `live.mp4`, which has at most one audio track.
    let isInMovie: Bool

    /// The chunk with the fragment, which is the record's part of `live.mp4`; nil for records without one.
    var fragment: ByteBuffer? {
        guard isInMovie else { return nil }
        return chunks.getSlice(
            at: chunks.readerIndex + Self.headerChunkBytes, length: chunks.readableBytes - Self.headerChunkBytes)
    }

    /// Makes a record that is not a sample.
    init(_ kind: Kind, content: some Collection<UInt8>, time: MediaTime = .zero) {
        isInMovie = kind == .initialization
        chunks = Self.chunks(kind, flags: 0, accessUnitOffset: 0, time: time, contentBytes: content.count) {
            $0.writeBytes(content)
        }
    }

    /// Makes the record of a sample.
    /// - Parameters:
    ///   - fragmentHeader: from `FragmentedMovie.fragmentHeader`.
    ///   - accessUnit: copied once for all viewers.
    init(
        _ sample: LiveSample, fragmentHeader: [UInt8], accessUnit: UnsafeRawBufferPointer, isInMovie: Bool = true
    ) {
        self.isInMovie = isInMovie
        chunks = Self.chunks(
            Kind(sample.type), flags: sample.isKeyframe ? Self.keyframeFlag : 0,
            accessUnitOffset: UInt16(clamping: Self.headerBytes + fragmentHeader.count),
            time: sample.presentationTime, contentBytes: fragmentHeader.count + accessUnit.count
        ) {
            $0.writeBytes(fragmentHeader)
            $0.writeBytes(accessUnit)
        }
    }

    private static func chunks(
        _ kind: Kind, flags: UInt8, accessUnitOffset: UInt16, time: MediaTime, contentBytes: Int,
        writeContent: (inout ByteBuffer) -> Void
    ) -> ByteBuffer {
        let contentSize = String(contentBytes, radix: 16)
        var buffer = ByteBufferAllocator().buffer(
            capacity: headerChunkBytes + contentSize.utf8.count + 4 + contentBytes)
        buffer.writeStaticString("10\r\n")
        buffer.writeInteger(UInt32(clamping: headerBytes - 4 + contentBytes))
        buffer.writeInteger(kind.rawValue)
        buffer.writeInteger(flags)
        buffer.writeInteger(accessUnitOffset)
        buffer.writeInteger(time.nanoseconds / 1000)
        buffer.writeStaticString("\r\n")
        // An empty chunk would end the response.
        guard contentBytes > 0 else { return buffer }
        buffer.writeString(contentSize)
        buffer.writeStaticString("\r\n")
        writeContent(&buffer)
        buffer.writeStaticString("\r\n")
        return buffer
    }
}

extension SampleHistory<LiveRecord> {
    /// Appends a record with the memory of its chunks.
    /// - Parameter arrival: CLOCK_MONOTONIC nanoseconds.
    mutating func append(_ record: LiveRecord, of sample: LiveSample? = nil, at arrival: Int64) {
        append(record, of: sample, bytes: record.chunks.storageCapacity, at: arrival)
    }
}
