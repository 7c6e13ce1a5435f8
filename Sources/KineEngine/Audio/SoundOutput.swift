// A track's end: its samples go to who wants them as they are, and through the encoder to who wants access units.
import KineCodecs
import KineControl
import KineMedia

/// What listens to a take besides its file. Called on the sound thread, and within `AudioPipeline.finish` on the thread that
/// calls it; must not block. Tracks are counted as in the take's `AudioPlan`.
public struct SoundListeners: Sendable {
    /// An access unit. Its time is that of its first decoded sample, as in the file.
    public var encoded: @Sendable (_ track: Int, EncodedSample) -> Void
    /// Interleaved samples within ±1, borrowed for the call.
    public var plain:
        @Sendable (_ track: Int, SampleType, Span<Float>, _ time: MediaTime, _ duration: MediaTime) -> Void

    public init(
        encoded: @escaping @Sendable (Int, EncodedSample) -> Void,
        plain: @escaping @Sendable (Int, SampleType, Span<Float>, MediaTime, MediaTime) -> Void
    ) {
        self.encoded = encoded
        self.plain = plain
    }
}

/// Gives each access unit and each stretch of plain samples its time. Belongs to the sound thread.
final class SoundOutput {
    /// What the encoder makes; nil where nobody wants access units, and there is no encoder then.
    let format: AudioTrackFormat?
    /// Samples a channel that are taken at once.
    let frameLength: Int

    private let track: AudioPlan.Track
    private let channels: Int
    private let sampleRate: Int
    private let encoder: AACTrackEncoder?
    private let deliverEncoded: (EncodedSample) -> Void
    private let deliverPlain: (Span<Float>, MediaTime, MediaTime) -> Void
    private var framesTaken: Int64 = 0

    /// Opens the encoder, where one is needed, with the configuration's rate, channels and bit rate.
    init(
        track: AudioPlan.Track, configuration: TakeConfiguration.Audio, encoded: @escaping (EncodedSample) -> Void,
        plain: @escaping (Span<Float>, MediaTime, MediaTime) -> Void
    ) throws(AACEncoder.Error) {
        self.track = track
        channels = configuration.channels
        sampleRate = configuration.sampleRate
        deliverEncoded = encoded
        deliverPlain = plain
        guard track.isEncoded else {
            format = nil
            encoder = nil
            // As long as an access unit: about 20 ms, which is as much as a listener is kept waiting.
            frameLength = 1024
            return
        }
        let encoder = try AACEncoder(
            sampleRate: configuration.sampleRate, channels: configuration.channels, bitrate: configuration.bitrate)
        format = AudioTrackFormat(
            type: track.type, sampleRate: encoder.sampleRate, channels: encoder.channels,
            bitrate: configuration.bitrate, audioSpecificConfig: encoder.audioSpecificConfig,
            samplesPerAccessUnit: encoder.samplesPerFrame, primingSamples: encoder.primingSamples)
        frameLength = encoder.samplesPerFrame
        self.encoder = AACTrackEncoder(encoder: encoder)
    }

    /// Frames that libavcodec encoded; silent ones mostly do not count.
    var encodedFrames: Int { encoder?.encoder.encodedFrames ?? 0 }

    /// Takes one frame of interleaved samples.
    func take(_ frame: Span<Float>) throws(AACEncoder.Error) {
        if track.isPlain {
            let scale = Int32(clamping: sampleRate)
            deliverPlain(
                frame, MediaTime(ticks: framesTaken * Int64(frameLength), timescale: scale),
                MediaTime(ticks: Int64(frameLength), timescale: scale))
        }
        framesTaken += 1
        try encoder?.encode(interleaved: frame) { hand($0) }
    }

    /// Hands out what the encoder holds.
    func finish() throws(AACEncoder.Error) { try encoder?.finish { hand($0) } }

    private func hand(_ unit: AACTrackEncoder.AccessUnit) {
        let scale = Int32(clamping: sampleRate)
        deliverEncoded(
            EncodedSample(
                type: track.type, presentationTime: MediaTime(ticks: unit.firstSample, timescale: scale),
                duration: MediaTime(ticks: Int64(frameLength), timescale: scale), isKeyframe: true, data: unit.data))
    }
}
