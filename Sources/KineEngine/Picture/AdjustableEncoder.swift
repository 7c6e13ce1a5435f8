// The take's encoder as the user wants it, and, while extensions ask for less, another one instead of it; or beside it, where
// the recording keeps its quality. Both make parts of one stream: their parameter sets are the same.
import KineCodecs
import KineImaging
import KineMedia
import KineRelay

/// For whom a sample is.
public struct SampleAudience: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let recording = SampleAudience(rawValue: 1)
    public static let extensions = SampleAudience(rawValue: 2)
    public static let all: SampleAudience = [.recording, .extensions]
}

/// Encodes pictures one after the other. Not thread-safe: one thread encodes.
final class AdjustableEncoder {
    /// What a picture became; none where it is left out.
    typealias Output = [(sample: EncodedSample, audience: SampleAudience)]

    /// An encoder, and what changed in pictures that it did not get.
    private struct Lane {
        let encoder: X264Encoder
        var missed: DamageRegion?
        var isBehind = false

        mutating func skip(_ changed: DamageRegion) {
            missed = union(changed)
        }

        private func union(_ changed: DamageRegion) -> DamageRegion {
            guard var missed else { return changed }
            missed.formUnion(changed)
            return missed
        }

        mutating func encode(
            _ planes: I420Picture, _ changed: DamageRegion, at time: MediaTime, isKeyframe: Bool
        ) throws(X264Encoder.Error) -> EncodedSample {
            let changed = union(changed)
            missed = nil
            defer { isBehind = false }
            let sample = try encoder.encode(planes, changed: changed, at: time, forceKeyframe: isKeyframe || isBehind)
            guard let limit = encoder.settings.peak?.accessUnit, sample.data.count > limit else { return sample }
            // The limit is kept by estimates. A picture that is larger all the same is made anew, as small as can be.
            return try encoder.encode(planes, changed: changed, at: time, forceKeyframe: true, isCoarsest: true)
        }
    }

    private let keepsRecordingQuality: Bool
    private let floor: EncodingFloor
    private let largestAccessUnit: Int?
    /// Bits a second that the first encoder makes at most as it was opened; nil: as many as it takes.
    private let chosenLimit: Int?
    private var chosen: Lane
    private var reduced: Lane?
    private var request = EncodingRequest.none
    private var pacer: FramePacer?

    init(_ plan: EncodingPlan) throws(X264Encoder.Error) {
        keepsRecordingQuality = plan.keepsRecordingQuality
        floor = plan.floor
        largestAccessUnit = plan.largestAccessUnit
        chosenLimit = [plan.settings.averageBitrate, plan.settings.peak?.bitrate].compactMap(\.self).min()
        chosen = Lane(encoder: try X264Encoder(plan.settings))
    }

    var parameterSets: H264ParameterSets { chosen.encoder.parameterSets }

    /// The next picture begins anew for somebody.
    var needsKeyframe: Bool { chosen.isBehind && !runsInstead }

    /// When the next picture is to be shown at the earliest, where a frame rate is asked for: nanoseconds of the take.
    var earliest: Int64? { pacer?.earliest }

    /// The other encoder works, and the user's rests.
    private var runsInstead: Bool { reduced != nil && !keepsRecordingQuality }

    /// From the next picture on, extensions get no more than `request` says.
    func adjust(_ request: EncodingRequest) {
        let settings = chosen.encoder.settings
        let request = request.within(
            averageBitRate: chosenLimit, framesPerSecond: settings.nominalFrameRate, floor: floor)
        guard request != self.request else { return }
        if request.maximumFrameRate != self.request.maximumFrameRate {
            pacer = request.maximumFrameRate.map { FramePacer(framesPerSecond: $0) }
        }
        self.request = request
        // An encoder that was opened with a peak changes it in place: no new stream, no keyframe.
        if settings.peak != nil, !keepsRecordingQuality {
            guard let bits = request.averageBitRate ?? chosenLimit else { return }
            _ = chosen.encoder.setPeak(peak(bits))
            return
        }
        if request.averageBitRate != nil || pacer != nil && keepsRecordingQuality {
            reduce(to: peak(request.averageBitRate ?? chosenLimit ?? Self.unlimited))
        } else if let reduced {
            chosen.encoder.follow(reduced.encoder)
            chosen.isBehind = true
            self.reduced = nil
        }
    }

    private static let unlimited = EncodingRequest.bitRates.upperBound

    private func peak(_ bits: Int) -> VideoEncoderSettings.Peak {
        .init(bitrate: bits, accessUnit: largestAccessUnit, frameRate: request.maximumFrameRate)
    }

    private func reduce(to peak: VideoEncoderSettings.Peak) {
        if let reduced, reduced.encoder.setPeak(peak) { return }
        var settings = chosen.encoder.settings
        settings.peak = peak
        // Where there is none, or nobody could decode what it makes: better too much than nothing.
        guard let encoder = try? X264Encoder(settings, continuing: chosen.encoder),
            encoder.canContinue(chosen.encoder)
        else { return }
        reduced = Lane(encoder: encoder, isBehind: true)
    }

    /// Encodes a picture for everybody it is for. `changed`: since the picture before. Both encoders make their keyframes at the
    /// same pictures.
    func encode(
        _ planes: I420Picture, changed: DamageRegion, at time: MediaTime, isKeyframe: Bool
    ) throws(X264Encoder.Error) -> Output {
        // A feed that waits for a keyframe gets it at once.
        let isDue = isKeyframe || pacer.map { time.nanoseconds >= $0.earliest } ?? true
        if isDue { pacer?.took(at: time.nanoseconds) }
        guard reduced != nil else {
            guard isDue else {
                chosen.skip(changed)
                return []
            }
            return [(try chosen.encode(planes, changed, at: time, isKeyframe: isKeyframe), .all)]
        }
        var output: Output = []
        if isDue, let sample = try reduced?.encode(planes, changed, at: time, isKeyframe: isKeyframe) {
            output.append((sample, keepsRecordingQuality ? .extensions : .all))
        } else {
            reduced?.skip(changed)
        }
        if keepsRecordingQuality {
            output.append((try chosen.encode(planes, changed, at: time, isKeyframe: isKeyframe), .recording))
        }
        return output
    }
}

extension VideoEncoderSettings {
    /// Bits a second, where they were chosen.
    var averageBitrate: Int? {
        if case .averageBitrate(let bits) = rateControl { return bits }
        return nil
    }
}
