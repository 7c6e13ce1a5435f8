// One form of a track: cuts the track's mix into frames, which go to the sink uncompressed, or through an encoder as
// access units.
import KineCodecs
import KineMedia

/// Gives each access unit, or each piece of PCM, its time. Belongs to the audio thread.
final class AudioTrackOutput {
    let output: AudioPlan.Output
    let format: AudioFormat
    /// The file has its access units.
    let isRecorded: Bool
    /// Nil: access units and samples are lost.
    var sink: (any AudioSink)?

    /// Nil: PCM.
    private let encoder: AudioTrackEncoder?
    /// Interleaved samples of the frame that is not full yet.
    private var frame: [Float] = []
    /// The number of that frame's first sample in the track.
    private var position: Int64 = 0

    /// PCM of this format.
    init(track: Int, pcm format: AudioFormat) {
        output = AudioPlan.Output(track: track, form: format.codec)
        self.format = format
        isRecorded = false
        encoder = nil
    }

    /// Access units of an unused encoder.
    init(track: Int, encoder: any AudioEncoder, isRecorded: Bool) {
        output = AudioPlan.Output(track: track, form: encoder.format.codec)
        format = encoder.format
        self.isRecorded = isRecorded
        self.encoder = AudioTrackEncoder(encoder: encoder)
    }

    /// Opens the outputs of a track of the plan: an encoder for each codec that is wanted, with the configuration's rate,
    /// channels and bitrate; and PCM, as a feed that wants it may begin at any time.
    static func open(
        track index: Int, _ track: AudioPlan.Track, _ configuration: TakeConfiguration.Audio
    ) throws(AudioEncoderError) -> [AudioTrackOutput] {
        let (rate, channels) = (configuration.sampleRate, configuration.channels)
        let pcm = AudioFormat.pcm(track.type, sampleRate: rate, channels: channels)
        var outputs = [AudioTrackOutput(track: index, pcm: pcm)]
        for codec in track.forms {
            let encoder = try codec.openEncoder(
                for: track.type, sampleRate: rate, channels: channels, bitrate: configuration.bitrate)
            guard let encoder else { continue }
            outputs.append(AudioTrackOutput(track: index, encoder: encoder, isRecorded: codec == track.recorded))
        }
        return outputs
    }

    /// Frames that went through the encoder; silent ones mostly do not count.
    var encodedFrames: Int { encoder?.encodedFrames ?? 0 }

    private var frameSize: Int { format.samplesPerAccessUnit * format.channels }

    /// Takes interleaved samples within ±1, of any number.
    func append(_ samples: Span<Float>) throws(AudioEncoderError) {
        var used = 0
        while used < samples.count {
            let count = min(samples.count - used, frameSize - frame.count)
            let part = samples.extracting(used..<used + count)
            part.withUnsafeBufferPointer { frame.append(contentsOf: $0) }
            used += count
            if frame.count == frameSize { try flush() }
        }
    }

    /// Fills an unfinished frame with silence, and delivers the access units that the encoder still holds.
    func finish() throws(AudioEncoderError) {
        if !frame.isEmpty {
            frame.append(contentsOf: repeatElement(0, count: frameSize - frame.count))
            try flush()
        }
        try encoder?.finish { deliver($0) }
    }

    private func flush() throws(AudioEncoderError) {
        defer {
            frame.removeAll(keepingCapacity: true)
            position += Int64(format.samplesPerAccessUnit)
        }
        try frame.withUnsafeBufferPointer { frame throws(AudioEncoderError) in try send(frame.span) }
    }

    /// One full frame.
    private func send(_ frame: Span<Float>) throws(AudioEncoderError) {
        if let encoder {
            try encoder.encode(interleaved: frame) { deliver($0) }
        } else {
            sink?.receive(
                pcm: frame, of: output, type: format.type, at: format.time(ofSample: position),
                duration: format.time(ofSample: Int64(format.samplesPerAccessUnit)))
        }
    }

    private func deliver(_ unit: EncodedSample) { sink?.receive(unit, of: output, isRecorded: isRecorded) }
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

    /// The largest magnitude among the samples of a range; 0 if none of them is held.
    func peak(in range: Range<Int64>) -> Float {
        let first = max(range.lowerBound, start)
        let last = min(range.upperBound, end)
        guard first < last else { return 0 }
        let offset = spent + Int(first - start) * channels
        let count = Int(last - first) * channels
        return samples.withUnsafeBufferPointer { samples in
            var peak: Float = 0
            for index in offset..<offset + count { peak = max(peak, abs(samples[index])) }
            return peak
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
