// Carries out a ScreenCastStateMachine on a bus, for a thread that polls.
import Glibc

/// A screen cast at the desktop's portal. It lives as long as its connection to the bus: releasing it ends the cast. Used on one thread.
///
/// The portal looks at the process that asks (its /proc), so that process must not have made itself undumpable.
public final class ScreenCastSession {
    public enum Event: Sendable, Equatable {
        /// To be kept instead of the token that was given; nil: that one is used up or refused, and there is no other.
        case restoreToken(String?)
        /// `remote` is PipeWire's socket, on which only this stream is seen. It is closed with its last holder.
        case opened(ScreenCastStream, remote: BusDescriptor)
        /// The last event.
        case ended(Error)
    }

    private let bus: BusConnection
    private var machine: ScreenCastStateMachine
    private var events: [Event] = []
    private var isConnected = false

    /// Begins to ask. Nothing waits: call `process` whenever the thread wakes.
    ///
    /// - Parameters:
    ///   - restoreToken: of an earlier session; without one the person is asked.
    ///   - address: of the user's bus (`BusAddresses`); nil: there is none.
    public init(_ request: ScreenCastRequest, restoreToken: String?, bus address: String?) throws(Error) {
        guard let address else { throw .noBus }
        do throws(BusError) {
            bus = try BusConnection(address: address)
        } catch {
            throw error == .noLibrary ? .noLibrary : .noBus
        }
        // Others must not guess the paths of the portal's objects (org.freedesktop.portal.Request).
        let prefix = "kinecast_\(String(UInt64.random(in: .min ... .max), radix: 16))"
        machine = ScreenCastStateMachine(request, restoreToken: restoreToken, tokenPrefix: prefix)
    }

    /// For poll; a negative descriptor once the connection is closed.
    public var pollEntry: pollfd { bus.pollEntry }

    /// The latest instant to call `process`, nanoseconds of CLOCK_MONOTONIC; nil: not before poll returns.
    public var nextDeadline: Int64? { bus.nextDeadline }

    /// Messages to the portal still wait for the bus to read.
    public var hasUnsentMessages: Bool { bus.pollEntry.events & Int16(POLLOUT) != 0 }

    /// Goes on as far as possible, and returns what has happened.
    public func process() -> [Event] {
        bus.process()
        if !isConnected, let name = bus.uniqueName {
            isConnected = true
            handle(.connected(as: name))
            bus.process()
        }
        if bus.isClosed { handle(.busLost) }
        defer { events = [] }
        return events
    }

    /// Ends the cast: a dialog goes away, and no event comes any more. The messages that say so go out while `process` is called.
    public func cancel() {
        handle(.cancel)
        events = []
        bus.process()
    }

    private func handle(_ input: ScreenCastStateMachine.Input) {
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

    /// By the portal's unique name, so that nobody else's signals are taken for its own. Not by path: a response may come before it is
    /// known which path its request has.
    private func subscribe(to portal: String) {
        bus.match(Self.rule(portal, ScreenCastPortal.request, "Response")) { [weak self] signal in
            guard signal.sender == portal else { return }
            self?.handle(.responded(path: signal.path, signal.arguments))
        }
        bus.match(Self.rule(portal, ScreenCastPortal.session, "Closed")) { [weak self] signal in
            guard signal.sender == portal else { return }
            self?.handle(.sessionClosed(path: signal.path))
        }
        bus.match(BusDaemon.ownerRule(of: portal)) { [weak self] signal in
            guard signal.sender == BusDaemon.name, let change = BusDaemon.ownerChange(signal), change.name == portal,
                change.isGone
            else { return }
            self?.handle(.portalLost)
        }
    }

    private static func rule(_ sender: String, _ interface: String, _ member: String) -> String {
        "type='signal',sender='\(sender)',interface='\(interface)',member='\(member)'"
    }
}

// The reasons why a screen cast ends. They travel between processes; KineHost makes the sentences.
extension ScreenCastSession {
    /// What the portal was asked for.
    public enum Step: String, Codable, Sendable, CaseIterable {
        case readProperties
        case findPortal
        case createSession
        case selectSources
        case start
        case openRemote
    }

    public enum Error: Swift.Error, Codable, Sendable, Equatable {
        /// libsystemd is not installed.
        case noLibrary
        /// The environment names no bus, or nobody listens there.
        case noBus
        /// The bus has gone away.
        case busLost
        /// There is no portal on the bus that casts the screen, and the bus cannot start one.
        case noPortal
        /// The portal has gone away, or does not answer.
        case portalLost
        /// The portal casts no sources of that kind.
        case notOffered(ScreenCastRequest.Target)
        /// The person said no.
        case declined
        /// The portal has ended the request for another reason, which it does not tell.
        case interrupted(Step)
        /// The portal answered with an error; its name, and its words, fit to be shown.
        case refused(Step, name: String, message: String)
        /// The portal's answer is none; the reason, for the end of a sentence.
        case malformed(Step, String)
        /// The portal has closed the session, as it does when the person ends it in the desktop.
        case closed
    }
}
