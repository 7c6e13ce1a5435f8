// The same bytes through a real socket and a client's end of a control channel.
import FuzzDriver
import Glibc
import KineWire
import SystemPackage

/// Sends the bytes through a socket in pieces of that size, or larger where there would be too many pieces. Returns what the client
/// receives.
func receive(_ bytes: [UInt8], pieces: Int) -> Decoded {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0,
        let client = try? ClientConnection(adopting: FileDescriptor(rawValue: ends[0]))
    else { preconditionFailure("no socket") }
    defer { close(ends[1]) }
    var result = Decoded()
    func read() {
        do throws(ControlError) {
            result.messages += try client.readAvailable()
        } catch {
            guard case .protocolError = error else { preconditionFailure("\(error)") }
            precondition(!result.failed, "a fault was told twice")
            result.failed = true
        }
    }
    let size = max(pieces, bytes.count / 64)
    for start in stride(from: 0, to: bytes.count, by: size) {
        let piece = Array(bytes[start..<min(start + size, bytes.count)])
        // Fails where the client has broken off.
        guard send(ends[1], piece, piece.count, Int32(MSG_NOSIGNAL)) == piece.count else { break }
        read()
    }
    shutdown(ends[1], Int32(SHUT_WR))
    // The client first returns the messages that were complete before the fault, and throws on the next call.
    read()
    precondition(client.isClosed, "the end was not seen")
    read()
    return result
}
