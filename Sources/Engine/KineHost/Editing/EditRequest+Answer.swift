// Answers a client's request about a finished recording, in an engine that was started only to do this.
import FoundationEssentials
import Glibc
import KineCodecs
import KineContainers
import KineEditing
import KineMedia
import KinePlatform
import KineServices
import KineText
import KineWire
import SystemPackage

extension EditRequest {
    /// Carries out the request. Blocks for as long as the disk and the codecs need.
    ///
    /// - Parameter report: gets the progress in steps of a hundredth, if the request asks for it.
    public func answer(reporting report: (EditProgress) -> Void = { _ in }) -> EditAnswer {
        do throws(EditingError) {
            switch self {
            case .trim(let request): return .trimmed(try request.answer(report))
            case .export(let request): return .exported(try request.answer(report))
            case .images(let request): return .images(try request.answer())
            case .waveform(let request):
                return .waveform(try RecordingWaveform.make(of: open(request.input), most: request.most))
            case .chapters(let input): return .chapters(try open(input).index.chapters)
            case .frames(let request): return .frames(try request.answer())
            case .contents(let paths): return .contents(paths.map(FileContent.init(reading:)))
            }
        } catch {
            let alternative: Alternative? = if case .writing(let error) = error { error.alternative } else { nil }
            return .failed(EditFailure(code: error.code, message: error.description, alternative: alternative))
        }
    }
}

/// Opens a recording, and lets this process have the memory for its frames.
private func open(_ path: String) throws(EditingError) -> FinishedRecording {
    let recording = try FinishedRecording(path)
    EditMemory.limit(forFrame: recording.index.size)
    return recording
}

extension TrimRequest {
    fileprivate func answer(_ report: (EditProgress) -> Void) throws(EditingError) -> TrimmedRecording {
        let recording = try open(input)
        let trim = try RecordingTrim(
            recording, from: start ?? .zero, to: end ?? recording.index.duration)
        var steps = ProgressSteps()
        let conflict: NameConflict = isNumbered ? .number : overwrite == true ? .replace : .refuse
        let result = try trim.write(to: output, ifTaken: conflict, leavesInputOut: leavesInputOut) { fraction in
            if reportsProgress, let step = steps.next(fraction) { report(step) }
        }
        return TrimmedRecording(
            path: result.path, bytes: result.bytes, duration: result.duration, size: recording.index.size,
            frames: result.frames, framesEncoded: result.encodedFrames)
    }
}

/// Progress in hundredths.
private struct ProgressSteps {
    private var last = 0.0

    /// Nil: not one more is done.
    mutating func next(_ fraction: Double) -> EditProgress? {
        let step = (fraction * 100 + 0.001).rounded(.down) / 100
        guard step > last else { return nil }
        last = step
        return EditProgress(step)
    }
}

extension ExportRequest {
    fileprivate func answer(_ report: (EditProgress) -> Void) throws(EditingError) -> ExportedRecording {
        let recording = try open(input)
        let export = try RecordingExport(recording, edits, zooms: zooms, tightens: tightens, rate: rate)
        var steps = ProgressSteps()
        let conflict: NameConflict =
            switch ifTaken {
            case .refuse: .refuse
            case .replace: .replace
            case .number: .number
            }
        let film = try export.write(to: output, ifTaken: conflict) { fraction in
            if reportsProgress, let step = steps.next(fraction) { report(step) }
        }
        return ExportedRecording(
            path: film.path, bytes: film.bytes, duration: film.duration, size: film.size, frames: film.frames,
            framesEncoded: film.encodedFrames, zooms: film.zooms, shorter: film.shorter,
            reason: film.reason.flatMap { ExportedRecording.Reason(rawValue: $0.rawValue) },
            lacksClicks: film.lacksClicks)
    }
}

extension ImagesRequest {
    fileprivate func answer() throws(EditingError) -> [RecordedImage] {
        guard times.count <= Self.mostTimes else { throw .tooManyImages(most: Self.mostTimes) }
        let recording = try open(input)
        var shown = times
        if let mostDecoded {
            shown = RecordingImages.times(times, of: recording.index, decodingAtMost: mostDecoded)
        }
        let images = try RecordingImages.make(
            of: recording, at: shown, fitting: maximumSize, ImageEncoder.Format(rawValue: format) ?? .png)
        return images.map { RecordedImage(time: $0.time, size: $0.size, data: Data($0.data)) }
    }
}

extension FramesRequest {
    fileprivate func answer() throws(EditingError) -> RecordedFrames {
        let index = try open(input).index
        let last = index.frameCount - 1
        let shown = index.frame(at: time) ?? last
        let wanted = shown + min(max(offset, -shown), last - shown)
        let frames = max(0, wanted - Self.reach)...min(last, wanted + Self.reach)
        return RecordedFrames(
            duration: index.duration, size: index.size, count: index.frameCount, found: wanted,
            first: frames.lowerBound, starts: frames.map(index.time(of:)))
    }
}

extension FileContent {
    fileprivate init(reading path: String) {
        do throws(StorageError) { self = .summary(try RecordingSummary(reading: path)) } catch {
            self = .unreadable("\(error).")
        }
    }
}

extension EditingError {
    fileprivate var code: EditFailure.Code {
        switch self {
        case .recording(.storage(.inUse)), .recording(.notFinished): .notFinished
        case .recording(.storage): .cannotRead
        case .recording(.notARecording), .decoder(.damaged), .decoder(.pixelFormat), .encoder(.otherEncoder):
            .notARecording
        case .excerpt, .beyondEnd, .tooManyImages: .outOfRange
        case .edits, .nothingLeft, .notDrawn: .outOfRange
        case .recording(.tooLong), .codec, .decoder, .audio, .audioEncoder, .encoder, .videoEncoder, .image:
            .unavailable
        case .writing(let error): error.isCreationFailure ? .cannotCreate : .storage
        }
    }
}

// Such an engine reads untrusted files with large libraries, so it gives up all rights that it does not need.
extension EditRequest {
    /// Confines this process, which must have one thread, to the recording and, for a cut, the new file's directory
    /// with its contents: no other files, sockets or programs. Throws if the kernel has such limits but refuses them.
    public func confineProcess() throws(Errno) {
        EditMemory.limit()
        // A film takes long, and nobody should notice; a take has to keep up.
        if case .export = self { _ = nice(19) }
        Sandbox.forbidExecution()
        try Sandbox(rules, leavingOut: [.namespaces, .capabilities]).enter()
    }

    private var rules: Sandbox.Rules {
        var rules = Sandbox.Rules()
        rules.readable = ServiceSandbox.libraries
        // No memory of another process counts as its own.
        rules.mayHideMemory = true
        // A replaced file keeps its modes.
        rules.maySetModes = true
        func write(_ path: String) {
            let output = FilePath(escaped: path)
            rules.writable = [(output.resolved ?? output).removingLastComponent().escaped]
        }
        switch self {
        case .trim(let request):
            rules.readable.append(request.input)
            write(request.output)
        case .export(let request):
            rules.readable.append(request.input)
            write(request.output)
        case .images(let request): rules.readable.append(request.input)
        case .waveform(let request): rules.readable.append(request.input)
        case .chapters(let input): rules.readable.append(input)
        case .frames(let request): rules.readable.append(request.input)
        case .contents(let paths): rules.readable += paths
        }
        return rules
    }
}
