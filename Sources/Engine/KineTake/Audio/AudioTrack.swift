// One audio track of a take: sums its lanes, and passes the mix to each output.
import KineCodecs

/// Belongs to the audio thread.
final class AudioTrack {
    /// The lanes to sum.
    var lanes: [AudioLane] = []
    /// The forms of the mix. Each output cuts it into frames of its own length.
    let outputs: [AudioTrackOutput]

    private let channels: Int
    private let softClips: Bool
    /// Room for one piece of the mix.
    private var piece: [Float]

    /// Samples a channel that are summed at once: less than a frame, so that no output runs ahead of another.
    private static let pieceLength = 256

    /// `softClips`: several streams share the track, so that their sum can be too loud.
    init(channels: Int, softClips: Bool, outputs: [AudioTrackOutput]) {
        self.channels = channels
        self.softClips = softClips
        self.outputs = outputs
        piece = [Float](repeating: 0, count: Self.pieceLength * channels)
    }

    /// Appends `count` samples to the track: the sum of the lanes from the grid's sample `place` on.
    func append(_ count: Int64, from place: Int64) throws(AudioEncoderError) {
        var done: Int64 = 0
        while done < count {
            let frames = Int(min(count - done, Int64(Self.pieceLength)))
            let range = 0..<frames * channels
            piece.withUnsafeMutableBufferPointer { piece in
                let part = UnsafeMutableBufferPointer(rebasing: piece[range])
                part.update(repeating: 0)
                for lane in lanes { lane.store.add(to: part, from: place + done) }
                Self.limit(part, softly: softClips)
            }
            try piece.withUnsafeBufferPointer { piece throws(AudioEncoderError) in
                for output in outputs { try output.append(piece.extracting(range).span) }
            }
            done += Int64(frames)
        }
    }

    /// Delivers all that the outputs still hold.
    func finish() throws(AudioEncoderError) {
        for output in outputs { try output.finish() }
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
