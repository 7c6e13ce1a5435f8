// The state that the handler's thread and the control thread of one broadcast share: the connection and the requests.
import CLinux
import Glibc
import KinePlatform
import KineWire
import Synchronization
import SystemPackage

/// One broadcast's connection with its engine, in an extension.
package final class BroadcastSession: Sendable {
    private struct State {
        var requests: [ExtensionRequest] = []
        var isClosed = false
        var handlerHasFailed = false
        var hasEnded = false
        /// Wakes the handler's thread.
        var wakePoint: WakePoint?
        var link: BroadcastLink?
        var finishSeconds = 5.0
    }

    let connection: ExtensionConnection
    /// Wakes the control thread.
    let signal = WakeSignal()
    private let state = Mutex(State())

    /// Takes ownership of the socket.
    package init(adopting socket: FileDescriptor) throws(ControlError) {
        connection = try ExtensionConnection(adopting: socket, receivingDescriptors: true)
    }

    // MARK: The handler's thread

    func attach(_ wakePoint: WakePoint, link: BroadcastLink) {
        state.withLock { state in
            state.wakePoint = wakePoint
            state.link = link
        }
    }

    /// The requests since the last call. A request that the engine sent before a sample is returned before that sample is read from
    /// the ring, even if the control thread has not read it yet: both threads read under the same lock.
    func nextRequests() -> (requests: [ExtensionRequest], isClosed: Bool) {
        read()
        return state.withLock { state in
            defer { state.requests.removeAll() }
            return (state.requests, state.isClosed)
        }
    }

    /// Ends the session. Called when no callback runs any more.
    func end() {
        state.withLock { $0.hasEnded = true }
        signal.signal()
    }

    // MARK: Any thread

    package var hasEnded: Bool { state.withLock { $0.hasEnded } }
    var isClosed: Bool { state.withLock { $0.isClosed } }
    var handlerHasFailed: Bool { state.withLock { $0.handlerHasFailed } }
    var finishSeconds: Double { state.withLock { $0.finishSeconds } }

    /// Sends what the socket accepts of a report; the control thread sends the rest. Reading detects a dead engine.
    func send(_ report: ExtensionReport) {
        if let reason = connection.deliver(report) {
            switch report {
            case .desktop(let request):
                let failure = DesktopFailure(.invalid, reason)
                EngineLink.shared.received(.desktop(.failed(failure, number: request.number)), descriptors: [])
            case .failed: send(.failed(reason))
            default: send(.log(ExtensionLogLine(.error, reason)))
            }
        }
        if connection.pollEvents & Int16(POLLOUT) != 0 { signal.signal() }
    }

    func handlerFailed() {
        let wakePoint = state.withLock { state in
            state.handlerHasFailed = true
            return state.wakePoint
        }
        wakePoint?.wake()
        signal.signal()
    }

    /// The handler's own counts. The engine counts the samples itself.
    var statistics: ExtensionStatistics {
        state.withLock { $0.link }?.counted.withLock { $0 } ?? ExtensionStatistics()
    }

    // MARK: The control thread

    /// Reads the available requests, and wakes the handler's thread if there were any.
    func readAndWake() { read()?.wake() }

    /// Reads the available requests. Returns the wake point of the handler's thread if there were any.
    @discardableResult
    private func read() -> WakePoint? {
        state.withLock { state in
            guard !state.isClosed, connection.hasInput else { return nil }
            do throws(ControlError) {
                for request in try connection.readAvailable() {
                    switch request {
                    case .start(let start):
                        state.finishSeconds = start.finishSeconds
                        state.requests.append(request)
                    // Handled at once: a caller may be blocking the handler's thread until the answer.
                    case .desktop: EngineLink.shared.received(request, descriptors: [])
                    case .frameReceiver:
                        EngineLink.shared.received(
                            request, descriptors: [connection.removeFirstDescriptor()].compactMap(\.self))
                    default: state.requests.append(request)
                    }
                }
                if connection.isClosed { state.isClosed = true }
            } catch {
                // The engine is gone, or its messages are unreadable.
                state.isClosed = true
            }
            return state.wakePoint
        }
    }
}
