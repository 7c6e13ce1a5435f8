// The source that a person names in words.
import KineMedia
import KineProgram

/// The values of `--monitor`, `--region`, `--window`, `--app` and the like. Nil: the option was not given.
package struct SourceChoice {
    /// The name of a monitor; `all`: the whole screen.
    package var monitor: String?
    /// The name of an application, on `monitor` if that is given.
    package var application: String?
    package var region: RegionSourceOption?
    package var window: WindowOption?
    package var virtual: VirtualScreenOption?
    package var pattern: PixelSize?
    /// How long to wait for a window of COMMAND.
    package var wait: MediaTime?

    package init() {}

    /// The chosen source; by default the whole screen. Throws `CommandFailure.usage` for what does not fit together.
    ///
    /// - Parameter hasCommand: whether the take shows a program that it starts.
    package func source(hasCommand: Bool) throws(CommandFailure) -> TakeConfiguration.Source {
        if let window = try commandWindow(hasCommand: hasCommand) { return .commandWindow(window) }
        if wait != nil {
            throw .usage(
                "--wait is for a window of COMMAND: add --window title:TEXT, --window command or --app NAME, and -- COMMAND, or "
                    + "leave it out.")
        }
        var named = onScreen
        if let virtual { named.append(("--virtual", virtual.source)) }
        if let pattern { named.append(("--pattern", .pattern(pattern))) }
        return try Self.only(named) ?? .screen(monitor: nil)
    }

    /// The part of a screen; nil if none is named.
    package func part() throws(CommandFailure) -> TakeConfiguration.Source? { try Self.only(onScreen) }

    private typealias Named = (option: String, source: TakeConfiguration.Source)

    private var onScreen: [Named] {
        var named: [Named] = []
        let monitorName = monitor == "all" ? nil : monitor
        if let application {
            named.append(("--app", .application(application, monitor: monitorName)))
        } else if monitor != nil {
            named.append(("--monitor", .screen(monitor: monitorName)))
        }
        if let region { named.append(("--region", region.source)) }
        if let window { named.append(("--window", window.source)) }
        return named
    }

    private static func only(_ named: [Named]) throws(CommandFailure) -> TakeConfiguration.Source? {
        guard named.count <= 1 else {
            throw .usage(
                "Only one source can be recorded at a time; give one of \(Quantity.list(named.map(\.option))).")
        }
        return named.first?.source
    }

    /// The window that COMMAND opens, on its private screen if there is one; nil if no window is named, or no COMMAND.
    private func commandWindow(hasCommand: Bool) throws(CommandFailure) -> TakeConfiguration.CommandWindow? {
        guard pattern == nil, let choice = try part()?.commandWindow else { return nil }
        guard hasCommand else {
            if choice != .first, virtual == nil { return nil }
            throw .usage("The window is one of COMMAND's; add -- COMMAND, the program that opens it.")
        }
        var window = TakeConfiguration.CommandWindow(choice)
        if let wait { window.limit = wait }
        switch virtual?.source {
        case .virtual(let size): window.privateScreen = size
        case nil: break
        default:
            throw .usage(
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
    package var showsOneWindow: Bool {
        switch self {
        case .screen, .region, .drawnRegion, .application, .virtual, .virtualWayland: false
        case .window, .focusedWindow, .windowTitled, .chosenWindow, .pattern: true
        case .commandWindow(let window): window.named?.showsOneWindow ?? true
        }
    }
}
