// A directory for the targets whose readers take paths. In memory where that can be had: every input is written to a file.
import Glibc
import Synchronization

/// Lasts until the program exits.
public final class Folder: Sendable {
    /// Without a slash behind it.
    public let path: String
    private static let made = Mutex<[String]>([])

    /// Makes a directory that is this user's alone, with these in it.
    public init(directories: [String]) {
        let parents = ["/dev/shm", getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"]
        let parent = parents.first { access($0, W_OK) == 0 } ?? "/tmp"
        var template = Array("\(parent)/kinecast-fuzz-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { preconditionFailure("no directory in \(parent)") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        for directory in directories { make(directory) }
        let isFirst = Self.made.withLock { made in
            made.append(path)
            return made.count == 1
        }
        if isFirst { atexit { Folder.made.withLock { $0.forEach(Folder.remove) } } }
    }

    /// The path of a file or directory in it.
    public func path(of name: String) -> String { "\(path)/\(name)" }

    public func has(_ name: String) -> Bool { access(path(of: name), F_OK) == 0 }

    public func make(_ directory: String) { mkdir(path(of: directory), 0o700) }

    /// Writes a file that is this user's alone, over what is there.
    public func write(_ bytes: [UInt8], to name: String) {
        let file = open(path(of: name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0, Glibc.write(file, bytes, bytes.count) == bytes.count, close(file) == 0 else {
            preconditionFailure("\(path(of: name)) cannot be written: \(errno)")
        }
    }

    private static func remove(_ path: String) {
        guard unlink(path) != 0, rmdir(path) != 0, let directory = opendir(path) else { return }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { remove("\(path)/\(name)") }
        }
        closedir(directory)
        rmdir(path)
    }
}
