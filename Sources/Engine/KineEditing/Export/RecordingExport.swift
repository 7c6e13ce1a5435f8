// Makes a film of a recording and its edits.
import KineCodecs
import KineContainers
import KineInput
import KineMedia

/// One export of one recording.
public struct RecordingExport {
    /// The file that was written.
    public struct Result: Equatable, Sendable {
        public var path: String
        public var bytes: Int64
        public var duration: MediaTime
        public var size: PixelSize
        public var frames: Int
        /// Frames that were drawn and encoded; the others were copied.
        public var encodedFrames: Int
        public var zooms: Int
        /// By how much the film is shorter than the recording.
        public var shorter: MediaTime
        /// Whether zooms were made without knowing any clicks.
        public var lacksClicks: Bool
        /// Why every frame was encoded; nil: those that no edit touches were copied.
        public var reason: Reason?
    }

    /// Why frames cannot be copied.
    public enum Reason: String, Equatable, Sendable {
        /// The film's size, shape or rate is another one.
        case otherFormat
        /// The recording's stream is of another encoder, or of another version of x264.
        case otherEncoder
    }

    private let recording: FinishedRecording
    private let timeline: FilmTimeline
    private let stage: FilmStage
    private let curve: ZoomCurve
    private let rate: Int
    private let isOtherRate: Bool
    private let zooms: Int
    private let lacksClicks: Bool

    /// Of the cost of a copied frame.
    private static let encodingCost = 30
    /// Nanoseconds between two frames of a recording with 60 frames a second, at most.
    private static let fastInterval: Int64 = 25_000_000

    /// - Parameters:
    ///   - edits: for times and pixels of the recording.
    ///   - zooms: they are made anew.
    ///   - tightens: what is left out is found anew.
    ///   - rate: frames a second at most; nil: as the recording.
    public init(
        _ recording: FinishedRecording, _ edits: FilmEdits, zooms: Bool = false, tightens: Bool = false,
        rate: Int? = nil
    ) throws(EditingError) {
        try EditingError.wrapping(EditingError.edits) { () throws(FilmEdits.Problem) in try edits.validate() }
        if edits.background != nil { throw .notDrawn("background") }
        if edits.showsClicks { throw .notDrawn("clicks") }
        let history = try recording.history()
        let edits = try recording.automatic(edits, history, zooms: zooms, tightens: tightens)
        (self.zooms, lacksClicks) = (edits.zooms.count, zooms && !history.knowsClicks)
        self.recording = recording
        timeline = FilmTimeline(edits, duration: recording.index.videoDuration)
        guard timeline.duration > .zero else { throw .nothingLeft }
        stage = FilmStage(of: recording.index.size, edits)
        let own = Self.rate(of: recording.index)
        (self.rate, isOtherRate) = (rate ?? own, rate.map { $0 < own } ?? false)
        curve = ZoomCurve(
            edits.zooms.compactMap { [timeline] in timeline.film($0) }, pointer: timeline.film(history), on: stage,
            rate: Double(self.rate))
    }

    private static func rate(of index: RecordingIndex) -> Int {
        let times = (0..<min(index.frameCount, 2000)).map(index.time(of:))
        let fast = zip(times, times.dropFirst()).count { ($1 - $0).nanoseconds < fastInterval }
        return fast * 10 > times.count ? 60 : 30
    }

    /// Writes the film to `path`, beside which nothing is left if this throws. The recording itself is never replaced.
    ///
    /// - Parameter progress: gets the done part of the work, about, from 0 to 1.
    public func write(
        to path: String, ifTaken conflict: NameConflict = .refuse, progress: (Double) -> Void = { _ in }
    ) throws(EditingError) -> Result {
        let (plan, encoders, reason) = try plan()
        let video = try FilmVideo(recording, plan, curve, stage, encoders)
        var audio = try audio()
        let file = try makeFile(path, video.firstFormat, audio.map(\.format), conflict)
        let whole = plan.frames.reduce(0) { $0 + ($1.isCopied ? 1 : Self.encodingCost) }
        var done = 0
        do throws(EditingError) {
            for chapter in timeline.film(recording.index.chapters) { file.mark(chapter) }
            try video.write { (format, time) throws(EditingError) in
                try EditingError.wrapping(EditingError.writing) { () throws(StorageError) in
                    try file.change(to: format, at: time)
                }
            } append: { (sample, number) throws(EditingError) in
                for track in audio.indices { try audio[track].write(until: sample.presentationTime, file.add) }
                try file.add(sample)
                done += plan.frames[number - 1].isCopied ? 1 : Self.encodingCost
                progress(Double(done) / Double(whole))
            }
            for track in audio.indices { try audio[track].write(until: MediaTime(nanoseconds: .max), file.add) }
        } catch {
            file.discard()
            throw error
        }
        let finished = try EditingError.wrapping(EditingError.writing) { () throws(StorageError) in
            try file.finish(at: timeline.duration)
        }
        return Result(
            path: finished.path, bytes: finished.bytes, duration: finished.duration, size: video.firstFormat.size,
            frames: finished.frames, encodedFrames: video.encodedFrames, zooms: zooms,
            shorter: recording.index.videoDuration - timeline.duration, lacksClicks: lacksClicks, reason: reason)
    }

    private func plan() throws(EditingError) -> (FilmPlan, FilmEncoders, Reason?) {
        let index = recording.index
        let source = FilmPlan.Source(
            count: index.frameCount, time: index.time(of:), frame: { index.frame(at: $0) ?? index.frameCount - 1 },
            isKeyframe: index.isKeyframe)
        var change = FilmPlan.Change(ranges: curve.ranges, motions: curve.motions, rate: Double(rate))
        var reason: Reason? =
            isOtherRate || stage.size != index.size || stage.bounds.width != Double(index.size.width)
            ? .otherFormat : nil
        let continuing = FilmEncoders()
        if reason == nil {
            let plan = FilmPlan(of: source, timeline, change)
            guard let encoded = plan.frames.first(where: { !$0.isCopied }) else { return (plan, continuing, nil) }
            if try continuing.canContinue(encoded.source, of: recording) { return (plan, continuing, nil) }
            reason = .otherEncoder
        }
        change.isWhole = true
        let plan = FilmPlan(of: source, timeline, change)
        let encoders = try FilmEncoders(
            size: stage.size, colour(), quantizer: quantizer(), rate: rate)
        return (plan, encoders, reason)
    }

    private func colour() throws(EditingError) -> ColourFormat {
        VideoParameterSets.h264(try recording.parameterSets(of: 0)).colour
    }

    /// The median of some frames'.
    private func quantizer() throws(EditingError) -> Int {
        let count = recording.index.frameCount
        let some = stride(from: 0, to: count, by: max(1, count / 32))
        var quantizers: [Int] = []
        for frame in some { quantizers.append(try recording.sliceHeader(ofFrame: frame).quantizer) }
        return quantizers.sorted()[quantizers.count / 2]
    }

    private func audio() throws(EditingError) -> [any FilmAudio] {
        let isWhole = timeline.parts.count == 1 && timeline.duration == recording.index.videoDuration
        var audio: [any FilmAudio] = []
        for track in recording.index.audioTracks {
            // Others are not of Kinecast.
            guard let format = recording.index.audioFormat(ofTrack: track) else { continue }
            audio.append(
                isWhole
                    ? CopiedAudio(track, of: recording, format)
                    : try JoinedAudio(track, of: recording, format, timeline))
        }
        return audio
    }

    private func makeFile(
        _ path: String, _ video: VideoFormat, _ audio: [AudioFormat], _ conflict: NameConflict
    ) throws(EditingError) -> FilmFile {
        try EditingError.wrapping(EditingError.writing) { () throws(StorageError) in
            let part = timeline.duration.seconds / max(0.001, recording.index.duration.seconds)
            return try FilmFile(
                to: path, source: recording.file, video: video, audio: audio, of: recording.index,
                bytes: Int64(Double(try recording.file.size()) * min(1, part)), ifTaken: conflict)
        }
    }
}

extension FilmFile {
    fileprivate func add(_ sample: EncodedSample) throws(EditingError) {
        try EditingError.wrapping(EditingError.writing) { () throws(StorageError) in try append(sample) }
    }
}

extension FilmTimeline {
    /// A zoom's times in the film; nil if nothing of it is left.
    fileprivate func film(_ zoom: FilmEdits.Zoom) -> FilmEdits.Zoom? {
        var zoom = zoom
        (zoom.from, zoom.to) = (film(at: .seconds(zoom.from)).seconds, film(at: .seconds(zoom.to)).seconds)
        return zoom.from < zoom.to ? zoom : nil
    }

    /// The pointer's places in the film.
    fileprivate func film(_ history: InputHistory) -> [FilmPointer] {
        var (places, part) = ([FilmPointer](), 0)
        for place in history.places {
            while part < parts.count, parts[part].source.upperBound <= place.time { part += 1 }
            guard let point = place.point, part < parts.count, parts[part].source.contains(place.time) else { continue }
            places.append(FilmPointer(time: film(at: place.time).seconds, x: Double(point.x), y: Double(point.y)))
        }
        return places
    }

    /// The chapters of which something is left.
    fileprivate func film(_ chapters: [Chapter]) -> [Chapter] {
        let moved = chapters.map { Chapter(start: film(at: $0.start), title: $0.title) }
        let ends = moved.dropFirst().map(\.start) + [duration]
        return zip(moved, ends).filter { $0.start < $1 }.map(\.0)
    }
}
