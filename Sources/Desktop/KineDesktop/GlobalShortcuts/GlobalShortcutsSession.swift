// Carries out a GlobalShortcutsStateMachine on a bus, for a thread that polls.
import Glibc

/// Keys of the whole desktop that its portal binds, as long as this object and the bus live. Used on one thread.
public final class GlobalShortcutsSession {
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

    public enum Error: Swift.Error, Sendable, Equatable {
        /// libsystemd is not installed.
        case noLibrary
        /// The environment names no bus, or there is none at the address.
        case noBus
        case busLost
        /// No portal on the bus binds keys, and the bus cannot start one.
        case noPortal
        /// The portal has ended, or does not answer.
        case portalLost
        /// The person has closed the dialog, or the desktop has bound nothing for another reason. GNOME does not say which.
        case declined
        /// The portal has closed the session.
        case closed
        /// The portal answered with an error; its name and message, cleaned for display.
        case refused(name: String, message: String)
        /// The portal's answer is malformed; the reason, for the end of a sentence.
        case malformed(String)
    }

    /// The shortcuts to offer to the next session. The person's own keys stay.
    public var shortcuts: [GlobalShortcut] {
        get { machine.shortcuts }
        set { machine.shortcuts = newValue }
    }

    private let bus: BusConnection
    private var machine: GlobalShortcutsStateMachine
    private var events: [Event] = []
    private var isConnected = false
    private var hasEnded = false
    /// The portals whose signals are received.
    private var subscribed: Set<String> = []

    /// Starts to ask, without waiting: call `process` whenever the thread wakes.
    ///
    /// - Parameters:
    ///   - application: the name of the application's desktop file, without `.desktop`.
    ///   - address: of the user's bus (`BusAddresses`); nil: there is none.
    public init(_ shortcuts: [GlobalShortcut], of application: String, bus address: String?) throws(Error) {
        guard let address else { throw .noBus }
        do throws(BusError) {
            bus = try BusConnection(address: address)
        } catch {
            throw error == .noLibrary ? .noLibrary : .noBus
        }
        // Other programs must not guess the paths of the portal's objects (org.freedesktop.portal.Request).
        let prefix = "kinecast_\(String(UInt64.random(in: .min ... .max), radix: 16))"
        machine = GlobalShortcutsStateMachine(shortcuts, of: application, process: getpid(), tokenPrefix: prefix)
        bus.match(BusDaemon.ownerRule(of: Portal.name)) { [weak self] signal in
            guard signal.sender == BusDaemon.name, let change = BusDaemon.ownerChange(signal),
                change.name == Portal.name
            else { return }
            self?.handle(.portalChanged(owner: change.owner))
        }
        let scope = GlobalShortcutsPortal.scope(of: application, getpid())
        let manager = GlobalShortcutsPortal.systemdManager
        // A rule with arg2 never matches: sd-bus reads no argument after one that is no text, as the first is here.
        bus.match("type='signal',interface='\(manager)',member='JobRemoved'") { [weak self] signal in
            guard signal.arguments.count > 2, signal.arguments[2] == .string(scope) else { return }
            self?.handle(.scopeDone)
        }
    }

    /// For poll; a negative descriptor once the connection is closed.
    public var pollEntry: pollfd { bus.pollEntry }

    /// The latest instant to call `process`, nanoseconds of CLOCK_MONOTONIC; nil: after poll returns.
    public var nextDeadline: Int64? { bus.nextDeadline }

    /// Continues as far as possible without waiting, and returns the new events.
    public func process() -> [Event] {
        bus.process()
        if !isConnected, let name = bus.uniqueName {
            isConnected = true
            handle(.connected(as: name))
            bus.process()
        }
        if bus.isClosed, !hasEnded {
            hasEnded = true
            handle(.busLost)
        }
        defer { events = [] }
        return events
    }

    /// Shows the person the desktop's dialog for these keys, or its settings. Some desktops show neither if they know
    /// the keys.
    public func configure() {
        handle(.configure)
        bus.process()
    }

    private func handle(_ input: GlobalShortcutsStateMachine.Input) {
        for action in machine.handle(input) {
            switch action {
            case .call(let call, let number):
                bus.call(call) { [weak self] in self?.handle(.answered(number: number, $0)) }
            case .send(let call): bus.call(call) { _ in }
            case .subscribe(let portal): subscribe(to: portal)
            case .tell(let event): events.append(event)
            }
        }
    }

    /// Matches the portal's unique name, so that no other program's signals count. Does not match the path: a response
    /// may come before the path of its request is known.
    private func subscribe(to portal: String) {
        guard subscribed.insert(portal).inserted else { return }
        bus.match(Portal.rule(portal, Portal.request, "Response")) { [weak self] signal in
            guard signal.sender == portal else { return }
            self?.handle(.responded(path: signal.path, signal.arguments))
        }
        bus.match(Portal.rule(portal, Portal.session, "Closed")) { [weak self] signal in
            guard signal.sender == portal else { return }
            self?.handle(.sessionClosed(path: signal.path))
        }
        for member in ["Activated", "Deactivated", "ShortcutsChanged"] {
            bus.match(Portal.rule(portal, GlobalShortcutsPortal.interface, member)) { [weak self] signal in
                guard signal.sender == portal else { return }
                self?.handle(.signalled(member: signal.member, signal.arguments))
            }
        }
    }
}
