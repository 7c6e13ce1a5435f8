// The desktop's file dialog, in which a person chooses where to save a file, for a thread that polls.
import Glibc
import KinePlatform

public struct SaveDialogRequest: Sendable, Equatable {
    /// The title of the dialog.
    public var title: String
    /// The name of the file that is proposed.
    public var name: String
    /// The directory that is shown first, an absolute path as `String(escaping:)`; nil: the desktop's choice.
    public var directory: String?

    public init(title: String, name: String, directory: String?) {
        (self.title, self.name, self.directory) = (title, name, directory)
    }
}

/// One dialog. Lives as long as its bus connection: a release closes it. Used on one thread.
public final class SaveDialogSession: PollSource {
    /// One event comes.
    public enum Event: Sendable, Equatable {
        /// The desktop has a file dialog. Only without a request.
        case found
        /// An absolute path, as `String(escaping:)`. If a file is there, the person wants it replaced.
        case chosen(path: String)
        /// `declined`: the person has closed the dialog.
        case failed(PortalError)
    }

    private let session: PortalSession<SaveDialogStateMachine>

    /// Starts to ask, without waiting: call `process` whenever the thread wakes.
    ///
    /// - Parameters:
    ///   - request: nil: shows nothing, and only looks whether the desktop has a file dialog.
    ///   - address: of the user's bus (`BusAddresses`); nil: there is none.
    public init(_ request: SaveDialogRequest?, bus address: String?) throws(PortalError) {
        session = try PortalSession(bus: address) { SaveDialogStateMachine(request, tokenPrefix: $0) }
    }

    /// For poll; a negative descriptor once the connection is closed.
    public var pollEntries: [pollfd] { session.bus.pollEntries }

    /// The latest instant to call `process`, nanoseconds of CLOCK_MONOTONIC; nil: after poll returns.
    public var nextDeadline: Int64? { session.bus.nextDeadline }

    /// Continues as far as possible without waiting, and returns the new events.
    public func process() -> [Event] { session.process() }

    /// Closes the dialog, and sends no event. Waits for `timeout` nanoseconds at most.
    public func cancel(timeout: Int64) { session.cancel(timeout: timeout) }
}

extension SaveDialogStateMachine: PortalStateMachine {}
