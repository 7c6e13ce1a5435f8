// `pause`, `resume` and `stop`: what one terminal asks of a take that another began.
import ArgumentParser
import KineControl

struct TakeArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The take: its id, or enough of its beginning. Without it, the only one that runs.", valueName: "TAKE"))
    var take: String?

    @Flag(help: "Print the answer as a line of JSON on standard output.")
    var json = false

    /// Sends a message and waits for the answer that `pick` recognises.
    func ask<Answer>(
        _ message: ClientMessage, within seconds: Int64?, pick: (EngineMessage) throws -> Answer?
    ) throws -> Answer {
        try TakeQuestion(take: take).ask([message], within: seconds, pick: pick)
    }
}

struct PauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause a take: what happens until resume is neither recorded nor shown.")

    @OptionGroup var argument: TakeArgument

    func run() throws {
        try argument.ask(.pause, within: 10) { if case .paused = $0 { () } else { nil } }
        if argument.json { JSONEvents.write(JSONEvent("paused")) }
    }
}

struct ResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "resume", abstract: "Go on with a paused take.")

    @OptionGroup var argument: TakeArgument

    func run() throws {
        try argument.ask(.resume, within: 10) { if case .resumed = $0 { () } else { nil } }
        if argument.json { JSONEvents.write(JSONEvent("resumed")) }
    }
}

struct StopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "End a take and wait until its file and its broadcasts are finished.")

    @OptionGroup var argument: TakeArgument

    func run() throws {
        // Moving the index of a large file takes as long as the disk needs: no deadline.
        let ending = try argument.ask(.stop(immediately: false), within: nil) {
            message -> Result<Int32, TakeFailure>? in
            switch message {
            case .finished(let summary):
                if argument.json {
                    JSONEvents.write(JSONEvent.summary("finished", summary, exitStatus: summary.exitStatus))
                }
                HumanText.summary(summary).forEach(Terminal.standardError.line)
                return .success(summary.exitStatus)
            case .failed(let failure):
                if argument.json { JSONEvents.write(JSONEvent.failure(failure)) }
                if let summary = failure.summary {
                    HumanText.summary(summary, told: failure.message).forEach(Terminal.standardError.line)
                }
                return .failure(failure)
            default: return nil
            }
        }
        switch ending {
        case .success(0): break
        case .success(let status): throw ExitCode(status)
        case .failure(let failure): throw CommandFailure(status: failure.exitStatus, message: failure.message)
        }
    }
}
