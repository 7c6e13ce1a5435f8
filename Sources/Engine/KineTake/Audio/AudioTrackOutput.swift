// The end of a track: its samples go to the sink uncompressed, through the encoder as access units, or both.
import KineCodecs
import KineMedia

/// Gives each access unit and each stretch of samples its time. Belongs to the audio thread.
final class AudioTrackOutput {
    /// The format of access units; nil if the track is not encoded.
    let format: AudioFormat?
    /// Samples a channel in each `append`.
    let frameLength: Int
    /// Nil: appended samples are lost.
    var sink: (any AudioSink)?

    private let index: Int
    private let track: AudioPlan.Track
    private let timescale: Int32
    private let encoder: AudioTrackEncoder?
    private var framesAppended: Int64 = 0

    /// Opens the encoder, if one is needed, with the configuration's rate, channels and bitrate. `index`: the track's.
    init(
        index: Int, track: AudioPlan.Track, configuration: TakeConfiguration.Audio
    ) throws(AudioEncoderError) {
        self.index = index
        self.track = track
        timescale = Int32(clamping: configuration.sampleRate)
        let pcm = AudioFormat.pcm(
            track.type, sampleRate: configuration.sampleRate, channels: configuration.channels)
        let codec: AudioCodec = track.isEncoded ? .aac : .pcm
        encoder = try codec.openEncoder(
            for: track.type, sampleRate: pcm.sampleRate, channels: pcm.channels, bitrate: configuration.bitrate
        ).map { AudioTrackEncoder(encoder: $0) }
        format = encoder?.format
        frameLength = (format ?? pcm).samplesPerAccessUnit
    }

    /// Frames that went through the encoder; silent ones mostly do not count.
    var encodedFrames: Int { encoder?.encodedFrames ?? 0 }

    /// One frame of interleaved samples.
    func append(_ frame: Span<Float>) throws(AudioEncoderError) {
        // A feed that wants uncompressed samples may begin at any time.
        sink?.receive(
            pcm: frame, of: index, type: track.type, at: time(framesAppended * Int64(frameLength)),
            duration: time(Int64(frameLength)))
        framesAppended += 1
        guard let encoder else { return }
        try encoder.encode(interleaved: frame) { deliver($0) }
    }

    /// Delivers the samples that the encoder still holds.
    func finish() throws(AudioEncoderError) {
        guard let encoder else { return }
        try encoder.finish { deliver($0) }
    }

    private func deliver(_ sample: EncodedSample) {
        sink?.receive(sample, of: index, isRecorded: track.isRecorded)
    }

    private func time(_ samples: Int64) -> MediaTime { MediaTime(ticks: samples, timescale: timescale) }
}

/// A stretch of interleaved samples without holes, from `start` up to `end`. Everything outside counts as silence.
struct SampleStore {
    let channels: Int
    /// The grid number of the first sample held.
    private(set) var start: Int64
    private var samples: [Float] = []
    /// Discarded samples, of all channels, at the front of `samples`; removed from time to time.
    private var spent = 0

    /// The grid number after the last sample held.
    var end: Int64 { start + Int64((samples.count - spent) / channels) }

    init(channels: Int, start: Int64) {
        self.channels = channels
        self.start = start
    }

    mutating func append(_ new: Span<Float>) {
        new.withUnsafeBufferPointer { samples.append(contentsOf: $0) }
    }

    /// Fills with silence up to `place`. Does nothing if that is already reached.
    mutating func appendSilence(upTo place: Int64) {
        let missing = place - end
        guard missing > 0 else { return }
        samples.append(contentsOf: repeatElement(0, count: Int(missing) * channels))
    }

    /// Forgets everything and begins again at `place`.
    mutating func restart(at place: Int64) {
        samples.removeAll(keepingCapacity: true)
        spent = 0
        start = place
    }

    mutating func discard(before place: Int64) {
        let count = min(place, end) - start
        guard count > 0 else { return }
        start += count
        spent += Int(count) * channels
        // Moves the rest only when it is the smaller part, so moving costs no more than appending did.
        if spent > samples.count / 2 {
            samples.removeFirst(spent)
            spent = 0
        }
    }

    /// Adds the samples from `place` on to `target`, if there are any.
    func add(to target: UnsafeMutableBufferPointer<Float>, from place: Int64) {
        let frames = Int64(target.count / channels)
        let first = max(place, start)
        let last = min(place + frames, end)
        guard first < last else { return }
        let source = spent + Int(first - start) * channels
        let offset = Int(first - place) * channels
        let count = Int(last - first) * channels
        samples.withUnsafeBufferPointer { samples in
            for index in 0..<count { target[offset + index] += samples[source + index] }
        }
    }
}
