// The encoders of a film: such as continue the recording's own stream, or one for all frames.
import KineCodecs
import KineMedia
import KineX264

/// Not thread-safe: one thread encodes.
final class FilmEncoders {
    private enum Kind {
        /// One for each pair of parameter sets of the recording.
        case continuing([H264ParameterSets: X264Continuation])
        /// `size`: to show.
        case new(X264Encoder, size: PixelSize)
    }

    private var kind: Kind

    /// A new encoder makes a keyframe after this many frames at the latest.
    private static let keyframeFrames = 300

    /// Encoders whose frames may stand between the recording's own.
    init() { kind = .continuing([:]) }

    /// An encoder for all frames.
    ///
    /// - Parameters:
    ///   - size: to show.
    ///   - quantizer: of the recording's frames.
    ///   - rate: frames a second, about.
    init(size: PixelSize, _ colour: ColourFormat, quantizer: Int, rate: Int) throws(EditingError) {
        let settings = VideoEncoderSettings(
            size: size.roundedUpToEven, colour: colour, rateControl: .constantQuantizer(quantizer),
            nominalFrameRate: rate,
            keyframeFrames: Self.keyframeFrames, threads: FinishedRecording.codecThreads, usesMacroblockInfo: false)
        let encoder = try EditingError.wrapping(EditingError.videoEncoder) { () throws(VideoEncoderError) in
            try X264Encoder(settings)
        }
        kind = .new(encoder, size: size)
    }

    /// Whether the recording's stream can be continued at a frame. Opens the encoder.
    func canContinue(_ frame: Int, of recording: FinishedRecording) throws(EditingError) -> Bool {
        do {
            _ = try continuation(frame, of: recording)
            return true
        } catch .encoder(.otherEncoder) {
            return false
        }
    }

    /// The size that the film shows of a frame of this size.
    func size(forFrameOf shown: PixelSize) -> PixelSize {
        if case .new(_, let size) = kind { size } else { shown }
    }

    func format(ofFrame frame: Int, in recording: FinishedRecording) throws(EditingError) -> VideoFormat {
        if case .new(let encoder, let size) = kind {
            return VideoFormat(parameterSets: .h264(encoder.h264ParameterSets), size: size)
        }
        guard let format = recording.index.videoFormat(ofFrame: frame) else { throw .codec(recording.index.codec) }
        return format
    }

    /// Returns the access unit, and its idr_pic_id if that has to differ from its neighbours'.
    func encode(
        _ picture: PlanarFrame, of frame: Int, in recording: FinishedRecording, quantizer: Int, isKeyframe: Bool,
        at time: MediaTime
    ) throws(EditingError) -> (unit: [UInt8], isKeyframe: Bool, identifier: Int?) {
        if case .new(let encoder, _) = kind {
            var sample: EncodedSample?
            try EditingError.wrapping(EditingError.videoEncoder) { () throws(VideoEncoderError) in
                try encoder.encode(
                    picture, changed: .full(size: picture.size), at: time, forceKeyframe: isKeyframe
                ) { if case .sample(let new) = $0 { sample = new } }
            }
            guard let sample else { throw .videoEncoder(.encodingFailed(.h264, code: 0)) }
            return (sample.data, sample.isKeyframe, nil)
        }
        let continuation = try continuation(frame, of: recording)
        let unit = try EditingError.wrapping(EditingError.encoder) { () throws(X264Continuation.Error) in
            try continuation.encode(picture, quantizer: quantizer, isKeyframe: isKeyframe)
        }
        let sets = try recording.parameterSets(of: frame)
        return (unit, isKeyframe, isKeyframe ? H264SliceHeader(accessUnit: unit, sets)?.idrIdentifier : nil)
    }

    private func continuation(_ frame: Int, of recording: FinishedRecording) throws(EditingError) -> X264Continuation {
        let sets = try recording.parameterSets(of: frame)
        guard case .continuing(var open) = kind else { throw .encoder(.otherEncoder) }
        if let encoder = open[sets] { return encoder }
        let keyframe = recording.index.keyframe(notAfter: frame)
        let isDeblocked = try recording.sliceHeader(ofFrame: keyframe).isDeblocked
        let encoder = try EditingError.wrapping(EditingError.encoder) { () throws(X264Continuation.Error) in
            try X264Continuation(
                sets, size: recording.codedSize(of: frame), isDeblocked: isDeblocked,
                threads: FinishedRecording.codecThreads)
        }
        open[sets] = encoder
        kind = .continuing(open)
        return encoder
    }
}
