// The process `kinecast-engine --screen-cast`: the screen cast of one source. A portal looks at the process that asks and refuses one
// that is not dumpable, as engines are.
import Glibc
import KineDesktop
import KinePlatform
import KineWire
import SystemPackage

/// Asks the portal for the engine at the other end of a socket, and keeps the cast until that end is closed. Used by the main thread.
public final class ScreenCastHelperProcess {
    private typealias Connection = ControlConnection<ScreenCastOrder, ScreenCastReport>

    /// Nanoseconds for the last messages.
    private static let farewell: Int64 = 1_000_000_000

    private let connection: Connection
    /// Why a token was not kept.
    private var storeProblem: String?

    public init(engine: FileDescriptor) throws(ControlError) { connection = try Connection(adopting: engine) }

    /// Serves until the engine has gone, or the cast has ended. Returns the process's exit status.
    public func run() -> Int32 {
        guard let order = waitForOrder() else { return 0 }
        do throws(ScreenCastSession.Error) {
            try cast(order)
        } catch {
            tell(.ended(error))
        }
        _ = connection.drain(until: MonotonicClock.now() + Self.farewell)
        return 0
    }

    private func waitForOrder() -> ScreenCastOrder? {
        while !connection.isClosed {
            if let order = try? connection.receive(until: .max).first { return order }
        }
        return nil
    }

    /// Returns when the engine has gone; throws when the cast has ended.
    private func cast(_ order: ScreenCastOrder) throws(ScreenCastSession.Error) {
        // Without a place for tokens the person is asked each time.
        let tokens = try? RestoreTokens.standard()
        if tokens == nil { storeProblem = RestoreTokens.Error.noHome.description }
        let token =
            order.asksAnew
            ? nil : tokens?.token(of: order.application, order.request.target, monitor: order.monitor?.name)
        let session = try ScreenCastSession(
            order.request, restoreToken: token, bus: BusAddresses.find().session)
        while !connection.isClosed {
            for event in session.process() {
                switch event {
                case .restoreToken(let token): keep(token, for: order, in: tokens)
                case .opened(let stream, let remote):
                    var problem = storeProblem
                    if let monitor = order.monitor, monitor.isAnother(than: stream) {
                        // With its token, the monitor that was asked for would never be seen.
                        keep(nil, for: order, in: tokens)
                        problem = monitor.isAnotherSentence
                    }
                    tell(.opened(stream, problem: problem), FileDescriptor(rawValue: remote.rawValue))
                case .ended(let error): throw error
                }
            }
            var entries = [
                session.pollEntry,
                pollfd(fd: connection.descriptor.rawValue, events: connection.pollEvents, revents: 0),
            ]
            WakeSignal.poll(&entries, until: session.nextDeadline)
            // After an error the connection is closed, which ends the loop. The engine has nothing more to say.
            _ = try? connection.readAvailable()
        }
        session.cancel()
        leave(session)
    }

    /// Lets the messages go out that take the dialog away. The portal also learns it from the connection's end.
    private func leave(_ session: ScreenCastSession) {
        let deadline = MonotonicClock.now() + Self.farewell
        while session.hasUnsentMessages, MonotonicClock.now() < deadline {
            var entries = [session.pollEntry]
            WakeSignal.poll(&entries, until: deadline)
            _ = session.process()
        }
    }

    private func keep(_ token: String?, for order: ScreenCastOrder, in tokens: RestoreTokens?) {
        guard let tokens else { return }
        do throws(RestoreTokens.Error) {
            if let token {
                try tokens.keep(
                    token, of: order.application, order.request.target, monitor: order.monitor?.name)
            } else {
                try tokens.remove(of: order.application, order.request.target, monitor: order.monitor?.name)
            }
            storeProblem = nil
        } catch {
            storeProblem = error.description
        }
    }

    /// A closed connection ends the loop, of which the engine hears. So does a report that cannot be sent, or it would wait for it.
    private func tell(_ report: ScreenCastReport, _ descriptor: FileDescriptor? = nil) {
        if connection.deliver(report, descriptors: descriptor.map { [$0] } ?? []) != nil { connection.close() }
    }
}
