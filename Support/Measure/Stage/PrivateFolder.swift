// A folder of its own for each measurement: sockets, cookies, recordings, all gone at the end.
import Glibc
import SystemPackage

/// A new empty folder that only this user can enter. Removed with everything in it when the last reference goes.
public final class PrivateFolder: Sendable {
    public let path: String

    /// - Parameter parent: /dev/shm for a folder in memory, where /tmp may be on a disk.
    public init(in parent: String = "/tmp") throws(Tool.Error) {
        var template = Array("\(parent)/kinecast-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .system(doing: "Making a folder in \(parent)", Errno(rawValue: errno))
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { PrivateFolder.remove(path) }

    public func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Removes `path` and what is in it, following no symbolic link.
    private static func remove(_ path: String) {
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let isFolder = entry.pointee.d_type == UInt8(DT_DIR)
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name == "." || name == ".." { continue }
                if isFolder { remove("\(path)/\(name)") } else { unlink("\(path)/\(name)") }
            }
            closedir(folder)
        }
        rmdir(path)
    }
}
