// The frames of a film: those that no edit touches are copied, the others are drawn and encoded.
import KineCodecs
import KineContainers
import KineImaging
import KineMedia
import KineX264

/// Draws and encodes frames for one film.
final class FilmVideo {
    private let recording: FinishedRecording
    private let plan: FilmPlan
    private let curve: ZoomCurve
    private let stage: FilmStage
    private let encoders: FilmEncoders
    private var view: (from: PixelSize, to: PixelSize, view: PartialView)?
    private var drawn: (layout: PlanarLayout, memory: UnsafeMutableRawPointer)?
    private var format: VideoFormat
    /// idr_pic_id of the last frame if it was an IDR frame: consecutive ones differ (ITU-T H.264, 7.4.3).
    private var lastIdentifier: Int?
    private(set) var encodedFrames = 0

    /// What the last encoded frame shows.
    private var lastPart: FilmRect?

    /// While a zoom moves, every pixel changes, and nobody reads: frames would be ten times as large as others.
    private static let coarseness = 4

    init(
        _ recording: FinishedRecording, _ plan: FilmPlan, _ curve: ZoomCurve, _ stage: FilmStage,
        _ encoders: FilmEncoders
    ) throws(EditingError) {
        (self.recording, self.plan, self.curve, self.stage) = (recording, plan, curve, stage)
        self.encoders = encoders
        format = try encoders.format(ofFrame: plan.frames.first?.source ?? 0, in: recording)
    }

    deinit { drawn?.memory.deallocate() }

    /// The first frame's.
    var firstFormat: VideoFormat { format }

    /// Hands on all frames in order.
    ///
    /// - Parameters:
    ///   - change: the frames that follow have this format.
    ///   - append: gets a frame and the number of frames that are done with it.
    func write(
        change: (VideoFormat, MediaTime) throws(EditingError) -> Void,
        append: (EncodedSample, Int) throws(EditingError) -> Void
    ) throws(EditingError) {
        var next = 0
        while next < plan.frames.count {
            let frame = plan.frames[next]
            let unit = try recording.accessUnit(frame.source)
            let identifier = frame.isCopied ? try identifier(of: frame.source, unit) : nil
            if frame.isCopied, identifier == nil || identifier != lastIdentifier {
                if recording.index.isKeyframe(frame.source) { try switchFormat(to: frame, change) }
                lastIdentifier = identifier
                next += 1
                try append(sample(unit, frame, isKeyframe: recording.index.isKeyframe(frame.source)), next)
            } else {
                next = try encode(try run(from: next), change, append)
            }
        }
    }

    private func switchFormat(
        to frame: FilmPlan.Frame, _ change: (VideoFormat, MediaTime) throws(EditingError) -> Void
    ) throws(EditingError) {
        let own = try encoders.format(ofFrame: frame.source, in: recording)
        guard own != format else { return }
        format = own
        try change(own, frame.time)
    }

    /// Nil for a frame that is no IDR frame, or of a stream that is not read here.
    private func identifier(of frame: Int, _ unit: [UInt8]) throws(EditingError) -> Int? {
        guard recording.index.isKeyframe(frame), let sets = recording.index.h264ParameterSets(ofFrame: frame) else {
            return nil
        }
        return H264SliceHeader(accessUnit: unit, sets)?.idrIdentifier
    }

    private func sample(_ unit: [UInt8], _ frame: FilmPlan.Frame, isKeyframe: Bool) -> EncodedSample {
        EncodedSample(
            type: .video, presentationTime: frame.time, duration: .zero, isKeyframe: isKeyframe, data: unit)
    }

    /// The frames from one on that are encoded: up to the next copied keyframe.
    private func run(from first: Int) throws(EditingError) -> Run {
        func end(after frame: Int) -> Int {
            plan.frames[(frame + 1)...].firstIndex { $0.isCopied && recording.index.isKeyframe($0.source) }
                ?? plan.frames.count
        }
        let next = end(after: first)
        guard next == first + 1, next < plan.frames.count else { return Run(frames: first..<next) }
        let source = plan.frames[next].source
        let following = try identifier(of: source, recording.accessUnit(source))
        // x264 has two identifiers. Where the frame before and the one after have them, the latter is no keyframe then.
        if let following, let lastIdentifier, following != lastIdentifier {
            return Run(frames: first..<end(after: next))
        }
        return Run(frames: first..<next, following: following)
    }

    private struct Run {
        var frames: Range<Int>
        /// idr_pic_id of the next frame, if it follows the run's first.
        var following: Int?
    }

    /// Encodes a run of frames, whose first becomes a keyframe. Returns the number of the next frame.
    private func encode(
        _ run: Run, _ change: (VideoFormat, MediaTime) throws(EditingError) -> Void,
        _ append: (EncodedSample, Int) throws(EditingError) -> Void
    ) throws(EditingError) -> Int {
        var next = run.frames.lowerBound
        var isFirst = true
        while next < run.frames.upperBound {
            // Frames of one format, from one keyframe on.
            let keyframe = recording.index.keyframe(notAfter: plan.frames[next].source)
            var end = next
            while end < run.frames.upperBound, recording.index.keyframe(notAfter: plan.frames[end].source) == keyframe {
                end += 1
            }
            let before = format
            try switchFormat(to: plan.frames[next], change)
            if format != before { isFirst = true }
            try recording.decode(keyframe..<plan.frames[end - 1].source + 1) { (number, picture) throws(EditingError) in
                while next < end, plan.frames[next].source == number {
                    let frame = plan.frames[next]
                    let forbidden = [isFirst ? lastIdentifier : nil, run.following].compactMap(\.self)
                    let new = try encode(frame, picture, isKeyframe: isFirst, forbidden)
                    lastIdentifier = new.identifier
                    encodedFrames += 1
                    next += 1
                    try append(sample(new.unit, frame, isKeyframe: new.isKeyframe), next)
                    isFirst = false
                }
            }
        }
        return next
    }

    private func encode(
        _ frame: FilmPlan.Frame, _ picture: PlanarFrame, isKeyframe: Bool, _ forbidden: [Int]
    ) throws(EditingError) -> (unit: [UInt8], isKeyframe: Bool, identifier: Int?) {
        let part = curve.part(at: frame.time.seconds)
        let isMoving = lastPart.map { $0 != part } ?? false
        lastPart = part
        let shown = draw(part, of: picture, size: recording.index.size(ofFrame: frame.source))
        let quantizer =
            try recording.sliceHeader(ofFrame: frame.source).quantizer
            + (isMoving ? Self.coarseness : -RecordingTrim.refinement)
        for _ in 0...2 {
            let new = try encoders.encode(
                shown, of: frame.source, in: recording, quantizer: quantizer, isKeyframe: isKeyframe, at: frame.time)
            // x264 takes another one for each keyframe.
            if let identifier = new.identifier, forbidden.contains(identifier) { continue }
            return new
        }
        throw .encoder(.otherEncoder)
    }

    /// The frame itself if all of it is shown at its size.
    private func draw(_ part: FilmRect, of picture: PlanarFrame, size: PixelSize) -> PlanarFrame {
        let (whole, shown) = (stage.picture, encoders.size(forFrameOf: size))
        let target = shown.roundedUpToEven
        let isWhole = part == FilmRect(x: 0, y: 0, width: Double(whole.width), height: Double(whole.height))
        if isWhole, target == picture.size { return picture }
        // Of a recording whose size changes, edits count in the largest picture's pixels.
        let (across, down) = (Double(size.width) / Double(whole.width), Double(size.height) / Double(whole.height))
        // A coded frame may have a column and a row more than are shown.
        let own = FilmRect(
            x: part.x * across, y: part.y * down,
            width: part.width * across * Double(target.width) / Double(shown.width),
            height: part.height * down * Double(target.height) / Double(shown.height))
        if view?.from != picture.size || view?.to != target {
            view = (picture.size, target, PartialView(from: picture.size, to: target, picture.colour.chroma))
            drawn?.memory.deallocate()
            let layout = PlanarLayout(size: target, colour: picture.colour)
            drawn = (layout, .allocate(byteCount: layout.slotBytes, alignment: 64))
        }
        guard let drawn, let view else { return picture }
        let frame = drawn.layout.frame(at: drawn.memory)
        view.view.draw(own, of: picture, to: frame)
        return frame
    }
}
