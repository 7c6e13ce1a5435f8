// The options that choose the source.
import ArgumentParser
import KineMedia

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

    var chosen: [(option: String, source: TakeConfiguration.Source)] {
        var chosen: [(option: String, source: TakeConfiguration.Source)] = []
        let monitorName = monitor == "all" ? nil : monitor
        if let app {
            chosen.append(("--app", .application(app, monitor: monitorName)))
        } else if monitor != nil {
            chosen.append(("--monitor", .screen(monitor: monitorName)))
        }
        if let region { chosen.append(("--region", region.source)) }
        if let window { chosen.append(("--window", window.source)) }
        return chosen
    }
}

extension TakeConfiguration.Backend: ExpressibleByArgument {}

struct SourceOptions: ParsableArguments {
    @OptionGroup var display: DisplayOptions

    @Option(
        help: ArgumentHelp(
            "Paint over a window wherever it is on the screen: an id, title:TEXT for all with TEXT in their titles, or app:NAME for all of an application. May be given several times. none overrules what is configured.",
            valueName: "ID|title:TEXT|app:NAME|none"), transform: WindowRuleOption.parse)
    var exclude: [WindowRuleOption] = []

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
        input.apply(to: &configuration.video)
    }

    private var excludedWindows: [TakeConfiguration.WindowRule] { exclude.compactMap(\.rule) }

    /// The requested source; by default the whole screen.
    func source(hasCommand: Bool) throws -> TakeConfiguration.Source {
        let source = try commandWindow(hasCommand: hasCommand).map { .commandWindow($0) } ?? otherSource()
        try input.check(for: source)
        if !excludedWindows.isEmpty, source.showsOneWindow {
            throw ValidationError("--exclude is for a screen; a \(source) shows no other window. Leave it out.")
        }
        return source
    }

    private func otherSource() throws -> TakeConfiguration.Source {
        if wait != nil {
            throw ValidationError(
                "--wait is for a window of COMMAND: add --window title:TEXT, --window command or --app NAME, and -- COMMAND, or "
                    + "leave it out.")
        }
        var chosen = display.chosen
        if let virtual { chosen.append(("--virtual", virtual.source)) }
        if let pattern { chosen.append(("--pattern", .pattern(pattern.size))) }
        return try chosen.onlySource ?? .screen(monitor: nil)
    }

    /// The window that COMMAND opens, on its private screen if there is one; nil if no window is named, or no COMMAND.
    private func commandWindow(hasCommand: Bool) throws -> TakeConfiguration.CommandWindow? {
        guard pattern == nil, let named = try display.chosen.onlySource, let choice = named.commandWindow else {
            return nil
        }
        guard hasCommand else {
            if choice != .first, virtual == nil { return nil }
            throw ValidationError("The window is one of COMMAND's; add -- COMMAND, the program that opens it.")
        }
        var window = TakeConfiguration.CommandWindow(choice)
        if let wait { window.limit = wait.time }
        switch virtual?.source {
        case .virtual(let size): window.privateScreen = size
        case nil: break
        default:
            throw ValidationError(
                "Wayland tells programs of no windows, so none of a private Wayland screen can be shown alone; leave out --window and "
                    + "--app, or give --virtual WxH.")
        }
        return window
    }
}

extension TakeConfiguration.Source {
    /// The window of COMMAND if there is one; nil if the source cannot name a window that does not exist yet.
    fileprivate var commandWindow: TakeConfiguration.CommandWindow.Choice? {
        switch self {
        case .windowTitled(let title): .titled(title)
        case .application(let name, let monitor): .application(name, monitor: monitor)
        case .commandWindow(let window): window.choice
        default: nil
        }
    }

    /// Whether the frames can show no other window.
    fileprivate var showsOneWindow: Bool {
        switch self {
        case .screen, .region, .drawnRegion, .application, .virtual, .virtualWayland: false
        case .window, .focusedWindow, .windowTitled, .chosenWindow, .pattern: true
        case .commandWindow(let window): window.named?.showsOneWindow ?? true
        }
    }
}

extension [(option: String, source: TakeConfiguration.Source)] {
    /// Nil if there is none. Throws if there are several.
    var onlySource: TakeConfiguration.Source? {
        get throws {
            guard count <= 1 else {
                throw ValidationError(
                    "Only one source can be recorded at a time; give one of \(Quantity.list(map(\.option))).")
            }
            return first?.source
        }
    }
}
