// The end of a track: its samples go to the sink uncompressed, through the encoder as access units, or both.
import KineCodecs
import KineControl
import KineMedia

/// Gives each access unit and each stretch of samples its time. Belongs to the audio thread.
final class AudioTrackOutput {
    /// The format of access units; nil if the track is not encoded.
    let format: AudioTrackFormat?
    /// Samples a channel that are appended at once.
    let frameLength: Int
    /// Nil: appended samples are lost.
    var sink: (any AudioSink)?

    private let index: Int
    private let track: AudioPlan.Track
    private let timescale: Int32
    private let encoder: AACTrackEncoder?
    private var framesAppended: Int64 = 0

    /// Opens the encoder, if one is needed, with the configuration's rate, channels and bitrate. `index`: of the track.
    init(
        index: Int, track: AudioPlan.Track, configuration: TakeConfiguration.Audio
    ) throws(AACEncoder.Error) {
        self.index = index
        self.track = track
        timescale = Int32(clamping: configuration.sampleRate)
        guard track.isEncoded else {
            format = nil
            encoder = nil
            // As long as an access unit: a listener waits for about 20 ms.
            frameLength = 1024
            return
        }
        let encoder = try AACEncoder(
            sampleRate: configuration.sampleRate, channels: configuration.channels, bitrate: configuration.bitrate)
        format = encoder.trackFormat(track.type)
        frameLength = encoder.samplesPerFrame
        self.encoder = AACTrackEncoder(encoder: encoder)
    }

    /// Frames that libavcodec encoded; silent ones mostly do not count.
    var encodedFrames: Int { encoder?.encoder.encodedFrames ?? 0 }

    /// One frame of interleaved samples.
    func append(_ frame: Span<Float>) throws(AACEncoder.Error) {
        // A feed that wants them may come at any time.
        sink?.receive(
            pcm: frame, of: index, type: track.type, at: time(framesAppended * Int64(frameLength)),
            duration: time(Int64(frameLength)))
        framesAppended += 1
        guard let encoder else { return }
        try encoder.encode(interleaved: frame) { deliver(encoder.sample($0, type: track.type)) }
    }

    /// Hands out what the encoder holds.
    func finish() throws(AACEncoder.Error) {
        guard let encoder else { return }
        try encoder.finish { deliver(encoder.sample($0, type: track.type)) }
    }

    private func deliver(_ sample: EncodedSample) {
        sink?.receive(sample, of: index, isRecorded: track.isRecorded)
    }

    private func time(_ samples: Int64) -> MediaTime { MediaTime(ticks: samples, timescale: timescale) }
}
