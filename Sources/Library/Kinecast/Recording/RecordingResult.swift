// The result of a recording: a preview, an error, or both.
import FoundationEssentials
import Glibc
import KineClient
import KineMedia
import KineWire

struct RecordingResult: Sendable {
    /// Nil if nothing was recorded.
    var preview: RecordingPreview?
    /// Nil if the recording ended properly.
    var error: RecordingError?
    /// The cause of the end, if no program requested it.
    var cause: EndCause?

    /// - Parameters:
    ///   - hasBegun: whether the take had a first frame.
    ///   - isSaved: whether the app chose the file's name.
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

    /// Deletes the file of a take that failed to begin, so that the next take can use its name.
    func deleteFile() {
        if let path = preview?.url?.path { unlink(path) }
    }
}

extension TakeSummary {
    /// The recording; nil if nothing was recorded. If its directory was gone, the engine wrote it elsewhere.
    fileprivate var file: String? { progress.framesDrawn > 0 ? output : nil }
}

/// The cause of a proper end that no program requested.
enum EndCause: Sendable, Equatable {
    /// The person stopped it at the desktop's indicator.
    case stoppedAtDesktop
    /// The source has ended; a clause says how.
    case sourceEnded(String)
}

extension TakeOutcome {
    /// Nil if a program requested the end, the length was reached, or the take failed.
    var cause: EndCause? {
        guard case .finished(let summary) = self else { return nil }
        if summary.isStoppedAtDesktop { return .stoppedAtDesktop }
        return summary.isSourceEnded ? .sourceEnded(summary.reason) : nil
    }

    /// Nil if the take ended properly.
    ///
    /// - Parameter hasBegun: whether the take had a first frame.
    func error(hasBegun: Bool) -> RecordingError? {
        switch self {
        case .finished: nil
        case .failed(let failure): RecordingError(failure, hasBegun: hasBegun)
        case .engineDied(let death): RecordingError(death)
        }
    }
}
