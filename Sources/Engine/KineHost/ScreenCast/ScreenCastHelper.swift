// The engine's end of a process `kinecast-engine --screen-cast`.
import Glibc
import KineDesktop
import KinePlatform
import KineWire
import SystemPackage

/// A screen cast that the person has permitted.
package struct ScreenCast: Sendable {
    package var stream: ScreenCastStream
    /// PipeWire's socket (`pw_context_connect_fd`), on which only this stream is seen. Whoever gets it closes it.
    package var remote: FileDescriptor
    /// A sentence that says why the person will be asked again next time; nil: they will not, as far as is known.
    package var problem: String?
}

/// A process that asks the desktop's portal for a screen cast and keeps it. Releasing this object ends both, the portal's dialog too.
/// Used by one thread.
///
/// As a `VideoSourceOpening` does, poll `descriptor` and call `processEvents` right before each poll: until it returns the cast, and from
/// then on to learn that it has ended.
package final class ScreenCastHelper {
    package enum Error: Swift.Error, Equatable, Sendable {
        case cannotStart(Errno)
        /// The socket between the two processes failed.
        case connection(ControlError)
        /// The process has ended without a reason.
        case died
        /// The cast has not begun, or the portal or the bus has gone away.
        case cast(ScreenCastSession.Error)
        /// The cast had begun, and the desktop has ended it, as the person may have asked it to.
        case closed
        /// Nobody waits any more.
        case givenUp
    }

    private typealias Connection = ControlConnection<ScreenCastReport, ScreenCastOrder>

    private enum State {
        case asking
        case open
        case over(Error)
    }

    /// Nanoseconds that the process has to take the dialog away once its socket is closed.
    private static let patience: Int64 = 2_000_000_000

    private let connection: Connection
    private let process: ChildProcess
    private var state = State.asking

    /// Starts the process. Nothing waits.
    ///
    /// - Parameters:
    ///   - executable: the engine's; nil: this process's own.
    ///   - environment: `NAME=value`; nil: this process's own. It names the bus and the place for the person's permissions.
    package init(
        _ order: ScreenCastOrder, executable: FilePath? = nil, environment: [String]? = nil
    ) throws(Error) {
        guard let path = executable?.escaped ?? ExecutableSearch.own else { throw .cannotStart(.noSuchFileOrDirectory) }
        let ends: (near: Connection, farEnd: FileDescriptor)
        do throws(ControlError) {
            ends = try Connection.pair(receivingDescriptors: true)
        } catch {
            throw .connection(error)
        }
        connection = ends.near
        defer { try? ends.farEnd.close() }
        do throws(ControlError) {
            try connection.send(order)
        } catch {
            throw .connection(error)
        }
        do throws(Errno) {
            var options = ChildProcess.Options()
            options.descriptors = [nil, nil, .standardError, ends.farEnd]
            process = try ChildProcess(
                executable: path, arguments: ["--screen-cast"], environment: environment ?? ProcessEnvironment.current,
                options: options)
        } catch {
            throw .cannotStart(error)
        }
    }

    deinit {
        connection.close()
        // It ends by itself; one that hangs is killed.
        _ = process.end(signal: 0, deadline: MonotonicClock.now() + Self.patience)
    }

    /// For poll: readable when there is something to process.
    package var descriptor: Int32 { connection.descriptor.rawValue }

    /// The process's number.
    package var pid: Int32 { process.pid }

    /// Handles what the process has said, without waiting. Returns the cast once, when the person has permitted it, and nil while
    /// there is nothing new. Throws when it is over, and then each time.
    package func processEvents() throws(Error) -> ScreenCast? {
        if case .over(let error) = state { throw error }
        let reports: [ScreenCastReport]
        do throws(ControlError) {
            reports = try connection.readAvailable()
        } catch {
            throw end(.connection(error))
        }
        var cast: ScreenCast?
        for report in reports {
            switch (report, state) {
            case (.opened(let stream, let problem), .asking):
                guard let remote = connection.removeFirstDescriptor() else {
                    throw end(.cast(.malformed(.openRemote, "there is no descriptor")))
                }
                state = .open
                cast = ScreenCast(stream: stream, remote: remote, problem: problem)
            case (.opened, _): break
            case (.ended(.closed), .open): state = .over(.closed)
            case (.ended(let error), _): state = .over(.cast(error))
            }
        }
        // What was opened and has ended already is told by the next call.
        if let cast { return cast }
        if case .over(let error) = state { throw error }
        if connection.isClosed { throw end(.died) }
        return nil
    }

    /// Takes the portal's dialog away, or ends the cast. `processEvents` throws from now on.
    package func giveUp() {
        if case .over = state { return }
        _ = end(.givenUp)
        connection.close()
    }

    private func end(_ error: Error) -> Error {
        state = .over(error)
        return error
    }
}

/// The engine's only message: the screen cast that it wants.
package struct ScreenCastOrder: Codable, Sendable, Equatable, ControlMessage {
    /// A monitor that was asked for by its name. A portal cannot be told one: the person is to choose it.
    package struct Monitor: Codable, Sendable, Equatable {
        package var name: String
        /// Where it lies in the desktop; nil: not known.
        package var position: ScreenCastStream.Position?

        package init(name: String, position: ScreenCastStream.Position?) {
            (self.name, self.position) = (name, position)
        }

        /// Whether a stream shows another one, as far as can be told. A portal that names another kind of source than was asked for
        /// (`ScreenCastStream.target`) has no places of monitors either.
        func isAnother(than stream: ScreenCastStream) -> Bool {
            guard let position, let shown = stream.position, stream.target == .monitor else { return false }
            return position != shown
        }
    }

    package var request: ScreenCastRequest
    /// The app's identifier, for which the person's permission is kept.
    package var application: String
    /// The person is asked although they have permitted it before.
    package var asksAnew: Bool
    /// Nil: any. Permissions are kept for each.
    package var monitor: Monitor?

    /// - Parameter application: `AppIdentity.identifier`; "kinecast" for the command line.
    package init(
        _ request: ScreenCastRequest, application: String, asksAnew: Bool = false, monitor: Monitor? = nil
    ) {
        self.request = request
        self.monitor = monitor
        self.application = application
        self.asksAnew = asksAnew
    }
}

/// The process's messages.
enum ScreenCastReport: Codable, Sendable, Equatable, ControlMessage {
    /// Comes with one descriptor, PipeWire's. `problem`: a sentence that says why the person will be asked again next time.
    case opened(ScreenCastStream, problem: String?)
    /// The last message.
    case ended(ScreenCastSession.Error)
}
