// Carries out a ScreenCastStateMachine on a bus, for a thread that polls.
import Glibc

/// A screen cast at the desktop's portal. Lives as long as its bus connection: a release ends it. Used on one thread.
///
/// The portal reads /proc of the process that asks, so that process must not be undumpable.
public final class ScreenCastSession {
    public enum Event: Sendable, Equatable {
        /// Replaces the token that was given; nil: that one is used up or refused, and there is no new one.
        case restoreToken(String?)
        /// `remote` is a PipeWire socket that shows only this stream. Closed with its last reference.
        case opened(ScreenCastStream, remote: BusDescriptor)
        /// The last event.
        case ended(Error)
    }

    private let bus: BusConnection
    private var machine: ScreenCastStateMachine
    private var events: [Event] = []
    private var isConnected = false

    /// Starts to ask, without waiting: call `process` whenever the thread wakes.
    ///
    /// - Parameters:
    ///   - restoreToken: from an earlier session; without one the portal asks the person.
    ///   - address: of the user's bus (`BusAddresses`); nil: there is none.
    public init(_ request: ScreenCastRequest, restoreToken: String?, bus address: String?) throws(Error) {
        guard let address else { throw .noBus }
        do throws(BusError) {
            bus = try BusConnection(address: address)
        } catch {
            throw error == .noLibrary ? .noLibrary : .noBus
        }
        // Other programs must not guess the paths of the portal's objects (org.freedesktop.portal.Request).
        let prefix = "kinecast_\(String(UInt64.random(in: .min ... .max), radix: 16))"
        machine = ScreenCastStateMachine(request, restoreToken: restoreToken, tokenPrefix: prefix)
    }

    /// For poll; a negative descriptor once the connection is closed.
    public var pollEntry: pollfd { bus.pollEntry }

    /// The latest instant to call `process`, nanoseconds of CLOCK_MONOTONIC; nil: after poll returns.
    public var nextDeadline: Int64? { bus.nextDeadline }

    /// The bus has not read all messages to the portal yet.
    public var hasUnsentMessages: Bool { bus.pollEntry.events & Int16(POLLOUT) != 0 }

    /// Continues as far as possible without waiting, and returns the new events.
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

    /// Ends the cast: closes the dialog and sends no more events. Call `process` to send the last messages.
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

    /// Matches the portal's unique name, so that no other program's signals count. Does not match the path: a response
    /// may come before the path of its request is known.
    private func subscribe(to portal: String) {
        bus.match(Portal.rule(portal, Portal.request, "Response")) { [weak self] signal in
            guard signal.sender == portal else { return }
            self?.handle(.responded(path: signal.path, signal.arguments))
        }
        bus.match(Portal.rule(portal, Portal.session, "Closed")) { [weak self] signal in
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
}

// The reasons why a screen cast ends. They travel between processes; KineHost makes the sentences.
extension ScreenCastSession {
    /// The step that failed.
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
        /// The environment names no bus, or there is none at the address.
        case noBus
        case busLost
        /// No portal on the bus casts the screen, and the bus cannot start one.
        case noPortal
        /// The portal has ended, or does not answer.
        case portalLost
        /// The portal does not cast this kind of source.
        case notOffered(ScreenCastRequest.Target)
        case declined
        /// The portal has ended the request for another reason, which it does not give.
        case interrupted(Step)
        /// The portal answered with an error; its name and message, cleaned for display.
        case refused(Step, name: String, message: String)
        /// The portal's answer is malformed; the reason, for the end of a sentence.
        case malformed(Step, String)
        /// The portal has closed the session, for example because the person ended it in the desktop.
        case closed
    }
}
