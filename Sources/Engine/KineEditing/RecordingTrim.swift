// Cuts a recording to the frame: encodes frames before the first keyframe again, and copies all others.
import KineCodecs
import KineContainers
import KineMedia
import KineX264

/// One excerpt of one recording.
public struct RecordingTrim {
    /// The file that was written.
    public struct Result: Equatable, Sendable {
        public var path: String
        public var bytes: Int64
        public var duration: MediaTime
        public var frames: Int
        /// The frames, at the start, that were encoded again.
        public var encodedFrames: Int
    }

    private let recording: FinishedRecording
    /// A frame encoded again gets a quantizer lower by this, since its second loss adds to the first.
    static let refinement = 3
    /// The bytes that are copied in the time of a frame's encoding, about.
    private static let encodingCost = 4_000_000.0
    public let excerpt: MovieExcerpt

    /// See `MovieExcerpt` for the times.
    public init(_ recording: FinishedRecording, from start: MediaTime, to end: MediaTime) throws(EditingError) {
        self.recording = recording
        excerpt = try EditingError.wrapping(EditingError.excerpt) { () throws(MovieExcerpt.Error) in
            try MovieExcerpt(of: recording.index, from: start, to: end)
        }
    }

    /// Writes the excerpt to `path`, beside which nothing is left if this throws. The recording itself is never replaced.
    ///
    /// - Parameters:
    ///   - leavesInputOut: the excerpt has no input track.
    ///   - progress: gets the done part of the work, about, from 0 to 1.
    public func write(
        to path: String, ifTaken conflict: NameConflict = .refuse, leavesInputOut: Bool = false,
        progress: (Double) -> Void = { _ in }
    ) throws(EditingError) -> Result {
        let size = try EditingError.wrapping(EditingError.writing) { () throws(StorageError) in
            try excerpt.checkTarget(path, source: recording.file, ifTaken: conflict)
            return try recording.file.size()
        }
        let part = Double(excerpt.frames.count) / Double(recording.index.frameCount)
        let encoding = Double(excerpt.encodedFrames.count) * Self.encodingCost
        let share = encoding / (encoding + part * Double(size))
        let encoded = try encode { progress(share * $0) }
        let new = MovieExcerpt.NewSamples(
            frames: encoded, input: leavesInputOut ? [] : try recording.input(of: excerpt))
        let written = try EditingError.wrapping(EditingError.writing) { () throws(StorageError) in
            try excerpt.write(from: recording.file, new, to: path, ifTaken: conflict) {
                progress(share + (1 - share) * $0)
            }
        }
        return Result(
            path: written.path, bytes: written.bytes, duration: excerpt.duration, frames: excerpt.frames.count,
            encodedFrames: encoded.count)
    }

    /// The access units of the frames that have to be encoded again.
    private func encode(progress: (Double) -> Void) throws(EditingError) -> [[UInt8]] {
        let frames = excerpt.encodedFrames
        guard !frames.isEmpty else { return [] }
        let sets = try recording.parameterSets(of: excerpt.decodingStart)
        let keyframe = try recording.sliceHeader(ofFrame: excerpt.decodingStart)
        let encoder = try encoder(sets, isDeblocked: keyframe.isDeblocked)
        let next =
            frames.upperBound < excerpt.frames.upperBound
            ? try recording.sliceHeader(ofFrame: frames.upperBound) : nil
        var units: [[UInt8]] = []
        let decoded = excerpt.decodingStart..<frames.upperBound
        try recording.decode(decoded) { (number, frame) throws(EditingError) in
            defer { progress(Double(number + 1 - decoded.lowerBound) / Double(decoded.count)) }
            guard number >= frames.lowerBound else { return }
            let quantizer = try recording.sliceHeader(ofFrame: number).quantizer - Self.refinement
            guard units.isEmpty else {
                return units.append(try encode(frame, quantizer, isKeyframe: false, encoder))
            }
            // The lower of both quantizers: the following frames are predicted from this one.
            let finest = min(quantizer, keyframe.quantizer - Self.refinement)
            var unit = try encode(frame, finest, isKeyframe: true, encoder)
            // Two IDR frames that follow each other have different identifiers (ITU-T H.264, 7.4.3). x264 alternates between two.
            if let next, H264SliceHeader(accessUnit: unit, sets)?.idrIdentifier == next.idrIdentifier {
                unit = try encode(frame, finest, isKeyframe: true, encoder)
            }
            units.append(unit)
        }
        return units
    }

    private func encoder(_ sets: H264ParameterSets, isDeblocked: Bool) throws(EditingError) -> X264Continuation {
        try EditingError.wrapping(EditingError.encoder) { () throws(X264Continuation.Error) in
            try X264Continuation(
                sets, size: recording.codedSize(of: excerpt.decodingStart), isDeblocked: isDeblocked,
                threads: FinishedRecording.codecThreads)
        }
    }

    private func encode(
        _ frame: PlanarFrame, _ quantizer: Int, isKeyframe: Bool, _ encoder: X264Continuation
    ) throws(EditingError) -> [UInt8] {
        try EditingError.wrapping(EditingError.encoder) { () throws(X264Continuation.Error) in
            try encoder.encode(frame, quantizer: quantizer, isKeyframe: isKeyframe)
        }
    }
}
