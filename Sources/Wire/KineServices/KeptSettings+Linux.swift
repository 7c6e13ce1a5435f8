// The settings of services that the person keeps: a private file for each service, beside the file of destinations. Linux.
import FoundationEssentials
import Glibc
import KinePlatform
import KineText
import SystemPackage

/// `kinecast/services/ID.json` in the user's directory for settings: a JSON object of the settings' keys and values.
public struct KeptSettings: Sendable {
    /// Bytes of a file.
    private static let limit = 64 << 10

    /// Nil: there is no place for them.
    private let directory: FilePath?

    /// - Parameter configuration: the user's directory for settings; it may not exist.
    public init(in configuration: FilePath? = UserDirectories.configuration()) {
        directory = configuration?.appending("kinecast").appending("services")
    }

    /// The file of the service with this id; it may not exist. Nil: there is no place for it.
    public func file(of service: String) -> FilePath? {
        service.isPlainName ? directory?.appending("\(service).json") : nil
    }

    /// Nil: the file's bytes are something else.
    public static func settings(in bytes: [UInt8]) -> [String: String]? {
        try? JSONDecoder().decode([String: String].self, from: Data(bytes))
    }

    /// Nil: none are kept.
    public func settings(of service: String) -> [String: String]? {
        file(of: service).flatMap { PrivateDirectory.contents(of: $0, limit: Self.limit) }.flatMap(Self.settings)
    }

    /// Replaces the file of the service, which only its owner can read. Throws the system's error.
    public func keep(_ settings: [String: String], of service: String) throws {
        guard let file = file(of: service), let directory else { throw Errno.noSuchFileOrDirectory }
        try PrivateDirectory.makeMissing(directory)
        try PrivateDirectory.replace(file, with: Array(JSONEncoder().encode(settings)))
    }

    /// Returns whether there were some.
    @discardableResult
    public func remove(_ service: String) throws(Errno) -> Bool {
        guard let file = file(of: service) else { return false }
        // A killed writer may have left the second one.
        _ = unlink(PrivateDirectory.temporary(file).cString)
        guard unlink(file.cString) != 0 else { return true }
        guard errno == ENOENT || errno == ENOTDIR else { throw Errno(rawValue: errno) }
        return false
    }
}
