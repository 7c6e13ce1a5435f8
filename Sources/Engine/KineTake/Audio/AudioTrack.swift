// One audio track of a take: sums its lanes and cuts the sum into the encoder's frames.
import KineCodecs

/// Belongs to the audio thread.
final class AudioTrack {
    /// Gets one full frame of interleaved samples within ±1, borrowed for the call.
    typealias Consumer = (Span<Float>) throws(AudioEncoderError) -> Void

    /// The lanes to sum.
    var lanes: [AudioLane] = []

    private let channels: Int
    private let frameLength: Int
    private let softClips: Bool
    private let consume: Consumer
    private var frame: [Float]
    private var filled = 0

    /// `frameLength`: samples a channel in a frame. `softClips`: several streams share the track, so that their sum can
    /// be too loud.
    init(channels: Int, frameLength: Int, softClips: Bool, consume: @escaping Consumer) {
        self.channels = channels
        self.frameLength = frameLength
        self.softClips = softClips
        self.consume = consume
        frame = [Float](repeating: 0, count: frameLength * channels)
    }

    /// Appends `count` samples to the track: the sum of the lanes from the grid's sample `place` on.
    func append(_ count: Int64, from place: Int64) throws(AudioEncoderError) {
        var done: Int64 = 0
        while done < count {
            let frames = Int(min(count - done, Int64(frameLength - filled)))
            let range = filled * channels..<(filled + frames) * channels
            frame.withUnsafeMutableBufferPointer { frame in
                let part = UnsafeMutableBufferPointer(rebasing: frame[range])
                part.update(repeating: 0)
                for lane in lanes { lane.store.add(to: part, from: place + done) }
                Self.limit(part, softly: softClips)
            }
            filled += frames
            done += Int64(frames)
            if filled == frameLength { try flush() }
        }
    }

    /// Fills an unfinished frame with silence and hands it on.
    func finish() throws(AudioEncoderError) {
        guard filled > 0 else { return }
        for index in filled * channels..<frame.count { frame[index] = 0 }
        try flush()
    }

    private func flush() throws(AudioEncoderError) {
        filled = 0
        try frame.withUnsafeBufferPointer { frame throws(AudioEncoderError) in try consume(frame.span) }
    }

    /// Keeps samples within ±1, and replaces those that are not finite by silence. `softly`: up to 0.8 nothing changes, above
    /// it the curve bends towards 1 without a corner. Samples do not depend on each other, so nothing pumps.
    static func limit(_ samples: UnsafeMutableBufferPointer<Float>, softly: Bool) {
        let knee: Float = 0.8
        for index in samples.indices {
            let value = samples[index]
            let magnitude = abs(value)
            if magnitude <= knee { continue }
            guard magnitude.isFinite else {
                samples[index] = 0
                continue
            }
            var limited = min(magnitude, 1)
            if softly {
                let excess = (magnitude - knee) / (1 - knee)
                limited = knee + (1 - knee) * excess / (1 + excess)
            }
            samples[index] = value < 0 ? -limited : limited
        }
    }
}
