// An engine that is started before its take is known.
import KinePlatform
import KineWire
import Synchronization
import SystemPackage

/// An engine that knows this program's executable. So the program can forbid the dump of its memory, which hides its executable too,
/// before it reads a secret. Ends with its last reference, unless `EngineSession.start` took it.
public final class WaitingEngine: Sendable {
    private static let timeout: Int64 = 10_000_000_000

    private let engine: Mutex<EngineProcess?>

    /// Blocks until the engine has looked.
    ///
    /// - Parameters:
    ///   - writesToStandardOutput: whether its take does.
    ///   - variables: the names of those with secrets, which it does not inherit.
    public init(
        writesToStandardOutput: Bool, hiding variables: [String], locator: EngineLocator = EngineLocator()
    ) throws(ClientError) {
        let engine = try EngineProcess.start(
            locator, writing: writesToStandardOutput ? .standardOutput : nil, hiding: variables)
        self.engine = Mutex(engine)
        let deadline = MonotonicClock.now() + Self.timeout
        // It sends its hello after that. Without one, the take's start says why.
        while engine.connection.peerHello == nil, !engine.connection.isClosed, MonotonicClock.now() < deadline {
            guard (try? engine.connection.readAvailable()) != nil else { return }
            if engine.connection.peerHello == nil { PollLoop.wait(for: engine.connection, until: deadline) }
        }
    }

    deinit { take()?.giveUp() }

    func take() -> EngineProcess? {
        engine.withLock { engine in
            defer { engine = nil }
            return engine
        }
    }
}
