// `pause`, `resume`, `stop`, `mark`, `switch` and `annotate`: requests to a take that may have been started from another terminal.
import ArgumentParser
import KineClient
import KineMedia
import KineProgram
import KineTakes
import KineWire

enum ControlCommands {
    /// The commands that ask a running take for something, in the order of the help.
    static var all: [any ParsableCommand.Type] {
        [
            PauseCommand.self, ResumeCommand.self, StopCommand.self, SwitchCommand.self, CameraCommand.self,
            MicCommand.self, ClipCommand.self, MarkCommand.self, AnnotateCommand.self, LinkCommand.self,
            DestinationCommand.self,
        ]
    }
}

struct TakeArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The take's id, or the beginning of it. Not needed while only one take is running.", valueName: "TAKE"))
    var take: String?

    @Flag(help: "Print the answer as a line of JSON on standard output.")
    var json = false

    /// Connects to the take.
    func connect() throws(ClientError) -> AskedTake { try AskedTake.connected(to: take) }
}

struct PauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause a take: what happens until resume is neither recorded nor shown.")

    @OptionGroup var argument: TakeArgument

    @Flag(help: ArgumentHelp("Resume the take if it is paused.", discussion: DesktopNotifier.rule))
    var toggle = false

    func run() throws {
        let take = try argument.connect()
        let isPaused = try !toggle || take.status().phase != .paused
        try take.ask(isPaused ? .pause : .resume)
        if argument.json { JSONEvents.write(JSONEvent(isPaused ? "paused" : "resumed")) }
        guard toggle else { return }
        let done = DesktopNotifier.Contents.paused(isPaused)
        Terminal.standardError.line("\(done.title).")
        DesktopNotifier.tell(done)
    }
}

struct ResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "resume", abstract: "Continue a paused take.")

    @OptionGroup var argument: TakeArgument

    func run() throws {
        try argument.connect().ask(.resume)
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
        let outcome =
            try now
            ? MainThread.shared.wait { [take = argument.take] () async throws(ClientError) in
                let session = try await EngineSession.attach(to: take)
                session.abort()
                return try await session.outcome()
            } : argument.connect().stop()
        try outcome.report(json: argument.json)
    }
}

// `kinecast switch`: another source during a take.
struct SwitchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switch",
        abstract: "Show another source in a take from now on, without a gap in its file or broadcasts.",
        usage: "kinecast switch [TAKE] --monitor|--region|--window|--app VALUE",
        discussion: """
            The new source is opened before the old one is let go, and fitted into the take's size. If it cannot be opened, the take \
            goes on with the old one.
            """)

    @OptionGroup var argument: TakeArgument
    @OptionGroup var display: DisplayOptions

    func validate() throws {
        guard let source = try display.part() else {
            throw ValidationError("Say what to show: --monitor, --region, --window or --app.")
        }
        if case .commandWindow = source {
            throw ValidationError(
                "--window command is for the beginning of a take; name the window by its id or title.")
        }
    }

    func run() throws {
        guard let source = try display.part() else { return }
        let take = try argument.connect()
        try take.ask(.switchSource(source))
        guard argument.json else { return }
        let name = (try? take.status())?.sourceName ?? source.name
        JSONEvents.write(JSONEvent("sourceSwitched") { ($0.source, $0.sourceName) = (source.description, name) })
    }
}

// `kinecast annotate`: tells the extensions of a take what is being shown.
struct AnnotateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "annotate",
        abstract: "Tell the destinations of a take what is being shown.",
        usage: "kinecast annotate [TAKE] KEY=VALUE…",
        discussion: "What the keys mean is up to the extensions; each gets all of them.")

    @Argument(
        help: ArgumentHelp(
            "The take's id, or the beginning of it, if more than one is running; then what to tell.",
            valueName: "TAKE|KEY=VALUE"))
    var words: [String]

    func validate() throws { _ = try parsed() }

    /// The first word is a take's id if it has no `=`.
    func parsed() throws -> (take: String?, information: [String: String]) {
        var rest = words[...]
        let take = rest.first.map { $0.contains("=") } == false ? rest.removeFirst() : nil
        var information: [String: String] = [:]
        for word in rest {
            guard let equals = word.firstIndex(of: "="), equals != word.startIndex else {
                throw ValidationError("\(word) is not of the form KEY=VALUE; write a key, = and a value.")
            }
            information[String(word[..<equals])] = String(word[word.index(after: equals)...])
        }
        guard !information.isEmpty else {
            throw ValidationError("There is nothing to tell; add KEY=VALUE, such as title='Second half'.")
        }
        return (take, information)
    }

    func run() throws {
        let (take, information) = try parsed()
        try AskedTake.connected(to: take).ask(.annotate(information))
    }
}
