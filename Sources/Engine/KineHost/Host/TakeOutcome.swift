// Converts a take's ending into the final message to its client: a success or a failure.
import KineContainers
import KineMedia
import KinePlatform
import KineTake
import KineWire

/// The result of a take for its client.
struct TakeOutcome {
    let event: EngineEvent
    let exitStatus: Int32

    /// - Parameters:
    ///   - progress: with the final states of the destinations.
    ///   - nothing: the failure of a take without a frame.
    ///   - output: the path that the file was created with, the last one of a split recording.
    ///   - pausedByLock: nanoseconds of pauses that the screen's lock began.
    init(
        reason: TakeStateMachine.StopReason, ending: Take.Ending, progress: TakeProgress, size: PixelSize,
        nothing: TakeError, output: String?, pausedByLock: Int64 = 0
    ) {
        var summary: TakeSummary?
        /// A sentence: why a part of the recording is missing, or all of it.
        var storageProblem: String?
        var storageCode: ProblemCode?
        var path: String?
        var final = progress
        switch ending {
        case .recorded(.finished(let file)):
            (final.duration, final.bytes, final.framesDrawn) = (file.duration, file.bytes, file.frames)
            summary = TakeSummary(
                output: file.parts.first ?? file.path, size: size, progress: final, reason: reason.text)
            if !file.parts.isEmpty { summary?.files = file.parts }
            path = file.path
            let kept = path == output ? "is kept" : "is in \(file.path)"
            (storageProblem, storageCode) = (file.failure?.sentence(keeping: kept), file.failure?.problem)
        case .recorded(.unfinished(let error, let unfinished)):
            storageCode = error.problem
            storageProblem =
                "\(error.description); what is on the disk plays, and kinecast recover \(unfinished) finishes it."
        case .recorded(.empty(let error)):
            (storageProblem, storageCode) = (
                error.map { "\($0.description); nothing was recorded." }, error?.problem
            )
            // The broadcast continued.
            if error != nil, !progress.destinations.isEmpty {
                summary = TakeSummary(output: nil, size: size, progress: final, reason: reason.text)
            }
        case .unrecorded(let duration, let frames) where frames > 0:
            (final.duration, final.framesDrawn) = (duration, frames)
            summary = TakeSummary(output: nil, size: size, progress: final, reason: reason.text)
        case .unrecorded: break
        }
        if case .sourceEnded = reason { summary?.isSourceEnded = true }
        if pausedByLock > 0 { summary?.pausedByLock = Double(pausedByLock) / 1e9 }
        summary?.isStoppedAtDesktop = reason == .stoppedAtDesktop
        let failure: TakeFailure
        switch (reason, storageProblem, summary) {
        case (.failed(let cause), let problem?, _):
            let isStorage = cause.exitStatus == ExitStatus.storageFailed
            let message = isStorage ? problem : "\(cause.message) \(problem)"
            summary?.reason = message
            failure = TakeFailure(
                exitStatus: cause.exitStatus, message: message, problem: isStorage ? storageCode : cause.problem,
                summary: summary)
        case (.failed(let cause), nil, _):
            // The file is elsewhere, for example because its directory is gone.
            let note = path.flatMap { $0 == output ? nil : "; what was recorded is in \($0)" } ?? ""
            summary?.reason = cause.message + note
            failure = TakeFailure(
                exitStatus: cause.exitStatus, message: cause.message + note, problem: cause.problem,
                alternative: note.isEmpty ? cause.alternative : nil, summary: summary)
        case (_, let problem?, _):
            failure = TakeFailure(
                exitStatus: ExitStatus.storageFailed, message: problem, problem: storageCode, summary: summary)
        case (_, nil, let summary?):
            (event, exitStatus) = (.finished(summary), summary.exitStatus)
            return
        case (_, nil, nil):
            failure = nothing.failure
        }
        (event, exitStatus) = (.failed(failure), failure.exitStatus)
    }
}
