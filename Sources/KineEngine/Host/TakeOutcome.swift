// Decides between success and failure: a take's ending becomes the message that its client gets.
import KineContainers
import KineControl
import KineMedia
import KinePlatform

/// The result of a take, in the client's words.
struct TakeOutcome {
    let message: EngineMessage
    let exitStatus: Int32

    init(
        reason: TakeStateMachine.StopReason, ending: Take.Ending, progress: TakeProgress, size: PixelSize,
        output: String?, destinations: [DestinationStatus] = []
    ) {
        var summary: TakeSummary?
        var storageProblem: String?
        var path: String?
        var final = progress
        switch ending {
        case .recorded(.finished(let file)):
            (final.duration, final.bytes, final.framesDrawn) = (file.duration, file.bytes, file.frames)
            summary = TakeSummary(output: file.path, size: size, progress: final, reason: reason.text)
            storageProblem = file.failure?.description
            path = file.path
        case .recorded(.unfinished(let error, let unfinished)):
            // The storage error names the file; the sentence adds how to finish it.
            storageProblem =
                "\(error.description); what is on the disk plays, and kinecast recover \(unfinished) finishes it."
            path = unfinished
        case .unrecorded(let duration, let frames) where frames > 0:
            (final.duration, final.framesDrawn) = (duration, frames)
            summary = TakeSummary(output: nil, size: size, progress: final, reason: reason.text)
        case .recorded(.empty), .unrecorded: break
        }
        summary?.destinations = destinations
        summary?.stoppedAtDesktop = reason == .stoppedAtDesktop ? true : nil
        // The file is elsewhere, for example because its directory is gone.
        let note = path.flatMap { $0 == output ? nil : "; what was recorded is in \($0)" } ?? ""
        let failure: TakeFailure
        switch (reason, storageProblem, summary) {
        case (.failed(let cause), _, _):
            summary?.reason = cause.message + note
            failure = TakeFailure(exitStatus: cause.exitStatus, message: cause.message + note, summary: summary)
        case (_, let problem?, _):
            failure = TakeFailure(exitStatus: ExitStatus.storageFailed, message: problem + note, summary: summary)
        case (_, nil, let summary?):
            (message, exitStatus) = (.finished(summary), summary.exitStatus)
            return
        case (_, nil, nil):
            failure = TakeError.nothingCaptured(isRecorded: output != nil).failure
        }
        (message, exitStatus) = (.failed(failure), failure.exitStatus)
    }
}
