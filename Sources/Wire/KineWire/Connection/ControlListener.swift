// The socket on which an engine accepts further clients, which request its status, pause it or stop it.
import CLinux
import KinePlatform
import KineText
import SystemPackage

/// A listening control socket. Owns its descriptor; the socket file's directory, open only to its owner, belongs to the
/// registry.
public final class ControlListener: Sendable {
    /// The socket, for poll: readable when a client waits.
    public let descriptor: FileDescriptor

    /// Binds `path`, which must not exist.
    public init(path: FilePath) throws(ControlError) {
        do {
            descriptor = try UnixSocket.listen(at: path)
        } catch {
            if error == .fileNameTooLong { throw .pathTooLong(path.escaped, limit: UnixSocket.pathLimit) }
            throw .system(call: "bind", error)
        }
    }

    deinit { try? descriptor.close() }

    /// Whether a process listens on the socket at `path`. Connects to it; nil if it accepts no connection now.
    public static func isListening(at path: FilePath) -> Bool? {
        do {
            let socket = try UnixSocket.connect(to: path)
            try? socket.close()
            return true
        } catch {
            return error == .connectionRefused || error == .noSuchFileOrDirectory ? false : nil
        }
    }

    /// Accepts all waiting clients; does not block. Ignores processes of other users, and clients that have already
    /// closed. `isExhausted`: a client still waits, but this process has no descriptor for it. The socket then stays
    /// readable; do not poll it for a moment.
    public func acceptWaiting<Received, Sent>(
        as type: ControlConnection<Received, Sent>.Type
    ) -> (connections: [ControlConnection<Received, Sent>], isExhausted: Bool) {
        var connections: [ControlConnection<Received, Sent>] = []
        while connections.count < 16 {
            do throws(Errno) {
                guard let accepted = try UnixSocket.accept(descriptor) else { break }
                if let connection = try? type.init(adopting: accepted) { connections.append(connection) }
            } catch {
                return (connections, true)
            }
        }
        return (connections, false)
    }
}
