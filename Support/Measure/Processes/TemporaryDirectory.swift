// A directory of its own for each test and each measurement: sockets, cookies, recordings, all gone at the end.
import FoundationEssentials
import Glibc
import KinePlatform
import SystemPackage

/// A new empty directory that only this user can enter. Removed with everything in it when the last reference goes.
public final class TemporaryDirectory: Sendable {
    public let path: String

    /// Where temporary files go: $TMPDIR, or /tmp.
    public static var standardParent: String { ProcessEnvironment.value("TMPDIR") ?? "/tmp" }

    /// - Parameter parent: /dev/shm for a directory in memory, where /tmp may be on a disk.
    public init(in parent: String = TemporaryDirectory.standardParent) throws(Tool.Error) {
        var template = Array("\(parent)/kinecast-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .system(doing: "Making a directory in \(parent)", Errno(rawValue: errno))
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    public func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes or replaces a file in it, and returns its path.
    @discardableResult
    public func write(
        _ bytes: some Sequence<UInt8>, to name: String, permissions: FilePermissions = .ownerReadWrite
    ) throws -> String {
        try Tool.write(bytes, to: file(name), permissions: permissions)
        return file(name)
    }

    /// Lends a new one.
    public static func with(_ body: (FilePath) throws -> Void) throws {
        let directory = try TemporaryDirectory()
        try withExtendedLifetime(directory) { try body(FilePath(directory.path)) }
    }
}
