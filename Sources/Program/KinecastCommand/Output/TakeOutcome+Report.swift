// The end of a take, as `record`, `broadcast` and `stop` report it.
import ArgumentParser
import KineClient
import KineMedia
import KinePlatform
import KineWire

extension TakeOutcome {
    var exitStatus: Int32 {
        switch self {
        case .finished(let summary): summary.exitStatus
        case .failed(let failure): failure.exitStatus
        case .engineDied: ExitStatus.engineDied
        }
    }

    /// The sentence on why the take did not finish, also reported for each destination; nil if it finished.
    var reason: String? {
        switch self {
        case .finished: nil
        case .failed(let failure): failure.message
        case .engineDied(let death): TakeSentences.death(death)
        }
    }

    /// `reason` with the alternatives that a person has.
    var problem: String? { if case .failed(let failure) = self { failure.sentence } else { reason } }

    /// The engine's summary; nil if nothing was recorded or the engine died.
    var summary: TakeSummary? {
        switch self {
        case .finished(let summary): summary
        case .failed(let failure): failure.summary
        case .engineDied: nil
        }
    }

    /// Prints the problem, if there is one, then the recording and a line for each destination.
    func print(on terminal: Terminal) {
        if let problem { terminal.problem(problem) }
        if let summary { TakeSentences.summary(summary, told: reason).forEach(terminal.line) }
    }

    /// Prints the outcome of a take that this command has ended. Throws its exit status unless that is 0.
    func report(json: Bool) throws {
        if json { JSONEvents.write(JSONEvent.summary(self)) }
        print(on: .standardError)
        if exitStatus != 0 { throw ExitCode(exitStatus) }
    }
}

extension JSONEvent {
    /// The last event of a take. `size`: the size of the frames, which a recovered file does not report.
    static func summary(_ outcome: TakeOutcome, size: PixelSize? = nil) -> JSONEvent {
        if case .engineDied(let death) = outcome, case .recovered(let path, let saved) = death.file {
            return recovered(
                path, saved, size: size, message: TakeSentences.happened(death), exitStatus: outcome.exitStatus)
        }
        return JSONEvent("summary") {
            $0.result = outcome.problem == nil ? "finished" : "failed"
            $0.exitStatus = outcome.exitStatus
            $0.message = outcome.problem
            if case .failed(let failure) = outcome { $0.set(failure.problem) }
            guard let summary = outcome.summary else { return }
            $0.output = summary.output
            $0.files = summary.files
            $0.pausedByLock = summary.pausedByLock
            $0.width = summary.size.width
            $0.height = summary.size.height
            $0.reason = summary.reason
            $0.set(summary.progress)
        }
    }
}
