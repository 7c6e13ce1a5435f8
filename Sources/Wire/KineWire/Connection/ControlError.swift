// The errors of a control channel. The sentences are in ControlError+Description.
import SystemPackage

public enum ControlError: Swift.Error, Equatable, Sendable {
    /// The process at the other end belongs to another user.
    case foreignPeer(uid: Int64)
    /// The received bytes cannot be understood.
    case protocolError(ControlDecoder.Error)
    /// The other end is gone.
    case closed
    /// The other end has not read for so long that the waiting messages outgrew their buffer.
    case peerTooSlow
    /// A message of ours is too long, or cannot be written as JSON; the reason.
    case unencodable(String)
    /// The path is longer than a unix socket's address can be, in bytes.
    case pathTooLong(String, limit: Int)
    /// A system call failed.
    case system(call: String, Errno)
}
