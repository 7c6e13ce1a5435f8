// The samples that a rehearsal sends to its handler, as if a manifest requested them.
import KineMedia
import KineRings

/// The streams of a rehearsal.
public struct RehearsalFeed: Sendable {
    public enum Video: Sendable, Equatable {
        /// Uncompressed frames of this size.
        case raw(PixelFormat, PixelSize)
        /// H.264 that a decoder accepts. Both sides must be even. It is not compressed, so keep it small.
        case encoded(PixelSize)
    }

    /// The frames; nil: none.
    public var video: Video? = .raw(.i420, PixelSize(width: 320, height: 180))
    /// Frames a second.
    public var framesPerSecond = 30
    /// The codec of the applications' audio; nil: none. All audio is stereo at 48 kHz; AAC is silent, PCM a tone.
    public var appAudio: AudioCodec?
    /// The codec of the microphone's audio; nil: none.
    public var micAudio: AudioCodec?
    /// Bytes of the ring for encoded frames and audio.
    public var sampleRingBytes = 1 << 20

    public init(
        video: Video? = .raw(.i420, PixelSize(width: 320, height: 180)), appAudio: AudioCodec? = nil,
        micAudio: AudioCodec? = nil
    ) {
        self.video = video
        self.appAudio = appAudio
        self.micAudio = micAudio
    }

    static let sampleRate = 48000
    static let channels = 2
    static let samplesPerAccessUnit = 1024
    /// A raw_data_block of AAC-LC: two channels of silence, and its AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1).
    static let silence: [UInt8] = [0x21, 0x10, 0x04, 0x60, 0x8c, 0x1c]
    static let audioSpecificConfig: [UInt8] = [0x11, 0x90]

    var audio: [AudioFormat] {
        [(SampleType.audioApp, appAudio), (.audioMic, micAudio)].compactMap { type, codec in
            codec.map {
                AudioFormat(
                    type: type, codec: $0, sampleRate: Self.sampleRate, channels: Self.channels,
                    bitrate: $0 == .aac ? 160_000 : 0, configuration: $0 == .aac ? Self.audioSpecificConfig : [],
                    samplesPerAccessUnit: Self.samplesPerAccessUnit, primingSamples: 0)
            }
        }
    }
}

/// The writable planes of a frame. Valid only inside the closure that gets it.
public struct RehearsalFrame {
    let layout: FrameSlotLayout
    let base: UnsafeMutableRawPointer

    /// The size in pixels; both sides are even.
    public var size: PixelSize { layout.size }
    public var planeCount: Int { layout.planeOffsets.count }

    /// Lends the bytes of a row of a plane.
    public func withRow<Result>(
        _ row: Int, ofPlane plane: Int, _ body: (inout MutableSpan<UInt8>) -> Result
    ) -> Result {
        let extent = layout.planeExtents[plane]
        precondition(row >= 0 && row < extent.rows, "no such row")
        let first = base + layout.planeOffsets[plane] + row * layout.planeStrides[plane]
        var bytes = MutableSpan(
            _unsafeStart: first.assumingMemoryBound(to: UInt8.self), count: extent.rowBytes)
        return body(&bytes)
    }

    /// Fills each plane with its byte of `bytes`.
    public func fill(_ bytes: [UInt8]) {
        for (plane, extent) in layout.planeExtents.enumerated() {
            for row in 0..<extent.rows {
                withRow(row, ofPlane: plane) { $0.update(repeating: bytes[plane]) }
            }
        }
    }

    /// Grey stripes that move with `number`.
    public func drawPattern(_ number: Int) {
        for (plane, extent) in layout.planeExtents.enumerated() {
            let isGrey = plane == 0
            for row in 0..<extent.rows {
                withRow(row, ofPlane: plane) { bytes in
                    for index in bytes.indices {
                        let column = layout.pixelFormat == .bgra ? index / 4 : index
                        bytes[index] = isGrey ? UInt8(16 + (column + row + number * 4) % 220) : 128
                    }
                }
            }
        }
    }
}
