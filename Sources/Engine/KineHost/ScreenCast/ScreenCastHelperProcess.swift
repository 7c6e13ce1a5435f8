// The process `kinecast-engine --screen-cast`: the screen cast of one source. A portal reads /proc of the process that
// asks and refuses one that is not dumpable, as engines are not.
import KineDesktop
import KinePlatform
import KineWire
import SystemPackage

/// Asks the portal for the engine at the other end of a socket, and keeps the cast until that end closes. Main thread.
public final class ScreenCastHelperProcess {
    private typealias Connection = ControlConnection<ScreenCastOrder, ScreenCastReport>

    /// Nanoseconds to send the last messages.
    private static let flushTimeout: Int64 = 1_000_000_000

    private let connection: Connection
    /// Why a token was not saved.
    private var storeProblem: String?

    public init(engine: FileDescriptor) throws(ControlError) { connection = try Connection(adopting: engine) }

    /// Serves until the engine has ended, or the cast. Returns the exit status of the process.
    public func run() -> Int32 {
        guard let order = waitForOrder() else { return 0 }
        do throws(ScreenCastSession.Error) { try cast(order) } catch { tell(.ended(error)) }
        _ = connection.drain(until: MonotonicClock.now() + Self.flushTimeout)
        return 0
    }

    private func waitForOrder() -> ScreenCastOrder? {
        while !connection.isClosed {
            if let order = try? connection.receive(until: .max).first { return order }
        }
        return nil
    }

    /// Returns when the engine has ended; throws when the cast has ended.
    private func cast(_ order: ScreenCastOrder) throws(ScreenCastSession.Error) {
        // Without a directory for tokens, the person is asked each time.
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
                    if let monitor = order.monitor, monitor.differs(from: stream) {
                        // With this token, the portal would never show the requested monitor.
                        keep(nil, for: order, in: tokens)
                        problem = monitor.mismatchSentence
                    }
                    tell(.opened(stream, problem: problem), FileDescriptor(rawValue: remote.rawValue))
                case .ended(let error): throw error
                }
            }
            PollLoop.wait(for: session, connection)
            // An error closes the connection, which ends the loop. The engine sends nothing more.
            _ = try? connection.readAvailable()
        }
        session.cancel(timeout: Self.flushTimeout)
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

    /// If the report cannot be sent, closes the connection: the loop ends, and the engine does not wait for the report.
    private func tell(_ report: ScreenCastReport, _ descriptor: FileDescriptor? = nil) {
        if connection.deliver(report, descriptors: descriptor.map { [$0] } ?? []) != nil { connection.close() }
    }
}
