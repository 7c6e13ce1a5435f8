// The engine's side of a process `kinecast-engine --screen-cast`.
import KineDesktop
import KinePlatform
import KineText
import KineWire
import SystemPackage

/// A screen cast that the person has permitted.
package struct ScreenCast: Sendable {
    package var stream: ScreenCastStream
    /// A PipeWire socket (`pw_context_connect_fd`) that shows only this stream. The receiver closes it.
    package var remote: FileDescriptor
    /// A sentence: why the person will be asked again next time; nil: they will probably not.
    package var problem: String?
}

/// A process that asks the desktop's portal for a screen cast and keeps it. A release of this object ends both, with
/// the portal's dialog. Used by one thread.
///
/// Poll `descriptor` and call `processEvents` right before each poll, as for a `VideoSourceOpening`: until it returns
/// the cast, and later to detect its end.
package final class ScreenCastHelper {
    package enum Error: Swift.Error, Equatable, Sendable {
        case cannotStart(Errno)
        /// The socket between the two processes failed.
        case connection(ControlError)
        /// The process has ended without a reason.
        case died
        /// The cast has not begun, or the portal or the bus has ended.
        case cast(ScreenCastSession.Error)
        /// The desktop has ended a running cast, for example at the person's request.
        case closed
        case givenUp
    }

    private typealias Connection = ControlConnection<ScreenCastReport, ScreenCastOrder>

    private enum State {
        case asking
        case open
        case over(Error)
    }

    /// Nanoseconds for the process to close the dialog after its socket was closed.
    private static let timeout: Int64 = 2_000_000_000

    private let connection: Connection
    private let process: ChildProcess
    private var state = State.asking

    /// Starts the process without waiting.
    ///
    /// - Parameters:
    ///   - executable: the engine's; nil: this process's own.
    ///   - environment: `NAME=value`, with the bus and the place of the person's permissions; nil: this process's own.
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
        do throws(ControlError) { try connection.send(order) } catch { throw .connection(error) }
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
        // The process ends by itself; if it hangs, it is killed.
        _ = process.end(signal: 0, deadline: MonotonicClock.now() + Self.timeout)
    }

    /// For poll: readable when `processEvents` has something to do.
    package var descriptor: Int32 { connection.descriptor.rawValue }

    package var pid: Int32 { process.pid }

    /// Handles the process's messages without waiting. Returns the cast once, after the person has permitted it,
    /// otherwise nil. Throws when the cast has ended, and in each later call.
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
        // If the cast has ended already, the next call throws.
        if let cast { return cast }
        if case .over(let error) = state { throw error }
        if connection.isClosed { throw end(.died) }
        return nil
    }

    /// Closes the portal's dialog, or ends the cast. Afterwards `processEvents` throws.
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

/// The engine's only message: the requested screen cast.
package struct ScreenCastOrder: Codable, Sendable, Equatable, ControlMessage {
    /// A monitor that was requested by name. The portal cannot select it: the person has to choose it.
    package struct Monitor: Codable, Sendable, Equatable {
        package var name: String
        /// Its position in the desktop, if known.
        package var position: ScreenCastStream.Position?

        package init(name: String, position: ScreenCastStream.Position?) {
            (self.name, self.position) = (name, position)
        }

        /// Whether a stream shows another monitor, as far as known. A portal that reports another kind of source than
        /// requested (`ScreenCastStream.target`) has no monitor positions either.
        func differs(from stream: ScreenCastStream) -> Bool {
            guard let position, let shown = stream.position, stream.target == .monitor else { return false }
            return position != shown
        }
    }

    package var request: ScreenCastRequest
    /// The app's identifier, under which the person's permission is kept.
    package var application: String
    /// Ask the person even if they have permitted it before.
    package var asksAnew: Bool
    /// Nil: any monitor. Permissions are kept per monitor.
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

enum ScreenCastReport: Codable, Sendable, Equatable, ControlMessage {
    /// Comes with PipeWire's descriptor. `problem`: a sentence: why the person will be asked again next time.
    case opened(ScreenCastStream, problem: String?)
    case ended(ScreenCastSession.Error)
}
