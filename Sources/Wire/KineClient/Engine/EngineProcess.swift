// Starting the engine for a take.
import Glibc
import KinePlatform
import KineWire
import SystemPackage

/// An engine that this process started, with the control channel to it.
struct EngineProcess {
    let process: ChildProcess
    let connection: ClientConnection
    let log: EngineLog

    /// Starts an engine in a session of its own, so that the terminal's signals do not reach it and it outlives this process. It
    /// gets /dev/null as descriptor 0, `output` or /dev/null as 1, the log as 2 and its end of the control channel as 3.
    static func start(
        _ locator: EngineLocator, writing output: FileDescriptor? = nil
    ) throws(ClientError) -> EngineProcess {
        let executable = try locator.engine()
        do throws(ClientError.StartFault) {
            return try start(executable, output)
        } catch {
            throw .engineCannotStart(executable: executable, error)
        }
    }

    private static func start(
        _ executable: FilePath, _ output: FileDescriptor?
    ) throws(ClientError.StartFault) -> EngineProcess {
        let log = EngineLog()
        do {
            let (connection, engineEnd) = try ClientConnection.pair(receivingDescriptors: true)
            defer { try? engineEnd.close() }
            var options = ChildProcess.Options()
            options.descriptors = [nil, output, log.descriptor, engineEnd]
            options.newSession = true
            // The engine holds stream keys, which must not end up in a core file.
            options.confinement = ChildProcess.Confinement()
            options.confinement?.noNewPrivileges = false
            let process = try ChildProcess(
                executable: executable.escaped, arguments: [], environment: ProcessEnvironment.current, options: options
            )
            return EngineProcess(process: process, connection: connection, log: log)
        } catch {
            throw ClientError.StartFault(error)
        }
    }

    /// Ends an engine that was not told of any take.
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

// The engine's place, with the errors of this target.
extension EngineLocator {
    /// As `locate`.
    public func engine() throws(ClientError) -> FilePath {
        do throws(EngineLocator.Error) {
            return try locate()
        } catch {
            switch error {
            case .namedUnusable(let path): throw .namedEngineUnusable(path)
            case .notFound(let places): throw .engineNotFound(places: places)
            case .executableUnknown: throw .executableUnknown
            }
        }
    }
}

/// A bounded file in memory that becomes the engine's standard error. It outlives the client, so the engine never writes
/// into a closed pipe. Owns its descriptor.
///
/// The standard error of the engine and its helpers, kept in memory: a death can be explained, and no take leaves a log file
/// behind.
final class EngineLog {
    /// The most bytes; later ones are lost.
    static let limit = 256 * 1024
    /// The environment variable that makes the engine write on this process's standard error instead.
    static let variable = "KINECAST_DEBUG"

    /// Nil where the engine writes on this process's standard error: the variable is set, or the kernel has no files in memory.
    private let log: MemoryLog?

    init() { log = getenv(Self.variable) == nil ? MemoryLog(name: EngineLocator.name, limit: Self.limit) : nil }

    var descriptor: FileDescriptor { log?.descriptor ?? .standardError }

    /// The line that tells most about a death; nil where nothing was written.
    func lastWords() -> String? { log?.lastWords() }
}
