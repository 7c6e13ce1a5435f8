// What the handler's thread and the control thread of one broadcast share: the connection, what has come over it, and the counts.
import CLinux
import Glibc
import KineMedia
import KinePlatform
import KineRelay
import Synchronization
import SystemPackage

/// One broadcast's connection with its engine, in an extension.
package final class BroadcastSession: Sendable {
    private struct State {
        var requests: [ExtensionRequest] = []
        var isClosed = false
        var handlerHasFailed = false
        var hasEnded = false
        /// Of the handler's thread.
        var wake: WakePoint?
        var link: BroadcastLink?
        var receiver: StreamReceiver?
        var finishSeconds = 5.0
    }

    let connection: ExtensionConnection
    /// Wakes the control thread.
    let signal = WakeSignal()
    private let state = Mutex(State())
    private let pictures = Atomic<Int64>(0)
    private let sounds = Atomic<Int64>(0)
    private let bytes = Atomic<Int64>(0)

    /// Takes the socket over.
    package init(adopting socket: FileDescriptor) throws(ControlError) {
        connection = try ExtensionConnection(adopting: socket, receivingDescriptors: true)
    }

    // MARK: The handler's thread

    func attach(_ wake: WakePoint, link: BroadcastLink) {
        state.withLock { state in
            state.wake = wake
            state.link = link
        }
    }

    var receiver: StreamReceiver? {
        get { state.withLock { $0.receiver } }
        set { state.withLock { $0.receiver = newValue } }
    }

    /// What has come since the last call. What an engine sent before a sample is here before the sample is found in the ring, also
    /// when the control thread has not got round to it: both read under the same lock.
    func takeRequests() -> (requests: [ExtensionRequest], isClosed: Bool) {
        read()
        return state.withLock { state in
            defer { state.requests.removeAll() }
            return (state.requests, state.isClosed)
        }
    }

    func takeDescriptors() -> [FileDescriptor] { connection.takeDescriptors() }

    func count(_ record: StreamReceiver.Record) {
        if record.type == .video { countPicture() } else { sounds.add(1, ordering: .relaxed) }
        bytes.add(Int64(record.bytes.count), ordering: .relaxed)
    }

    func countPicture() { pictures.add(1, ordering: .relaxed) }

    /// No callback runs any more.
    func end() {
        state.withLock { $0.hasEnded = true }
        signal.signal()
    }

    // MARK: Any thread

    package var hasEnded: Bool { state.withLock { $0.hasEnded } }
    var isClosed: Bool { state.withLock { $0.isClosed } }
    var handlerHasFailed: Bool { state.withLock { $0.handlerHasFailed } }
    var finishSeconds: Double { state.withLock { $0.finishSeconds } }

    /// Sends a report as far as the engine takes it; the control thread sends the rest. An engine that is gone is noticed
    /// where it is read from.
    func send(_ report: ExtensionReport) {
        try? connection.send(report)
        if connection.pollEvents & Int16(POLLOUT) != 0 { signal.signal() }
    }

    func handlerFailed() {
        let wake = state.withLock { state in
            state.handlerHasFailed = true
            return state.wake
        }
        wake?.poke()
        signal.signal()
    }

    var statistics: ExtensionStatistics {
        var statistics = ExtensionStatistics()
        statistics.pictures = pictures.load(ordering: .relaxed)
        statistics.sounds = sounds.load(ordering: .relaxed)
        statistics.bytes = bytes.load(ordering: .relaxed)
        let (receiver, link) = state.withLock { ($0.receiver, $0.link) }
        if let receiver {
            statistics.queuedBytes = Int64(clamping: receiver.writtenPosition &- receiver.readPosition)
        }
        statistics.sentBytes = link?.sentBytes ?? 0
        statistics.viewers = link?.viewers
        statistics.connection = link?.connection
        return statistics
    }

    // MARK: The control thread

    /// Reads what has come, and wakes the handler's thread where there was anything.
    func readAndWake() { read()?.poke() }

    /// Reads what has come; returns whom to wake for it.
    @discardableResult
    private func read() -> WakePoint? {
        state.withLock { state in
            guard !state.isClosed, connection.hasInput else { return nil }
            do throws(ControlError) {
                for request in try connection.readAvailable() {
                    if case .start(let start) = request { state.finishSeconds = start.finishSeconds }
                    state.requests.append(request)
                }
                if connection.isClosed { state.isClosed = true }
            } catch {
                // What the engine says cannot be understood, or it has gone: the broadcast ends as it does when it has gone.
                state.isClosed = true
            }
            return state.wake
        }
    }
}
