// Carries out a portal's state machine on a bus, for a thread that polls.
import Glibc
import KinePlatform
import KineText

/// The inputs of all portals' state machines.
protocol PortalInput {
    /// The bus has given this connection its unique name.
    static func connected(as name: String) -> Self
    /// The answer to the call with that number.
    static func answered(number: Int, _ answer: BusConnection.Answer) -> Self
    /// Signals of the portal: a request's `Response`, and a session's `Closed`.
    static func responded(path: String, _ values: [BusValue]) -> Self
    static func sessionClosed(path: String) -> Self
    static var busLost: Self { get }
}

/// The inputs of a portal that shows a dialog for a while.
enum PortalDialogInput: PortalInput {
    case connected(as: String)
    case answered(number: Int, BusConnection.Answer)
    case responded(path: String, [BusValue])
    case sessionClosed(path: String)
    case portalLost
    case busLost
    /// The caller no longer needs the answer.
    case cancel
}

enum PortalAction<Event: Sendable & Equatable>: Sendable, Equatable {
    /// Call the method; the answer comes as `answered`, with the same number.
    case call(BusCall, number: Int)
    /// Call the method and ignore the answer.
    case send(BusCall)
    case subscribe(portal: String)
    case tell(Event)
}

/// The states of an exchange with a portal. No bus, no clock.
protocol PortalStateMachine {
    associatedtype Input: PortalInput
    associatedtype Event: Sendable, Equatable
    mutating func handle(_ input: Input) -> [PortalAction<Event>]
    /// Subscribes to signals that only this machine knows.
    static func subscribe(_ session: PortalSession<Self>, to portal: String)
}

extension PortalStateMachine where Input == PortalDialogInput {
    static func subscribe(_ session: PortalSession<Self>, to portal: String) {
        session.bus.matchOwner(of: portal) { [weak session] owner in
            if owner == nil { session?.handle(.portalLost) }
        }
    }
}

/// Lives as long as its bus connection. Used on one thread.
final class PortalSession<Machine: PortalStateMachine> {
    let bus: BusConnection
    var machine: Machine
    private var events: [Machine.Event] = []
    private var isConnected = false
    private var hasEnded = false
    /// The portals whose signals are received.
    private var subscribed: Set<String> = []

    /// - Parameters:
    ///   - address: of the user's bus (`BusAddresses`); nil: there is none.
    ///   - machine: gets the prefix of its tokens in paths, which no other connection has.
    init(bus address: String?, _ machine: (_ tokenPrefix: String) -> Machine) throws(PortalError) {
        guard let address else { throw .noBus }
        do throws(BusError) {
            bus = try BusConnection(address: address)
        } catch {
            throw error == .noLibrary ? .noLibrary : .noBus
        }
        // Other programs must not guess the paths of the portal's objects (org.freedesktop.portal.Request).
        self.machine = machine("kinecast_\(String(UInt64.random(in: .min ... .max), radix: 16))")
    }

    /// Continues as far as possible without waiting, and returns the new events.
    func process() -> [Machine.Event] {
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

    func handle(_ input: Machine.Input) {
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

    private func subscribe(to portal: String) {
        guard subscribed.insert(portal).inserted else { return }
        match(portal, Portal.request, "Response") { .responded(path: $0.path, $0.arguments) }
        match(portal, Portal.session, "Closed") { .sessionClosed(path: $0.path) }
        Machine.subscribe(self, to: portal)
    }

    /// Matches the portal's unique name, so that no other program's signals count. One match serves all requests: the state
    /// machine compares their paths.
    func match(
        _ portal: String, _ interface: String, _ member: String, _ input: @escaping (BusSignal) -> Machine.Input
    ) {
        bus.match("type='signal',sender='\(portal)',interface='\(interface)',member='\(member)'") {
            [weak self] signal in
            if signal.sender == portal { self?.handle(input(signal)) }
        }
    }
}

extension PortalSession where Machine.Input == PortalDialogInput {
    /// Waits until the bus has the messages that close the dialog. The end of the connection also closes it.
    func cancel(timeout: Int64) {
        handle(.cancel)
        bus.process()
        let deadline = MonotonicClock.now() + timeout
        while bus.pollEntries.contains(where: { $0.events & Int16(POLLOUT) != 0 }), MonotonicClock.now() < deadline {
            PollLoop.wait(for: bus, until: deadline)
            _ = process()
        }
    }
}

/// The failure of a portal, or of the way to it.
public enum PortalError: Swift.Error, Sendable, Equatable {
    /// libsystemd is not installed.
    case noLibrary
    /// The environment names no bus, or there is none at the address.
    case noBus
    case busLost
    /// No portal on the bus has the interface, and the bus cannot start one.
    case noPortal
    /// The portal has ended, or does not answer.
    case portalLost
    /// The person has closed the dialog or was not asked, or the desktop has declined for another reason. GNOME does not say which.
    case declined
    case closed
    /// The portal answered with an error; its name and message, cleaned for display.
    case refused(name: String, message: String)
    /// The portal's answer is malformed; the reason, for the end of a sentence.
    case malformed(String)

    /// - Parameter isFirst: for the first call of the interface.
    init(_ error: BusError, isFirst: Bool) {
        switch error {
        case .noLibrary: self = .noLibrary
        case .unreachable: self = .noBus
        case .closed: self = .busLost
        case .malformed: self = .malformed("its values are nested too deeply")
        case .system(let call, let error): self = .malformed("\(call) failed: \(error)")
        case .refused(let name, let message):
            let prefix = "org.freedesktop.DBus.Error."
            let kind = name.hasPrefix(prefix) ? name.dropFirst(prefix.count) : ""
            self =
                switch kind {
                // The bus sends this for a program that has ended, and sd-bus for one that does not answer.
                case "NoReply": .portalLost
                // The name has no owner, and the bus cannot start one.
                case "ServiceUnknown", "NameHasNoOwner": .noPortal
                case _ where isFirst && Self.missingInterface.contains(kind): .noPortal
                default: .refused(name: name.printable(limit: 100), message: message.printable(limit: 300))
                }
        }
    }

    /// A portal whose backend lacks the interface does not have it either.
    private static let missingInterface: Set<Substring> = [
        "UnknownInterface", "UnknownMethod", "UnknownObject", "UnknownProperty", "InvalidArgs",
    ]
}

extension BusConnection.Answer {
    /// - Parameter isFirst: as for `PortalError`.
    func portalValues(isFirst: Bool = false) throws(PortalError) -> [BusValue] {
        do throws(BusError) { return try get() } catch { throw PortalError(error, isFirst: isFirst) }
    }
}
