// The options that choose the source.
import ArgumentParser
import KineChoices
import KineMedia
import KineProgram

struct DisplayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "One monitor, by the name that kinecast sources lists; all: the whole screen.",
            valueName: "NAME|all"))
    var monitor: String?

    @Option(
        help: ArgumentHelp(
            "A rectangle of the screen in its pixels, or draw: draw it with the mouse. Escape cancels.",
            valueName: "WxH+X+Y|draw"), transform: RegionSourceOption.parse)
    var region: RegionSourceOption?

    @Option(
        help: ArgumentHelp(
            "One window: the id that kinecast sources lists, title:TEXT for the one with TEXT in its title, the one that is focused, ask: choose it in the dialog of a Wayland desktop, or command: the first one that COMMAND opens.",
            valueName: "ID|title:TEXT|focused|ask|command"), transform: WindowOption.parse)
    var window: WindowOption?

    @Option(
        help: ArgumentHelp(
            "All windows of one application where they lie on the screen, and nothing else; with --monitor, on that monitor. The name is what kinecast sources lists.",
            valueName: "NAME"))
    var app: String?

    func validate() throws {
        guard let app, !(1...1000).contains(app.utf8.count) else { return }
        throw ValidationError("--app takes the name of an application; kinecast sources lists those that have windows.")
    }

    /// The source in words.
    var choice: SourceChoice {
        var choice = SourceChoice()
        (choice.monitor, choice.application, choice.region, choice.window) = (monitor, app, region, window)
        return choice
    }

    /// The part of a screen; nil if none is named.
    func part() throws -> TakeConfiguration.Source? {
        try asOptionError { () throws(CommandFailure) in try choice.part() }
    }
}

extension TakeConfiguration.Backend: ExpressibleByArgument {}
extension TakeConfiguration.ExcludeHow: ExpressibleByArgument {}

struct SourceOptions: ParsableArguments {
    @OptionGroup var display: DisplayOptions

    @Option(
        help: ArgumentHelp(
            "Hide a window wherever it is on the screen: an id, title:TEXT for all with TEXT in their titles, app:NAME for all of an application, or process:PID for all of a process; above:ID also keeps that window above others. May be given several times. none overrules what is configured.",
            valueName: "ID|above:ID|title:TEXT|app:NAME|process:PID|none"), transform: WindowRuleOption.parse)
    var exclude: [WindowRuleOption] = []

    @Option(
        help: ArgumentHelp(
            "How windows of --exclude are hidden: cover paints over them, beneath shows what lies beneath them.",
            valueName: "cover|beneath"))
    var excludeHow = TakeConfiguration.ExcludeHow.cover

    @Option(
        help: ArgumentHelp(
            "A private screen of this size with private audio, for X11 or for Wayland programs; needs no display.",
            valueName: "WxH|wayland:WxH"), transform: VirtualScreenOption.parse)
    var virtual: VirtualScreenOption?

    @Option(
        help: ArgumentHelp(
            "How long to wait for a window of COMMAND, which --window title:TEXT, --window command or --app names; 10s if not given.",
            valueName: "TIME"), transform: DurationOption.parse)
    var wait: DurationOption?

    @Option(
        help: ArgumentHelp("A test pattern with a frame counter and a beep.", valueName: "WxH"),
        transform: SizeOption.parse)
    var pattern: SizeOption?

    @Option(
        help: ArgumentHelp(
            "The way to the screen's pixels: x11, wlr for a Wayland compositor's own copies (wlr-screencopy or ext-image-copy-capture), or portal for the desktop's question and PipeWire. Without it, the one that fits the session.",
            valueName: "x11|wlr|portal"))
    var backend: TakeConfiguration.Backend?

    @Flag(help: "Have a Wayland desktop ask again what may be seen, although it was answered before.")
    var ask = false

    @OptionGroup var input: InputOptions

    func apply(to configuration: inout TakeConfiguration) {
        configuration.backend = backend
        configuration.asksAnew = ask
        configuration.video.excludedWindows = excludedWindows
        configuration.video.excludeHow = excludeHow
        input.apply(to: &configuration.video)
    }

    private var excludedWindows: [TakeConfiguration.WindowRule] { exclude.compactMap(\.rule) }

    /// The requested source; by default the whole screen.
    func source(hasCommand: Bool) throws -> TakeConfiguration.Source {
        var choice = display.choice
        (choice.virtual, choice.pattern, choice.wait) = (virtual, pattern?.size, wait?.time)
        let source = try asOptionError { () throws(CommandFailure) in try choice.source(hasCommand: hasCommand) }
        try input.check(for: source)
        if !excludedWindows.isEmpty, source.showsOneWindow {
            throw ValidationError("--exclude is for a screen; a \(source) shows no other window. Leave it out.")
        }
        return source
    }
}
