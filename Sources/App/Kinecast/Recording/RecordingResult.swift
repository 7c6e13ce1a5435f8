// What became of a recording: a preview, an error, or both.
import FoundationEssentials
import Glibc
import KineClient
import KineMedia
import KineWire

struct RecordingResult: Sendable {
    /// Nil where nothing was recorded.
    var preview: RecordingPreview?
    /// Nil where the recording ended as it should.
    var error: RecordingError?
    /// What ended it, where no program asked for that.
    var cause: EndCause?

    /// - Parameters:
    ///   - hasBegun: there was a first frame.
    ///   - isSaved: the app chose the file's name.
    init(_ outcome: TakeOutcome, hasBegun: Bool = true, isSaved: Bool = false, store: RecordingStore) {
        error = outcome.error(hasBegun: hasBegun)
        cause = outcome.cause
        func preview(_ path: String, _ duration: MediaTime, _ size: PixelSize?) -> RecordingPreview {
            let file = URL(filePath: path)
            return RecordingPreview(
                isSaved ? .saved(file) : .unsaved(file), duration: duration, size: size, store: store)
        }
        switch outcome {
        case .finished(let summary):
            self.preview = summary.file.map { preview($0, summary.progress.duration, summary.size) }
        case .failed(let failure):
            guard let summary = failure.summary else { break }
            self.preview = summary.file.map { preview($0, summary.progress.duration, summary.size) }
        case .engineDied(let death):
            if case .recovered(let path, let saved) = death.file { self.preview = preview(path, saved.duration, nil) }
        }
    }

    /// Deletes the file of a take that did not begin as it should, so that the next one can have its name.
    func deleteFile() {
        if let path = preview?.url?.path { unlink(path) }
    }
}

extension TakeSummary {
    /// The recording; nil where nothing was recorded. Where its directory had gone, the engine put it elsewhere.
    fileprivate var file: String? { progress.framesDrawn > 0 ? output : nil }
}

/// What ends a take properly without a program's request.
enum EndCause: Sendable, Equatable {
    /// The person at the screen.
    case stoppedAtDesktop
    /// What the take showed has ended; a clause that says so.
    case sourceEnded(String)
}

extension TakeOutcome {
    /// Nil where a program asked for the end, the length was reached, or the take failed.
    var cause: EndCause? {
        guard case .finished(let summary) = self else { return nil }
        if summary.isStoppedAtDesktop { return .stoppedAtDesktop }
        return summary.isSourceEnded ? .sourceEnded(summary.reason) : nil
    }

    /// Nil where the take ended as it should.
    ///
    /// - Parameter hasBegun: there was a first frame.
    func error(hasBegun: Bool) -> RecordingError? {
        switch self {
        case .finished: nil
        case .failed(let failure): RecordingError(failure, hasBegun: hasBegun)
        case .engineDied(let death): RecordingError(death)
        }
    }
}
