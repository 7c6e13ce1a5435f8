// Answers a client's request about a finished recording, in an engine that was started only to do this.
import FoundationEssentials
import KineCodecs
import KineContainers
import KineMedia
import KinePlatform
import KineServices
import KineTake
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
            case .images(let request): return .images(try request.answer())
            case .waveform(let request):
                return .waveform(try RecordingWaveform.make(of: FinishedRecording(request.input), most: request.most))
            case .chapters(let input): return .chapters(try FinishedRecording(input).index.chapters)
            }
        } catch {
            let alternative: Alternative? = if case .writing(let error) = error { error.alternative } else { nil }
            return .failed(EditFailure(code: error.code, message: error.description, alternative: alternative))
        }
    }
}

extension TrimRequest {
    fileprivate func answer(_ report: (EditProgress) -> Void) throws(EditingError) -> TrimmedRecording {
        let recording = try FinishedRecording(input)
        let trim = try RecordingTrim(
            recording, from: start ?? .zero, to: end ?? recording.index.duration)
        var last = 0.0
        let conflict: NameConflict = isNumbered ? .number : overwrite == true ? .replace : .refuse
        let result = try trim.write(to: output, ifTaken: conflict) { fraction in
            let step = (fraction * 100 + 0.001).rounded(.down) / 100
            guard reportsProgress, step > last else { return }
            last = step
            report(EditProgress(step))
        }
        return TrimmedRecording(
            path: result.path, bytes: result.bytes, duration: result.duration, size: recording.index.size,
            frames: result.frames, framesEncoded: result.encodedFrames)
    }
}

extension ImagesRequest {
    fileprivate func answer() throws(EditingError) -> [RecordedImage] {
        guard times.count <= Self.mostTimes else { throw .tooManyImages(most: Self.mostTimes) }
        let images = try RecordingImages.make(
            of: try FinishedRecording(input), at: times, fitting: maximumSize,
            ImageEncoder.Format(rawValue: format) ?? .png)
        return images.map { RecordedImage(time: $0.time, size: $0.size, data: Data($0.data)) }
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
        case .codec, .decoder, .audio, .encoder, .image: .unavailable
        case .writing(let error): error.isCreationFailure ? .cannotCreate : .storage
        }
    }
}

// Such an engine reads untrusted files with large libraries, so it gives up all rights that it does not need.
extension EditRequest {
    /// Confines this process, which must have one thread, to the recording and, for a cut, the new file's directory
    /// with its contents: no other files, sockets or programs. Throws if the kernel has such limits but refuses them.
    public func confineProcess() throws(Errno) {
        Sandbox.forbidExecution()
        try Sandbox(rules, leavingOut: [.namespaces, .capabilities]).enter()
    }

    private var rules: Sandbox.Rules {
        var rules = Sandbox.Rules()
        rules.readable = ServiceSandbox.libraries
        // Its memory has no limit.
        rules.mayHideMemory = true
        // A replaced file keeps its modes.
        rules.maySetModes = true
        switch self {
        case .trim(let request):
            rules.readable.append(request.input)
            let output = FilePath(escaped: request.output)
            rules.writable = [(output.resolved ?? output).removingLastComponent().escaped]
        case .images(let request): rules.readable.append(request.input)
        case .waveform(let request): rules.readable.append(request.input)
        case .chapters(let input): rules.readable.append(input)
        }
        return rules
    }
}
