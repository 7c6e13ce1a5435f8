// The reasons why a group's container, or something in it, cannot be used.
import KineText
import SystemPackage

/// The error of a group's container.
public enum GroupError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text is not an identifier of a group.
    case invalidIdentifier(String)
    /// The manifest of this app or extension does not name the group.
    case notAMember(String, manifest: String)
    /// This extension does not know its groups yet: they come with `broadcastStarted`.
    case notStarted
    /// The system does not report this process's executable.
    case unknownExecutable
    /// `kinecast-app.json` cannot be read; the reason.
    case unreadableManifest(String)
    /// The groups' services in `kinecast-app.json` cannot be stored for engines to read; the reason.
    case servicesNotKept(String)
    /// The group's directory cannot be created; the reason.
    case noDirectory(String)
    /// The text cannot be the name of a file in the container.
    case invalidName(String)
    /// There is no such file, or it is not a regular file.
    case noSuchFile(String)
    /// The file became shorter while it was copied. The original stays.
    case changed(String)
    /// A file has more bytes than allowed.
    case tooLarge(String, limit: Int)
    /// This user already watches as many directories as the system allows.
    case tooManyWatches
    /// A file operation failed; its description, and the system's error.
    case system(operation: String, Errno)

    public var description: String {
        switch self {
        case .invalidIdentifier(let text):
            "“\(text.printable(limit: 100))” is no identifier of a group; use letters, digits, ., - and _, at most 100."
        case .notAMember(let group, let manifest):
            "This program is no member of the group \(group); add it to \"groups\" in \(manifest)."
        case .notStarted:
            "The engine has not told this extension its groups yet; open the container in broadcastStarted or later."
        case .unknownExecutable: "The system does not say which executable this process runs; mount /proc."
        case .unreadableManifest(let reason): "This app's manifest cannot be read: \(reason)"
        case .servicesNotKept(let reason): "The services that this app names for its groups cannot be kept: \(reason)"
        case .noDirectory(let reason): "The group's directory cannot be used: \(reason)."
        case .invalidName(let name):
            "“\(name.printable(limit: 100))” cannot be a name here; use at most 200 bytes without /, and no dot first."
        case .noSuchFile(let name): "There is no ordinary file \(name.printable(limit: 200))."
        case .changed(let name):
            "The file became shorter while it was published as \(name.printable(limit: 200)); publish it when it is finished."
        case .tooLarge(let name, let limit):
            "\(name.printable(limit: 200)) is larger than \(limit) bytes; raise the limit, or read it yourself."
        case .tooManyWatches:
            "This user watches as many directories as the system allows; raise fs.inotify.max_user_instances (sysctl)."
        case .system(let operation, .noSpace):
            "\(operation) failed, as the disk is full; make room and try again."
        case .system(let operation, let error): "\(operation) failed: \(error)."
        }
    }
}
