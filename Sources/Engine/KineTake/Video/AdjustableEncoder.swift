// The take's encoder with the user's settings, and a second one while extensions ask for less: instead of the first, or beside
// it if the recording keeps its quality. Both make parts of one stream, whose keyframes say their format.
import KineCodecs
import KineMedia

/// Encodes frames one after the other. Not thread-safe: one thread encodes.
final class AdjustableEncoder<Encoder: VideoEncoder> {
    /// Gets each sample, with its audience.
    typealias Output = (EncodedSample, SampleAudience) -> Void

    private let keepsRecordingQuality: Bool
    private let floor: EncodingFloor
    private var largestAccessUnit: Int?
    /// Destinations with a smaller limit were added since the last adjustment.
    private var hasNewLimit = false
    /// Bits a second that the first encoder makes at most, with the user's settings; nil: no limit.
    private let chosenLimit: Int?
    private let stream: StreamFormat
    private let chosen: EncoderLane<Encoder>
    private var reduced: EncoderLane<Encoder>?
    private var request = EncodingRequest.none
    private var pacer: FramePacer?

    /// Opens the first encoder. `ready` gets the stream's first format once, before its first sample.
    init(_ plan: EncodingPlan, ready: @escaping (VideoFormat) -> Void) throws(VideoEncoderError) {
        keepsRecordingQuality = plan.keepsRecordingQuality
        floor = plan.floor
        largestAccessUnit = plan.largestAccessUnit
        chosenLimit = [plan.settings.averageBitrate, plan.settings.peak?.bitrate].compactMap(\.self).min()
        stream = StreamFormat(plan, ready: ready)
        chosen = EncoderLane(try Encoder(plan.settings, continuing: nil), of: stream)
    }

    /// Whether the next frame has to be a keyframe for the first encoder to go on.
    var needsKeyframe: Bool { chosen.isBehind && !isReplaced }

    /// The earliest time of the next frame, in nanoseconds of the take; nil: no frame rate is asked for.
    var earliest: Int64? { pacer?.earliest }

    /// The second encoder works instead of the first.
    private var isReplaced: Bool { reduced != nil && !keepsRecordingQuality }

    /// Limits access units for extensions to that many bytes, from the next `adjust` on.
    func limitAccessUnits(to bytes: Int) {
        guard bytes < largestAccessUnit ?? .max else { return }
        largestAccessUnit = bytes
        hasNewLimit = true
    }

    /// From the next frame on, extensions get no more than `request` says. `output` gets the samples held back by an
    /// encoder that is no longer used.
    func adjust(_ request: EncodingRequest, output: Output) throws(VideoEncoderError) {
        let settings = chosen.encoder.settings
        let request = request.within(
            averageBitrate: chosenLimit, framesPerSecond: settings.nominalFrameRate, floor: floor)
        guard request != self.request || hasNewLimit else { return }
        hasNewLimit = false
        if request.maximumFrameRate != self.request.maximumFrameRate {
            pacer = request.maximumFrameRate.map { FramePacer(framesPerSecond: $0) }
        }
        self.request = request
        if settings.peak != nil, !keepsRecordingQuality {
            // A running encoder changes its bitrate in place; no format change, no keyframe.
            guard let bits = request.averageBitrate ?? chosenLimit else { return }
            _ = chosen.encoder.setPeak(peak(bits))
        } else if request.averageBitrate != nil || pacer != nil && keepsRecordingQuality {
            try reduce(to: peak(request.averageBitrate ?? chosenLimit ?? Self.unlimited), output)
        } else {
            if let reduced { try reduced.drain { output($0, reducedAudience) } }
            leaveReduced()
        }
    }

    private static var unlimited: Int { EncodingRequest.bitrates.upperBound }

    private func peak(_ bits: Int) -> VideoEncoderSettings.Peak {
        .init(bitrate: bits, accessUnit: largestAccessUnit, frameRate: request.maximumFrameRate)
    }

    private func reduce(to peak: VideoEncoderSettings.Peak, _ output: Output) throws(VideoEncoderError) {
        if let reduced {
            if reduced.encoder.setPeak(peak) { return }
            try reduced.drain { output($0, reducedAudience) }
        } else {
            try chosen.drain { output($0, .all) }
        }
        var settings = chosen.encoder.settings
        settings.peak = peak
        // Without a second encoder of the same format, extensions go on getting more than they asked for: each request
        // would otherwise change the format for all.
        guard let encoder = try? Encoder(settings, continuing: chosen.encoder),
            encoder.format == nil || encoder.format == chosen.encoder.format
        else { return }
        if let reduced { encoder.follow(reduced.encoder) }
        reduced = EncoderLane(encoder, of: stream, isBehind: true)
    }

    private var reducedAudience: SampleAudience { keepsRecordingQuality ? .extensions : .all }

    /// Returns to the first encoder for all audiences.
    private func leaveReduced() {
        guard let lane = reduced else { return }
        reduced = nil
        chosen.encoder.follow(lane.encoder)
        chosen.isBehind = true
    }

    /// Encodes a frame for its audiences. Both encoders make their keyframes of the same frames. `changed`: since the frame
    /// before. False if extensions do not get the frame because they asked for fewer frames a second.
    func encode(
        _ frame: PlanarFrame, changed: DamageRegion, at time: MediaTime, isKeyframe: Bool, output: Output
    ) throws(VideoEncoderError) -> Bool {
        // A feed that waits for a keyframe gets it at once.
        let isDue = isKeyframe || pacer.map { time.nanoseconds >= $0.earliest } ?? true
        if isDue { pacer?.recordFrame(at: time.nanoseconds) }
        let audience = reduced == nil ? .all : reducedAudience
        let lane = reduced ?? chosen
        if isDue {
            try lane.encode(frame, changed: changed, at: time, isKeyframe: isKeyframe) { output($0, audience) }
        } else {
            lane.skip(changed)
        }
        if audience == .extensions {
            try chosen.encode(frame, changed: changed, at: time, isKeyframe: isKeyframe) { output($0, .recording) }
        }
        return isDue
    }

    /// Gives out the samples that the encoders hold back. The last call.
    func finish(output: Output) throws(VideoEncoderError) {
        if let reduced { try reduced.drain { output($0, reducedAudience) } }
        if !isReplaced { try chosen.drain { output($0, reduced == nil ? .all : .recording) } }
    }
}

/// Used by one thread.
final class EncoderLane<Encoder: VideoEncoder> {
    let encoder: Encoder
    /// The next frame has to be a keyframe: another encoder encoded the frames before it.
    var isBehind: Bool
    private let stream: StreamFormat
    private var format: VideoFormat?
    private var missed: DamageRegion?

    init(_ encoder: Encoder, of stream: StreamFormat, isBehind: Bool = false) {
        self.encoder = encoder
        self.stream = stream
        self.isBehind = isBehind
        format = encoder.format.map { stream.note($0) }
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
        case .format(let format): self.format = stream.note(format)
        case .sample(var sample):
            if sample.isKeyframe, let format { stream.describe(&sample, format) }
            output(sample)
        }
    }
}
