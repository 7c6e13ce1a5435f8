// The errors of a control channel.
import SystemPackage

public enum ControlError: Swift.Error, Equatable, Sendable {
    /// The process at the other end belongs to another user.
    case foreignPeer(uid: Int64)
    /// The received bytes are invalid.
    case protocolError(ControlDecoder.Error)
    /// The other end has closed.
    case closed
    /// The other end has not read for so long that the waiting messages exceed their buffer.
    case peerTooSlow
    /// A message is too long, or cannot be encoded as JSON; the reason.
    case unencodable(String)
    /// The path is longer than a unix socket's address allows, in bytes.
    case pathTooLong(String, limit: Int)
    /// A system call failed.
    case system(call: String, Errno)
}

// One sentence for each error of a control channel: what happened, on what, and what to do.
extension ControlError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .foreignPeer(let uid):
            "The process at the other end of the control socket belongs to user \(uid); use that user's account instead."
        case .protocolError(let error): error.description
        case .closed: "The process at the other end of the control socket has ended; kinecast status shows what runs."
        case .peerTooSlow:
            "The process at the other end of the control socket does not read; stop it, or wait until it answers."
        case .unencodable(let reason):
            "A control message cannot be sent (\(reason)); shorten what it says, or report this."
        case .pathTooLong(let path, let limit):
            "The socket path \(path) is longer than the \(limit) bytes that unix sockets allow; "
                + "set XDG_RUNTIME_DIR or TMPDIR to a shorter directory."
        case .system(let call, let errno):
            "The control socket failed in \(call): \(errno); try again, or see kinecast doctor."
        }
    }
}

extension ControlDecoder.Error: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLarge(let length, let limit):
            "A control message of \(length) bytes was announced, and \(limit) is the limit; the connection is closed."
        case .notKinecast:
            "The process at the other end of the control socket is not Kinecast; stop it, or choose another take."
        case .version(let theirs):
            "The other process speaks version \(theirs) of the control protocol and this one version "
                + "\(ControlHello.currentVersion); use the kinecast and kinecast-engine of one installation."
        case .malformed(let reason):
            "A control message cannot be understood (\(reason)); use the kinecast and kinecast-engine of one installation."
        }
    }
}
