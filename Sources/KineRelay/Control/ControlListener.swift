// The socket on which an engine takes further clients, which ask for its status, pause it or stop it.
import CLinux
import Glibc
import SystemPackage

/// A listening control socket. Owns its descriptor and its socket file's name until it goes away; the directory around it,
/// open to its owner only, belongs to the registry.
public final class ControlListener: Sendable {
    /// The socket, for poll: readable when a client waits.
    public let descriptor: FileDescriptor

    /// Binds `path`, which must not exist.
    public init(path: FilePath) throws(ControlError) {
        do {
            descriptor = try UnixSocket.listen(at: path)
        } catch {
            if error == .fileNameTooLong { throw .pathTooLong(path.string, limit: UnixSocket.pathLimit) }
            throw .system(call: "bind", error)
        }
    }

    deinit { try? descriptor.close() }

    /// Every client that waits; does not block. A process of another user is turned away, and one that is already gone
    /// is forgotten. `isExhausted`: one waits still, for whom there is no descriptor. The socket stays readable then, and
    /// should not be polled for a moment.
    public func acceptWaiting() -> (connections: [EngineConnection], isExhausted: Bool) {
        var connections: [EngineConnection] = []
        while connections.count < 16 {
            do throws(Errno) {
                guard let accepted = try UnixSocket.accept(descriptor) else { break }
                if let connection = try? EngineConnection(adopting: accepted) { connections.append(connection) }
            } catch {
                return (connections, true)
            }
        }
        return (connections, false)
    }
}
