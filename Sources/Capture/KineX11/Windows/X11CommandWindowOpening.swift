// Waits for a window of a program that is started for it, and opens it as a source once the program has painted it.
import CXCB
import KineCapture
import KineMedia
import KinePlatform

/// Searches for the window whenever one of the display's windows changes.
public final class X11CommandWindowOpening: VideoSourceOpening {
    private let connection: X11Connection
    private let cancellation: Cancellation?
    private let failure: VideoSourceError
    private let open: (X11ScreenSource.Target) throws(VideoSourceError) -> any VideoSource
    private let choice: X11CommandWindow
    private var machine: CommandWindowStateMachine
    /// An existing window to open at once; nil: it was tried.
    private var existing: X11ScreenSource.Target?
    private var windows: [CommandWindowStateMachine.Window] = []
    private var mayHaveChanged = true
    /// The windows whose changes are watched.
    private var watched: Set<UInt32> = []
    /// Reports that a window is painted; 0: none is watched.
    private var damage: UInt32 = 0
    /// The first event of a damage object reports the whole window.
    private var damageEvents = 0
    public private(set) var deadline: Int64?

    /// Throws if there is no such server.
    ///
    /// - Parameters:
    ///   - limit: nanoseconds after the program's start within which the window must appear.
    ///   - failure: thrown after the limit.
    ///   - isPrivate: only the program and its descendants open windows on this display.
    ///   - display: the server's name; nil: DISPLAY.
    ///   - belongs: whether a process is the program, or was started by it.
    ///   - open: opens the window.
    public init(
        _ choice: X11CommandWindow, limit: Int64, failure: VideoSourceError, isPrivate: Bool, display: String? = nil,
        cancellation: Cancellation? = nil, belongs: @escaping (_ process: Int32, _ command: Int32) -> Bool,
        open: @escaping (X11ScreenSource.Target) throws(VideoSourceError) -> any VideoSource
    ) throws(VideoSourceError) {
        connection = try X11Connection(display: display, cancellation: cancellation)
        try connection.checkForDamage("waiting for a window")
        self.cancellation = cancellation
        self.choice = choice
        self.failure = failure
        self.open = open
        machine = CommandWindowStateMachine(choice, limit: limit, isPrivate: isPrivate, belongs: belongs)
        existing =
            switch choice {
            case .first: nil
            case .titled(let title): .window(.titled(title))
            case .application(let name, let monitor): .application(name, monitor: monitor)
            }
        connection.select(
            UInt32(XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY.rawValue | XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue),
            of: connection.root)
    }

    public var descriptor: Int32 { connection.descriptor }

    public var awaitsCommand: Bool { machine.awaitsCommand }

    public func commandStarted(_ process: Int32) { machine.commandStarted(process, at: MonotonicClock.now()) }

    public func processEvents() throws(VideoSourceError) -> (any VideoSource)? {
        if let target = existing {
            existing = nil
            do throws(VideoSourceError) {
                return try open(target)
            } catch  where error.kind == .noWindow {}
        }
        while true {
            xcb_flush(connection.handle)  // first: a flush may also read events
            connection.forEachEvent { note($0) }
            if connection.isBroken { throw cancellation?.isCancelled == true ? .serverGivenUp : .serverLost }
            if mayHaveChanged {
                mayHaveChanged = false
                windows = look()
                continue  // the replies may have brought events
            }
            switch machine.step(windows, at: MonotonicClock.now()) {
            case .wait(let instant):
                deadline = instant
                return nil
            case .watch(let window): watchPainting(of: window)
            case .open(let window):
                if let source = try openIfThere(window) { return source }
                machine.lost()
                mayHaveChanged = true
            case .giveUp: throw failure
            }
        }
    }

    /// Nil if the window was closed meanwhile.
    private func openIfThere(_ window: UInt32) throws(VideoSourceError) -> (any VideoSource)? {
        do throws(VideoSourceError) {
            return switch choice {
            case .first, .titled: try open(.window(.id(window)))
            case .application(let name, let monitor): try open(.application(name, monitor: monitor))
            }
        } catch  where error.kind == .noWindow || error.kind == .windowNotShown {
            return nil
        }
    }

    private func note(_ event: X11Event) {
        switch event.kind {
        case connection.damageEvent + UInt8(XCB_DAMAGE_NOTIFY):
            if event.read(xcb_damage_notify_event_t.self).damage == damage { damageEvents += 1 }
            if damageEvents == 2 { machine.painted() }
        case 0: break  // an error: a window has gone
        default: mayHaveChanged = true
        }
    }

    private func look() -> [CommandWindowStateMachine.Window] {
        // Before their properties are read, so that no later change is missed.
        for window in X11Layout.topLevelWindows(connection) where watched.insert(window).inserted {
            connection.select(
                UInt32(XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue | XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue), of: window)
        }
        return X11Layout.windows(connection).map {
            CommandWindowStateMachine.Window(window: $0, role: role(of: $0.id))
        }
    }

    private func role(of window: UInt32) -> CommandWindowStateMachine.Window.Role {
        let types = X11Layout.atoms("_NET_WM_WINDOW_TYPE", of: window, connection)
        if types.contains(connection.atom("_NET_WM_WINDOW_TYPE_SPLASH")) { return .splash }
        return connection.attributes(of: window).map { $0.override_redirect != 0 } ?? false ? .unmanaged : .main
    }

    private func watchPainting(of window: UInt32) {
        if damage != 0 { xcb_damage_destroy(connection.handle, damage) }
        (damage, damageEvents) = (xcb_generate_id(connection.handle), 0)
        xcb_damage_create(connection.handle, damage, window, UInt8(XCB_DAMAGE_REPORT_LEVEL_NON_EMPTY.rawValue))
        xcb_damage_subtract(connection.handle, damage, 0, 0)
    }
}
