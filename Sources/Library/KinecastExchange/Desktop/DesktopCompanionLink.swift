// An app's companion: `kinecast-engine --desktop`, which uses the bus and the X display, so that the app links neither.
import KinePlatform
import KineText
import KineWire
import Synchronization
import SystemPackage

/// One companion and the thread that talks to it.
final class DesktopCompanionLink: Sendable {
    private typealias Connection = ControlConnection<DesktopAnswer, DesktopRequest>

    private let requests = Mailbox<DesktopRequest>()
    private let hasBegun = Mutex(false)
    private let channel: DesktopChannel

    init(to channel: DesktopChannel) { self.channel = channel }

    func send(_ request: DesktopRequest, _ locator: @escaping @Sendable () -> EngineLocator) {
        requests.post(request)
        let isFirst = hasBegun.withLock { hasBegun in
            defer { hasBegun = true }
            return !hasBegun
        }
        guard isFirst else { return }
        do throws(Errno) {
            _ = try DedicatedThread(starting: "kine-desktop") { [self] in run(locator()) }
        } catch {
            channel.lost(
                self, DesktopFailure(.failed, DedicatedThread.explanation(of: error, thread: "kine-desktop")))
        }
    }

    private func run(_ locator: EngineLocator) {
        do throws(DesktopFailure) {
            let (connection, process) = try Self.start(locator)
            serve(connection)
            let failure = DesktopFailure(.failed, "kinecast-engine --desktop ended unexpectedly; try again.")
            channel.lost(self, failure)
            connection.close()
            // The companion may still have notifications.
            _ = process.wait()
        } catch {
            channel.lost(self, error)
        }
    }

    /// Returns when the companion has closed its end of the socket.
    private func serve(_ connection: Connection) {
        while !connection.isClosed {
            for request in requests.drain() {
                if let reason = connection.deliver(request) {
                    channel.received(.failed(DesktopFailure(.invalid, reason), number: request.number))
                }
            }
            PollLoop.wait(for: requests, connection)
            guard let answers = try? connection.readAvailable() else { return }
            for answer in answers { channel.received(answer) }
        }
    }

    /// The companion outlives the app only for its notifications: the closed socket tells it that the app has ended.
    private static func start(_ locator: EngineLocator) throws(DesktopFailure) -> (Connection, ChildProcess) {
        let executable: FilePath
        do throws(EngineLocator.Error) {
            executable = try locator.locate()
        } catch {
            throw DesktopFailure(.unavailable, error.description)
        }
        do {
            let (connection, farEnd) = try Connection.pair()
            defer { try? farEnd.close() }
            var options = ChildProcess.Options()
            options.descriptors = [nil, nil, nil, farEnd]
            options.newSession = true
            let process = try ChildProcess(
                executable: executable.escaped, arguments: ["--desktop"], environment: ProcessEnvironment.current,
                options: options)
            return (connection, process)
        } catch {
            throw DesktopFailure(
                .unavailable, "\(executable) cannot be started (\(error)); check its permissions and ulimit.")
        }
    }
}
