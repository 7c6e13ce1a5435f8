// The reasons why shared defaults cannot be read or changed.
import FoundationEssentials
import KineText

/// The error of shared defaults.
public enum DefaultsError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The group's container, or a file in it, cannot be used.
    case group(GroupError)
    /// The file is damaged. Reads give the last good values, and the next change replaces the file.
    case damaged(URL)
    /// A later version of the library wrote the file. Nothing is read or changed.
    case newer(URL)
    /// Another process has kept the defaults locked for five seconds.
    case locked(URL)
    /// All values together have more bytes than allowed.
    case tooLarge(limit: Int)
    /// A value is not a property list, has more than 63 levels or 16 MB, or the text cannot be a key.
    case notAPropertyList(key: String)
    /// The value has another type than requested.
    case otherType(key: String)

    public var description: String {
        switch self {
        case .group(let error): error.description
        case .damaged(let file):
            "\(file.path), a file of shared defaults, is damaged; its last good values are used, and the next change repairs it."
        case .newer(let file):
            "\(file.path) was written by a later version of Kinecast; build this program with it, too."
        case .locked(let file):
            "Another process keeps \(file.path) locked; end the one that hangs (fuser shows it) and try again."
        case .tooLarge(let limit):
            "Shared defaults are for small values, \(limit) bytes together; publish a file in the container instead."
        case .notAPropertyList(let key):
            "“\(key.printable(limit: 100))” cannot be stored; a key has 1 to 200 bytes, and a value is a property list of 63 levels at most."
        case .otherType(let key): "The value of “\(key.printable(limit: 100))” has another type; read it as it was set."
        }
    }
}
