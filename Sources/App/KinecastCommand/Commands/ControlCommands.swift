// `pause`, `resume` and `stop`: requests to a take that may have been started from another terminal.
import ArgumentParser
import KineClient

struct TakeArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The take's id, or the beginning of it. Not needed while only one take is running.", valueName: "TAKE"))
    var take: String?

    @Flag(help: "Print the answer as a line of JSON on standard output.")
    var json = false

    /// Connects to the take and asks it something.
    func ask<Answer: Sendable>(
        _ request: @escaping @Sendable (EngineSession) async throws(ClientError) -> Answer
    ) throws(ClientError) -> Answer {
        try MainThread.shared.wait { [take] () async throws(ClientError) in
            try await request(EngineSession.attach(to: take))
        }
    }
}

struct PauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause a take: what happens until resume is neither recorded nor shown.")

    @OptionGroup var argument: TakeArgument

    func run() throws {
        try argument.ask { (take) async throws(ClientError) in try await take.pause() }
        if argument.json { JSONEvents.write(JSONEvent("paused")) }
    }
}

struct ResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "resume", abstract: "Continue a paused take.")

    @OptionGroup var argument: TakeArgument

    func run() throws {
        try argument.ask { (take) async throws(ClientError) in try await take.resume() }
        if argument.json { JSONEvents.write(JSONEvent("resumed")) }
    }
}

struct StopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "End a take and wait until its file and its broadcasts are finished.")

    @OptionGroup var argument: TakeArgument

    @Flag(
        help: ArgumentHelp(
            "End it at once, also where its engine does not answer, and save what was recorded; broadcasts are cut off."
        ))
    var now = false

    func run() throws {
        let outcome = try argument.ask { [now] (take) async throws(ClientError) in
            guard now else { return try await take.stop() }
            take.abort()
            return try await take.outcome()
        }
        if argument.json { JSONEvents.write(JSONEvent.summary(outcome)) }
        outcome.print(on: .standardError)
        if outcome.exitStatus != 0 { throw ExitCode(outcome.exitStatus) }
    }
}
