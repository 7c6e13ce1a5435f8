// A screen cast by the desktop's portal, for a thread that polls.
import Glibc
import KinePlatform

/// A screen cast at the desktop's portal. Lives as long as its bus connection: a release ends it. Used on one thread.
///
/// The portal reads /proc of the process that asks, so that process must not be undumpable.
public final class ScreenCastSession: PollSource {
    public enum Event: Sendable, Equatable {
        /// Replaces the token that was given; nil: that one is used up or refused, and there is no new one.
        case restoreToken(String?)
        /// `remote` is a PipeWire socket that shows only this stream. Closed with its last reference.
        case opened(ScreenCastStream, remote: BusDescriptor)
        /// The last event.
        case ended(Error)
    }

    private let session: PortalSession<ScreenCastStateMachine>

    /// Starts to ask, without waiting: call `process` whenever the thread wakes.
    ///
    /// - Parameters:
    ///   - restoreToken: from an earlier session; without one the portal asks the person.
    ///   - address: of the user's bus (`BusAddresses`); nil: there is none.
    public init(_ request: ScreenCastRequest, restoreToken: String?, bus address: String?) throws(Error) {
        do throws(PortalError) {
            session = try PortalSession(bus: address) { prefix in
                ScreenCastStateMachine(request, restoreToken: restoreToken, tokenPrefix: prefix)
            }
        } catch {
            throw Error(error, at: .readProperties)
        }
    }

    /// For poll; a negative descriptor once the connection is closed.
    public var pollEntries: [pollfd] { session.bus.pollEntries }

    /// The latest instant to call `process`, nanoseconds of CLOCK_MONOTONIC; nil: after poll returns.
    public var nextDeadline: Int64? { session.bus.nextDeadline }

    /// Continues as far as possible without waiting, and returns the new events.
    public func process() -> [Event] { session.process() }

    /// Ends the cast: closes the dialog and sends no more events. Waits for `timeout` nanoseconds at most.
    public func cancel(timeout: Int64) { session.cancel(timeout: timeout) }
}

extension ScreenCastStateMachine: PortalStateMachine {}

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

extension ScreenCastSession.Error {
    init(_ error: PortalError, at step: ScreenCastSession.Step) {
        self =
            switch error {
            case .noLibrary: .noLibrary
            case .noBus: .noBus
            case .busLost: .busLost
            // Later calls name a portal that has answered before.
            case .noPortal: step == .readProperties ? .noPortal : .portalLost
            case .portalLost: .portalLost
            case .declined: .declined
            case .closed: .closed
            case .refused(let name, let message): .refused(step, name: name, message: message)
            case .malformed(let reason): .malformed(step, reason)
            }
    }
}
