// One sample for a handler, borrowed from the engine's shared memory during the callback.
import KineMedia

/// The stream of a sample: the video, the audio of the applications, or the microphone.
public typealias SampleBufferType = SampleType

/// The format of a sample's bytes.
public enum SampleFormat: Sendable, Equatable {
    /// An uncompressed frame. `size` is its visible size in pixels, before the turn by the sample's orientation. I420
    /// and NV12 are 4:2:0 with BT.709's limited range, even if the take's file has other colours.
    case raw(PixelFormat, size: PixelSize)
    /// An encoded frame, as `EncodedSample.data` describes it for each codec. The parameter sets are in the format.
    case encoded(VideoFormat)
    /// One raw_data_block of AAC-LC without ADTS header (ISO/IEC 14496-3, 4.4.2.1).
    case aac(AudioFormat)
    /// Interleaved 32-bit floats within ±1 in the machine's byte order. `sampleRate`: samples a second.
    case pcm(sampleRate: Int, channels: Int)
}

/// A sample's place in the engine's shared memory.
package enum SamplePlace: Sendable, Equatable {
    /// `skipped`: frames since the previous one that were not taken.
    case frame(sequence: UInt64, slot: Int, skipped: UInt64)
    /// The number of bytes in the ring before the record.
    case record(position: UInt64)
}

extension SampleFormat {
    /// Whether the record has samples of this format; a damaged ring may have others.
    package func fits(_ record: StreamReceiver.Record) -> Bool {
        switch self {
        case .pcm: record.isPCM
        case .aac, .encoded: !record.isPCM
        case .raw: false
        }
    }
}

/// A frame or a piece of audio. It cannot be kept: copy the bytes that you need later. Its memory stays in use until
/// the callback returns, also while the callback awaits, so a slow callback misses frames.
public struct SampleBuffer: ~Copyable, @unchecked Sendable {
    // Sendable: it only refers to memory that does not change until the sample is returned.

    public let type: SampleBufferType
    public let format: SampleFormat
    /// The time since the take's first frame, without pauses. Audio can be older than that frame; its time is then negative.
    public let presentationTime: MediaTime
    /// The sample's duration. For video it is an estimate, since the next frame determines it.
    public let duration: MediaTime
    /// Whether decoding can start here. Always true for uncompressed frames and audio.
    public let isKeyframe: Bool
    /// Samples of this type that were dropped since the previous one, because the reader was too slow. For encoded
    /// samples at most 65535 at a time.
    public let samplesLost: Int
    /// Whether samples of this type are missing before this one. `samplesLost` has the number, except for the first
    /// sample that a `FrameReceiver` gets from its sender.
    public let isDiscontinuity: Bool
    /// The turn that makes the frame upright: `up`, unless the source's orientation was requested and the take is
    /// turned. Always `up` for encoded video and audio.
    public let orientation: Orientation
    private let bytes: UnsafeRawBufferPointer
    private let layout: FrameSlotLayout?
    private let damageWords: UnsafeBufferPointer<UInt64>
    /// The sample's place in the engine's memory; nil if it is not from an engine.
    package let place: SamplePlace?
    /// Whether the reader may have missed the frame that the damage is relative to.
    private let isWholeDamaged: Bool

    /// Another reference to the same sample. It must not be used after the sample has been returned.
    package func alias() -> SampleBuffer {
        SampleBuffer(
            type: type, format: format, presentationTime: presentationTime, duration: duration, isKeyframe: isKeyframe,
            samplesLost: samplesLost, isDiscontinuity: isDiscontinuity, orientation: orientation, bytes: bytes,
            layout: layout, damageWords: damageWords, place: place, isWholeDamaged: isWholeDamaged)
    }

    /// The part that differs from the last frame that the handler got, including missed frames; nil unless the sample
    /// is an uncompressed frame. Each call allocates.
    public var damage: DamageRegion? {
        layout.flatMap { isWholeDamaged ? .full(size: $0.size) : DamageRegion(size: $0.size, words: damageWords) }
    }

    /// Lends the pixels of an uncompressed frame, without a copy. Returns nil without calling `body` for other samples.
    public func withPixels<Result, Failure: Error>(
        _ body: (borrowing PixelBuffer) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let layout, let base = bytes.baseAddress else { return nil }
        func plane(_ index: Int, rowBytes: Int, rows: Int) -> PixelBuffer.PlaneMemory {
            PixelBuffer.PlaneMemory(
                base: base + layout.planeOffsets[index], stride: layout.planeStrides[index], rowBytes: rowBytes,
                rows: rows)
        }
        let (width, height) = (layout.size.width, layout.size.height)
        let first = plane(0, rowBytes: layout.pixelFormat == .bgra ? width * 4 : width, rows: height)
        var second: PixelBuffer.PlaneMemory?
        var third: PixelBuffer.PlaneMemory?
        switch layout.pixelFormat {
        case .i420:
            second = plane(1, rowBytes: width / 2, rows: height / 2)
            third = plane(2, rowBytes: width / 2, rows: height / 2)
        case .nv12: second = plane(1, rowBytes: width, rows: height / 2)
        case .bgra: break
        }
        return try body(
            PixelBuffer(
                format: layout.pixelFormat, size: layout.size, visibleSize: layout.visibleSize, first: first,
                second: second, third: third))
    }

    /// Lends the bytes of an access unit or of audio, without a copy. For an uncompressed frame, lends all of its
    /// memory; see `withPixels`.
    public func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(bytes.bytes)
    }

    /// The sample's size in bytes.
    public var byteCount: Int { bytes.count }

    /// The format of an encoded keyframe, which the frames up to the next keyframe have too; nil for other samples.
    public var keyframeFormat: VideoFormat? {
        guard isKeyframe, case .encoded(let format) = format else { return nil }
        return format
    }
}

// In an extension, so that the struct keeps the initializer with all its properties, which `alias` uses.
extension SampleBuffer {
    package init(_ record: borrowing StreamReceiver.Record, format: SampleFormat, isFirst: Bool = false) {
        isWholeDamaged = false
        type = record.type
        self.format = format
        presentationTime = record.presentationTime
        duration = record.duration
        isKeyframe = record.isKeyframe
        samplesLost = record.missing
        isDiscontinuity = samplesLost > 0 || isFirst
        orientation = .up
        bytes = record.bytes
        layout = nil
        damageWords = UnsafeBufferPointer(start: nil, count: 0)
        place = .record(position: record.position)
    }

    package init(
        _ frame: borrowing StreamReceiver.Frame, layout: FrameSlotLayout, isFirst: Bool = false,
        isWholeDamaged: Bool = false
    ) {
        self.isWholeDamaged = isWholeDamaged
        type = .video
        format = .raw(layout.pixelFormat, size: layout.visibleSize)
        presentationTime = frame.presentationTime
        duration = frame.duration
        isKeyframe = true
        samplesLost = Int(clamping: frame.skipped)
        isDiscontinuity = samplesLost > 0 || isFirst
        orientation = frame.orientation
        bytes = UnsafeRawBufferPointer(start: frame.base, count: layout.slotBytes)
        self.layout = layout
        damageWords = frame.damageWords
        place = .frame(sequence: frame.sequence, slot: frame.slot, skipped: frame.skipped)
    }
}

extension StreamDescription {
    /// The format of the samples of one type; nil if there are none.
    package func format(of type: SampleType) -> SampleFormat? {
        guard type != .video else {
            if let layout = frames { return .raw(layout.pixelFormat, size: layout.visibleSize) }
            return video.map { .encoded($0.format) }
        }
        guard let audio = audio.last(where: { $0.type == type }) else { return nil }
        switch audio.codec {
        case .pcm: return .pcm(sampleRate: audio.sampleRate, channels: audio.channels)
        case .aac: return .aac(audio)
        }
    }
}

// Samples in a memory that this process only reads, without removing them.
extension SampleBuffer {
    /// The uncompressed frame in a slot; nil if it is not there. `skipped`: frames since the previous one. If there are
    /// any, or with `isFirst`, its damage is the whole frame.
    public init?(frameIn slot: Int, sequence: UInt64, skipped: UInt64, isFirst: Bool, of view: StreamView) {
        guard let layout = view.frameLayout, let frame = view.frame(slot: slot, sequence: sequence) else { return nil }
        self.init(
            StreamReceiver.Frame(
                sequence: sequence, presentationTime: frame.presentationTime, duration: frame.duration,
                orientation: frame.orientation, skipped: skipped, base: frame.base, damageWords: frame.damageWords,
                slot: slot), layout: layout, isFirst: isFirst, isWholeDamaged: isFirst || skipped > 0)
    }

    /// The access unit or audio at a position of the ring; nil if there is none, or none that `stream` describes.
    /// `skipped`: samples that this reader has missed, besides those in the record; `isFirst`: it has had none before.
    public init?(
        recordAt position: UInt64, of view: StreamView, in stream: StreamDescription, skipped: Int = 0,
        isFirst: Bool = false
    ) {
        guard let (header, bytes) = view.record(at: position), let type = header.type,
            let format = stream.format(of: type)
        else { return nil }
        let record = StreamReceiver.Record(
            type: type, isPCM: header.isPCM, isKeyframe: header.isKeyframe,
            missing: Int(header.missing) + skipped, presentationTime: header.presentationTime,
            duration: header.duration, bytes: bytes, position: position,
            end: position + UInt64(header.recordBytes))
        guard format.fits(record) else { return nil }
        self.init(record, format: format, isFirst: isFirst)
    }
}
