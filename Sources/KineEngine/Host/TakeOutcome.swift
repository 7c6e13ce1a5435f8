// From how a take ended to what its client is told: one place that decides between success and failure.
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
        var place: String?
        switch ending {
        case .recorded(.finished(let file)):
            var final = progress
            final.duration = file.duration
            final.bytes = file.bytes
            final.framesDrawn = file.pictures
            summary = TakeSummary(output: file.path, size: size, progress: final, reason: reason.text)
            storageProblem = file.failure?.description
            // Its directory was gone, say: nobody would look for it there.
            if file.path != output { place = "what was recorded is in \(file.path)" }
        case .recorded(.unfinished(let error, let path)):
            // A storage error names the file; what is missing is how to finish it.
            storageProblem =
                "\(error.description); what is on the disk plays, and kinecast recover \(path) finishes it."
            if path != output { place = "what was recorded is in \(path)" }
        case .unrecorded(let duration, let pictures) where pictures > 0:
            var final = progress
            final.duration = duration
            final.framesDrawn = pictures
            summary = TakeSummary(output: nil, size: size, progress: final, reason: reason.text)
        case .recorded(.empty), .unrecorded:
            break
        }
        summary?.destinations = destinations
        let failure: TakeFailure?
        func placed(_ text: String) -> String { place.map { "\(text); \($0)" } ?? text }
        if case .failed(let status, let text) = reason {
            summary?.reason = placed(text)
            failure = TakeFailure(exitStatus: status, message: placed(text), summary: summary)
        } else if let storageProblem {
            failure = TakeFailure(
                exitStatus: ExitStatus.storageFailed, message: placed(storageProblem), summary: summary)
        } else if summary == nil {
            failure = TakeFailure(
                exitStatus: ExitStatus.unavailable,
                message: output == nil
                    ? "The take ended before its first picture, so nothing was broadcast; let it run for longer."
                    : "The take ended before its first picture, so nothing was recorded; record for longer.")
        } else {
            failure = nil
        }
        if let failure {
            message = .failed(failure)
            exitStatus = failure.exitStatus
        } else if let summary {
            message = .finished(summary)
            exitStatus = summary.exitStatus
        } else {
            message = .failed(TakeFailure(exitStatus: ExitStatus.unavailable, message: "Nothing was recorded."))
            exitStatus = ExitStatus.unavailable
        }
    }
}
