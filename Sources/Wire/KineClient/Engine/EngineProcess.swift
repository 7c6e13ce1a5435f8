// Starts the engine for a take.
import Glibc
import KinePlatform
import KineText
import KineWire
import SystemPackage

// Clients name the engine that they use; KineWire finds it.
@_exported import struct KineWire.EngineLocator

/// An engine that this process started, with its control channel.
struct EngineProcess: Sendable {
    let process: ChildProcess
    let connection: ClientConnection
    let log: EngineLog

    /// Starts an engine in its own session, so that the terminal's signals do not reach it and it outlives this
    /// process. Its descriptors: 0 is /dev/null, 1 `output` or /dev/null, 2 the log, 3 its end of the control channel.
    ///
    /// - Parameter hidden: the names of variables that it does not inherit.
    static func start(
        _ locator: EngineLocator, writing output: FileDescriptor? = nil, hiding hidden: [String] = []
    ) throws(ClientError) -> EngineProcess {
        let executable = try locator.engine()
        let log = EngineLog()
        do {
            let (connection, engineEnd) = try ClientConnection.pair(receivingDescriptors: true)
            defer { try? engineEnd.close() }
            var options = ChildProcess.Options()
            options.descriptors = [nil, output, log.descriptor, engineEnd]
            options.newSession = true
            // The engine has stream keys in memory, which must not get into a core file.
            options.confinement = ChildProcess.Confinement()
            options.confinement?.noNewPrivileges = false
            let variables = ProcessEnvironment.current.filter { variable in
                !hidden.contains { variable.hasPrefix("\($0)=") }
            }
            let process = try ChildProcess(
                executable: executable.escaped, arguments: [], environment: variables, options: options)
            return EngineProcess(process: process, connection: connection, log: log)
        } catch {
            throw .engineCannotStart(executable: executable, ClientError.StartFault(error))
        }
    }

    /// Ends an engine that has not received a request for a take.
    func giveUp() {
        connection.close()
        _ = process.end(deadline: MonotonicClock.now() + 1_000_000_000)
    }
}

extension ClientError.StartFault {
    init(_ error: any Error) {
        self = (error as? ControlError).map(Self.control) ?? .system(error as? Errno ?? .ioError)
    }
}

// Finds the engine, with the errors of this target.
extension EngineLocator {
    /// Like `locate`, but throws `ClientError`.
    public func engine() throws(ClientError) -> FilePath {
        do throws(EngineLocator.Error) {
            return try locate()
        } catch {
            throw .locator(error)
        }
    }
}

/// The standard error of the engine and its helpers, as a bounded file in memory. It outlives the client, so the engine
/// never writes into a closed pipe. It explains the engine's death without leaving a log file. Owns its descriptor.
final class EngineLog: Sendable {
    /// The most bytes; later output is lost.
    static let limit = 256 * 1024
    /// The environment variable that makes the engine write on this process's standard error instead.
    static let variable = "KINECAST_DEBUG"

    /// Nil if the engine writes to this process's standard error: the variable is set, or memfds do not exist.
    private let log: MemoryLog?

    init() { log = getenv(Self.variable) == nil ? MemoryLog(name: EngineLocator.name, limit: Self.limit) : nil }

    var descriptor: FileDescriptor { log?.descriptor ?? .standardError }

    /// The line that says most about the engine's death; nil if nothing was written.
    func stderrTail() -> String? { log?.stderrTail() }
}
