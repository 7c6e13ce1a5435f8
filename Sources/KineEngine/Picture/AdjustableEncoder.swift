// The take's encoder with the user's settings, and a second one while extensions ask for less: instead of the first, or beside
// it where the recording keeps its quality. Both make parts of one stream, whose format never changes.
import KineCodecs
import KineMedia
import KineRelay

/// Encodes frames one after the other. Not thread-safe: one thread encodes.
final class AdjustableEncoder<Encoder: VideoEncoder> {
    /// Gets each sample, with its audience.
    typealias Output = (EncodedSample, SampleAudience) -> Void

    private let keepsRecordingQuality: Bool
    private let floor: EncodingFloor
    private let largestAccessUnit: Int?
    /// Bits a second that the first encoder makes at most, with the user's settings; nil: no limit.
    private let chosenLimit: Int?
    private let ready: (VideoParameterSets) -> Void
    /// Of the stream; nil while it is unknown.
    private var format: VideoParameterSets?
    private let chosen: EncoderLane<Encoder>
    private var reduced: EncoderLane<Encoder>?
    private var request = EncodingRequest.none
    private var pacer: FramePacer?

    /// Opens the first encoder. `ready` gets the stream's format once, before its first sample.
    init(_ plan: EncodingPlan, ready: @escaping (VideoParameterSets) -> Void) throws(VideoEncoderError) {
        keepsRecordingQuality = plan.keepsRecordingQuality
        floor = plan.floor
        largestAccessUnit = plan.largestAccessUnit
        chosenLimit = [plan.settings.averageBitrate, plan.settings.peak?.bitrate].compactMap(\.self).min()
        self.ready = ready
        chosen = EncoderLane(try Encoder(plan.settings, continuing: nil))
        _ = isOfStream(chosen.parameterSets)
    }

    /// Whether the next frame has to be a keyframe for the first encoder to go on.
    var needsKeyframe: Bool { chosen.isBehind && !isReplaced }

    /// When the next frame is due at the earliest, where a frame rate is asked for: nanoseconds of the take.
    var earliest: Int64? { pacer?.earliest }

    /// The second encoder works instead of the first.
    private var isReplaced: Bool { reduced != nil && !keepsRecordingQuality }

    // MARK: Requests

    /// From the next frame on, extensions get no more than `request` says. `output` gets what is held back by an encoder that
    /// is no longer used.
    func adjust(_ request: EncodingRequest, output: Output) throws(VideoEncoderError) {
        let settings = chosen.encoder.settings
        let request = request.within(
            averageBitRate: chosenLimit, framesPerSecond: settings.nominalFrameRate, floor: floor)
        guard request != self.request else { return }
        if request.maximumFrameRate != self.request.maximumFrameRate {
            pacer = request.maximumFrameRate.map { FramePacer(framesPerSecond: $0) }
        }
        self.request = request
        if settings.peak != nil, !keepsRecordingQuality {
            // A running encoder changes its bitrate in place; no format change, no keyframe.
            guard let bits = request.averageBitRate ?? chosenLimit else { return }
            _ = chosen.encoder.setPeak(peak(bits))
        } else if request.averageBitRate != nil || pacer != nil && keepsRecordingQuality {
            try reduce(to: peak(request.averageBitRate ?? chosenLimit ?? Self.unlimited), output)
        } else {
            try restore(output)
        }
    }

    private static var unlimited: Int { EncodingRequest.bitRates.upperBound }

    private func peak(_ bits: Int) -> VideoEncoderSettings.Peak {
        .init(bitrate: bits, accessUnit: largestAccessUnit, frameRate: request.maximumFrameRate)
    }

    private func reduce(to peak: VideoEncoderSettings.Peak, _ output: Output) throws(VideoEncoderError) {
        if let reduced {
            if reduced.encoder.setPeak(peak) { return }
            try drain(reduced, for: reducedAudience, output)
        } else {
            try drain(chosen, for: .all, output)
        }
        var settings = chosen.encoder.settings
        settings.peak = peak
        // Without a second encoder of the same format, extensions go on getting more than they asked for.
        guard let encoder = try? Encoder(settings, continuing: chosen.encoder), isOfStream(encoder.parameterSets)
        else { return }
        if let reduced { encoder.follow(reduced.encoder) }
        reduced = EncoderLane(encoder, isBehind: true)
    }

    private var reducedAudience: SampleAudience { keepsRecordingQuality ? .extensions : .all }

    /// The first encoder works for everybody again.
    private func restore(_ output: Output) throws(VideoEncoderError) {
        if let reduced { try drain(reduced, for: reducedAudience, output) }
        leaveReduced()
    }

    private func leaveReduced() {
        guard let lane = reduced else { return }
        reduced = nil
        chosen.encoder.follow(lane.encoder)
        chosen.isBehind = true
    }

    // MARK: Frames

    /// Encodes a frame for everybody it is for. Both encoders make their keyframes of the same frames. `changed`: since the
    /// frame before. False where extensions do not get it because they asked for fewer frames a second.
    func encode(
        _ frame: I420Picture, changed: DamageRegion, at time: MediaTime, isKeyframe: Bool, output: Output
    ) throws(VideoEncoderError) -> Bool {
        // A feed that waits for a keyframe gets it at once.
        let isDue = isKeyframe || pacer.map { time.nanoseconds >= $0.earliest } ?? true
        if isDue { pacer?.took(at: time.nanoseconds) }
        let lane = reduced ?? chosen
        let audience = reduced == nil ? .all : reducedAudience
        var isAccepted = true
        if isDue {
            isAccepted = try run(lane, for: audience, frame, changed, at: time, isKeyframe: isKeyframe, output)
        } else {
            lane.skip(changed)
        }
        if audience == .extensions {
            let isRecorded = try run(
                chosen, for: .recording, frame, changed, at: time, isKeyframe: isKeyframe, output)
            guard isRecorded else { throw .formatRefused(Encoder.codec) }
        }
        if !isAccepted {
            guard reduced != nil else { throw .formatRefused(Encoder.codec) }
            leaveReduced()
        }
        return isDue
    }

    /// Gives out what the encoders hold back; the last call.
    func finish(output: Output) throws(VideoEncoderError) {
        if let reduced { try drain(reduced, for: reducedAudience, output) }
        if !isReplaced { try drain(chosen, for: reduced == nil ? .all : .recording, output) }
    }

    /// Encodes a frame for `audience`. False where the encoder has changed its format; they get nothing then.
    private func run(
        _ lane: EncoderLane<Encoder>, for audience: SampleAudience, _ frame: I420Picture, _ changed: DamageRegion,
        at time: MediaTime, isKeyframe: Bool, _ output: Output
    ) throws(VideoEncoderError) -> Bool {
        var isRefused = false
        try lane.encode(frame, changed: changed, at: time, isKeyframe: isKeyframe) { sample in
            isRefused = isRefused || !deliver(sample, of: lane, for: audience, output)
        }
        return !isRefused
    }

    /// Gives out what an encoder holds back.
    private func drain(
        _ lane: EncoderLane<Encoder>, for audience: SampleAudience, _ output: Output
    ) throws(VideoEncoderError) {
        var isRefused = false
        try lane.drain { isRefused = isRefused || !deliver($0, of: lane, for: audience, output) }
        if isRefused, lane === chosen { throw .formatRefused(Encoder.codec) }
    }

    private func deliver(
        _ sample: EncodedSample, of lane: EncoderLane<Encoder>, for audience: SampleAudience, _ output: Output
    ) -> Bool {
        guard isOfStream(lane.parameterSets) else { return false }
        output(sample, audience)
        return true
    }

    /// Whether these are the stream's; the first that are known become it.
    private func isOfStream(_ sets: VideoParameterSets?) -> Bool {
        guard let sets else { return true }
        if format == nil {
            format = sets
            ready(sets)
        }
        return sets == format
    }
}
