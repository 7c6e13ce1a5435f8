// Keys of the whole desktop by its portal, for a thread that polls.
import Glibc
import KinePlatform

/// Keys of the whole desktop that its portal binds, as long as this object and the bus live. Used on one thread.
public final class GlobalShortcutsSession: PollSource {
    public enum Event: Sendable, Equatable {
        /// The bound shortcuts' ids, each with its key in the desktop's words. They are empty if the person has given it
        /// no key, or the desktop does not say which. Comes again after each change.
        case bound([String: String])
        /// Desktops repeat it while the key is held. Some may send no `released`. `time`: the desktop's own clock,
        /// milliseconds.
        case pressed(String, time: UInt64)
        case released(String)
        /// No key works. All but `busLost` may be followed by `bound`: another portal is asked as soon as there is one.
        case failed(Error)
    }

    public typealias Error = PortalError

    /// The shortcuts to offer to the next session. The person's own keys stay.
    public var shortcuts: [GlobalShortcut] {
        get { session.machine.shortcuts }
        set { session.machine.shortcuts = newValue }
    }

    private let session: PortalSession<GlobalShortcutsStateMachine>

    /// Starts to ask, without waiting: call `process` whenever the thread wakes.
    ///
    /// - Parameters:
    ///   - application: the name of the application's desktop file, without `.desktop`.
    ///   - asks: show the desktop's dialog or settings, unless the portal knows all shortcuts.
    ///   - address: of the user's bus (`BusAddresses`); nil: there is none.
    public init(
        _ shortcuts: [GlobalShortcut], of application: String, asks: Bool = true, bus address: String?
    ) throws(Error) {
        session = try PortalSession(bus: address) { prefix in
            GlobalShortcutsStateMachine(
                shortcuts, of: application, asks: asks, process: getpid(), tokenPrefix: prefix)
        }
        session.bus.matchOwner(of: Portal.name) { [weak session] in session?.handle(.portalChanged(owner: $0)) }
        let scope = GlobalShortcutsPortal.scope(of: application, getpid())
        let manager = GlobalShortcutsPortal.systemdManager
        // A rule with arg2 never matches: sd-bus reads no argument after one that is no text, as the first is here.
        session.bus.match("type='signal',interface='\(manager)',member='JobRemoved'") { [weak session] signal in
            guard signal.arguments.count > 2, signal.arguments[2] == .string(scope) else { return }
            session?.handle(.scopeDone)
        }
    }

    /// For poll; a negative descriptor once the connection is closed.
    public var pollEntries: [pollfd] { session.bus.pollEntries }

    /// The latest instant to call `process`, nanoseconds of CLOCK_MONOTONIC; nil: after poll returns.
    public var nextDeadline: Int64? { session.bus.nextDeadline }

    /// Continues as far as possible without waiting, and returns the new events.
    public func process() -> [Event] { session.process() }

    /// Shows the person the desktop's dialog for these keys, or its settings. Some desktops show neither if they know
    /// the keys.
    public func configure() {
        session.handle(.configure)
        session.bus.process()
    }
}

extension GlobalShortcutsStateMachine: PortalStateMachine {
    static func subscribe(_ session: PortalSession<Self>, to portal: String) {
        for member in ["Activated", "Deactivated", "ShortcutsChanged"] {
            session.match(portal, GlobalShortcutsPortal.interface, member) {
                .signalled(member: $0.member, $0.arguments)
            }
        }
    }
}
