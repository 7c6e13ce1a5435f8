// What became of a recording: a preview, an error, or both.
import FoundationEssentials
import KineClient
import KineControl
import KineMedia

struct RecordingResult: Sendable {
    /// Nil where nothing was recorded.
    var preview: RecordingPreview?
    /// Nil where the recording ended as it should.
    var error: RecordingError?
    /// The person at the screen ended it.
    var isStoppedAtDesktop = false

    /// - Parameter hasBegun: there was a first frame.
    init(_ outcome: TakeOutcome, hasBegun: Bool, editor: RecordingEditor) {
        error = outcome.error(hasBegun: hasBegun)
        switch outcome {
        case .finished(let summary):
            preview = Self.preview(summary, editor)
            isStoppedAtDesktop = summary.stoppedAtDesktop ?? false
        case .failed(let failure):
            preview = failure.summary.flatMap { Self.preview($0, editor) }
        case .engineDied(let death):
            if case .recovered(let path, let saved) = death.file {
                preview = RecordingPreview(URL(filePath: path), duration: saved.duration, size: nil, editor: editor)
            }
        }
    }

    private static func preview(_ summary: TakeSummary, _ editor: RecordingEditor) -> RecordingPreview? {
        // Where the directory had gone, the engine put the file elsewhere.
        guard let output = summary.output, summary.progress.framesDrawn > 0 else { return nil }
        return RecordingPreview(
            URL(filePath: output), duration: summary.progress.duration, size: summary.size, editor: editor)
    }
}

extension TakeOutcome {
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
