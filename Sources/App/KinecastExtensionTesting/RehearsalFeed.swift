// The samples that a rehearsal sends to its handler, as a manifest would ask for them.
import KineMedia
import KineRings

/// The streams of a rehearsal.
public struct RehearsalFeed: Sendable {
    public enum Video: Sendable, Equatable {
        /// Uncompressed frames of this size.
        case raw(PixelFormat, PixelSize)
        /// H.264 that a decoder accepts. Both sides are even. It is not compressed, so keep it small.
        case encoded(PixelSize)
    }

    /// The frames; nil: none.
    public var video: Video? = .raw(.i420, PixelSize(width: 320, height: 180))
    /// Frames a second.
    public var framesPerSecond = 30
    /// The form of the applications' audio; nil: none. All audio is stereo at 48000 samples a second; AAC is silent, PCM a tone.
    public var appAudio: AudioCodec?
    /// The form of the microphone's audio; nil: none.
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

    var audio: [StreamDescription.Audio] {
        [(SampleType.audioApp, appAudio), (.audioMic, micAudio)].compactMap { type, form in
            form.map {
                StreamDescription.Audio(
                    type: type, form: $0, sampleRate: Self.sampleRate, channels: Self.channels,
                    audioSpecificConfig: $0 == .aac ? Self.audioSpecificConfig : [],
                    samplesPerAccessUnit: Self.samplesPerAccessUnit, primingSamples: 0,
                    bitrate: $0 == .aac ? 160_000 : 0)
            }
        }
    }
}
