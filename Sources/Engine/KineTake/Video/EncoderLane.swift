// One of a take's encoders, and the changes in frames that it did not get.
import KineCodecs
import KineMedia

/// Used by one thread.
final class EncoderLane<Encoder: VideoEncoder> {
    let encoder: Encoder
    /// Its samples have the stream's format. Samples of another format are not given out.
    private(set) var isOfStream: Bool
    /// The next frame has to be a keyframe: others encoded the frames before it.
    var isBehind: Bool
    private let format: StreamFormat
    private var missed: DamageRegion?

    init(_ encoder: Encoder, of format: StreamFormat, isBehind: Bool = false) {
        self.encoder = encoder
        self.format = format
        self.isBehind = isBehind
        isOfStream = encoder.parameterSets.map(format.includes) ?? true
    }

    /// Leaves a frame out. Its changes are encoded with the next one.
    func skip(_ changed: DamageRegion) { missed = union(changed) }

    private func union(_ changed: DamageRegion) -> DamageRegion {
        guard var missed else { return changed }
        missed.formUnion(changed)
        return missed
    }

    func encode(
        _ frame: PlanarFrame, changed: DamageRegion, at time: MediaTime, isKeyframe: Bool,
        output: (EncodedSample) -> Void
    ) throws(VideoEncoderError) {
        let changed = union(changed)
        missed = nil
        defer { isBehind = false }
        try encoder.encode(frame, changed: changed, at: time, forceKeyframe: isKeyframe || isBehind) {
            note($0, output: output)
        }
    }

    /// Gives out the samples of frames that the encoder holds back.
    func drain(output: (EncodedSample) -> Void) throws(VideoEncoderError) {
        try encoder.drain { note($0, output: output) }
    }

    private func note(_ piece: VideoEncoderOutput, output: (EncodedSample) -> Void) {
        switch piece {
        case .format(let sets): isOfStream = isOfStream && format.includes(sets)
        case .sample(let sample): if isOfStream { output(sample) }
        }
    }
}
