// The options of `record` and `broadcast` for length, file, output and COMMAND.
import ArgumentParser
import Glibc
import KineChoices
import KineClient
import KineConfiguration
import KineMedia
import KineText
import KineWire

enum WhenLockedOption: String, ExpressibleByArgument, CaseIterable {
    case pause
    case `continue`

    var value: TakeConfiguration.WhenLocked {
        switch self {
        case .pause: .pause
        case .continue: .keepRunning
        }
    }
}

extension TakeConfiguration.WhenUnplugged: ExpressibleByArgument {}

struct TakeOptions: ParsableArguments {
    @Option(
        name: [.customShort("t"), .long],
        help: ArgumentHelp(
            "Stop after this much recorded time, such as 90 (seconds), 10s, 2m or 1h30m; 1h30 is an hour and 30 seconds.",
            valueName: "TIME"),
        transform: DurationOption.parse)
    var duration: DurationOption?

    @Option(
        help: ArgumentHelp(
            "Keep the last TIME, at most 30m, for kinecast clip to save while the take goes on.", valueName: "TIME"),
        transform: DurationOption.parse)
    var clipBuffer: DurationOption?

    @Option(
        help: ArgumentHelp(
            "Go on in a new file after LIMIT, such as 10m, 1h, 500MB or 2GiB: OUT-001.mp4, OUT-002.mp4 …",
            discussion: """
                Each file begins with a keyframe and plays alone, and no frame or sound is lost between two. A limit is at \
                least 5s or 5MB.
                """, valueName: "LIMIT"),
        transform: SplitOption.parse)
    var split: SplitOption?

    @Flag(help: "Replace the file if it exists.")
    var overwrite = false

    @Flag(help: "Move the index to the front of the finished file, for players that read from the network.")
    var faststart = false

    @Flag(help: "Print every event as a line of JSON on standard output; on standard error where the video goes there.")
    var json = false

    @Flag(
        help: ArgumentHelp(
            "Show no notification on the desktop while the screen is captured.",
            discussion: """
                Otherwise the desktop says what is captured and has a button that stops it. There is none for a private \
                screen or a pattern without a microphone.
                """))
    var noIndicator = false

    @Option(
        help: ArgumentHelp(
            "Count down before the take begins, at most \(Countdown.limit) seconds; Ctrl-C cancels it.",
            discussion: """
                Nothing is captured or opened meanwhile: the desktop's dialog for a screen cast comes after it, and so does a \
                region to draw.
                """, valueName: "SECONDS"))
    var countdown: Int?

    @Flag(
        help: ArgumentHelp(
            "Play a sound before the take begins and after it has ended, by the desktop.",
            discussion: """
                Each comes with a notification, and the first at least a second before the take, so that it is not recorded. \
                Notification servers that play no sounds, such as dunst and mako, stay silent.
                """))
    var sounds = false

    @Option(
        help: ArgumentHelp(
            "While the screen is locked, pause, or continue with a plain card instead of the lock screen.",
            valueName: "pause|continue"))
    var whenLocked = WhenLockedOption.pause

    @Flag(help: "Let the screen turn off and lock by itself during the take; otherwise a recorded screen stays on.")
    var letIdle = false

    @Option(
        help: ArgumentHelp(
            "While the recorded monitor is unplugged, wait with its last picture, or stop the take.",
            valueName: "wait|stop"))
    var whenUnplugged = TakeConfiguration.WhenUnplugged.wait

    /// `ConfigurationLayers` reads it, before the options are parsed.
    @Option(
        help: ArgumentHelp(
            "Use this profile of kinecast.conf as well; kinecast config lists them.", valueName: "NAME"))
    var profile: String?

    @Flag(
        name: .shortAndLong,
        help: "Show frame rate, losses, bitrates and memory in the progress line too, and print extensions' logs.")
    var verbose = false

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The program to show, and its arguments.", valueName: "COMMAND"))
    var command: [String] = []

    func validate() throws {
        if let countdown, !(0...Countdown.limit).contains(countdown) {
            throw ValidationError("--countdown is out of range; give 0 to \(Countdown.limit) seconds.")
        }
        guard let length = clipBuffer?.time else { return }
        do throws(TakeConfiguration.Problem) {
            try TakeConfiguration.checkClipBuffer(length)
        } catch {
            throw ValidationError(error.description)
        }
    }

    func apply(to configuration: inout TakeConfiguration) {
        configuration.overwrite = overwrite
        configuration.fastStart = faststart
        configuration.durationLimit = duration?.time
        configuration.clipBuffer = clipBuffer?.time
        configuration.split = split?.limit
        configuration.isIndicated = !noIndicator
        configuration.whenLocked = whenLocked.value
        configuration.whenUnplugged = whenUnplugged
        configuration.letsIdle = letIdle
    }

    /// COMMAND with its executable found; nil without COMMAND. Throws before the take begins if it cannot be started.
    func shownCommand() throws -> ShownCommand? {
        try command.isEmpty ? nil : ShownCommand(command, searchPath: getenv("PATH").map { String(escaping: $0) })
    }

    /// Throws if an option does not fit the typed name of the file.
    func check(output: String?) throws {
        guard output == TakeConfiguration.standardOutput else { return }
        if faststart {
            throw ValidationError("--faststart moves the index of a file, and standard output has none; leave it out.")
        }
        if split != nil {
            throw ValidationError("--split makes several files, and standard output is one stream; leave it out.")
        }
    }

    /// The streams for sentences, and for JSON and links. If the video goes to standard output, JSON goes to standard
    /// error, with no other text.
    func places(output: String?) -> (sentences: Terminal, events: Terminal) {
        guard output == TakeConfiguration.standardOutput else { return (.standardError, .standardOutput) }
        return (json ? .none : .standardError, .standardError)
    }

    /// Runs the take until it ends; throws its exit status unless that is 0.
    ///
    /// - Parameter toggle: the locked file of the toggle that begins the take.
    func run(
        _ configuration: TakeConfiguration, confinement: ConfinementRequest = ConfinementRequest(),
        showing command: ShownCommand?, toggle: ToggleFile? = nil,
        in engine: WaitingEngine? = nil
    ) throws {
        var configuration = configuration
        let places = places(output: configuration.output)
        let terminal = places.sentences.unblocked(json: false)
        let output = places.events === places.sentences ? terminal : places.events.unblocked(json: json)
        let reporter = TakeReporter(
            configuration, terminal: terminal, output: output, json: json, hasCommand: command != nil,
            isVerbose: verbose)
        configuration.wantsProgress = reporter.wantsProgress
        let run = TakeRun(
            configuration: configuration, confinement: confinement, command: command, reporter: reporter,
            engine: engine,
            notifications: TakeNotifications(sounds: sounds))
        let status = try run.run(after: max(countdown ?? 0, sounds ? 1 : 0), toggle)
        if status != 0 { throw ExitCode(status) }
    }
}
