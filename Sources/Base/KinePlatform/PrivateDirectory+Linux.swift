// Directories that only their owner may enter, in places where other users can write.
import CLinux
import Glibc
import KineText
import SystemPackage

public enum PrivateDirectory {
    /// Why a directory does not belong to this user alone.
    public enum Fault: Swift.Error, Equatable, CustomStringConvertible {
        case notADirectory
        /// Another user made it.
        case foreign(uid: UInt32)
        /// Other users may enter it; its permission bits.
        case open(mode: UInt32)
        case system(Errno)

        /// A clause for the middle of a sentence.
        public var description: String {
            switch self {
            case .notADirectory: "something else has that name"
            case .foreign(let uid): "it belongs to user \(uid)"
            case .open(let mode): "others may enter it, its mode is 0\(String(mode, radix: 8))"
            case .system(let errno): "\(errno)"
            }
        }
    }

    /// Creates `path`, one level, with mode 0700, or checks the existing one: a real directory, ours, closed to others.
    /// Refuses a link, because its owner decides where it leads.
    package static func make(_ path: FilePath) throws(Fault) {
        if mkdir(path.cString, 0o700) != 0, errno != EEXIST { throw .system(Errno(rawValue: errno)) }
        let mode = try check(path)
        guard mode & 0o077 == 0 else { throw .open(mode: mode) }
    }

    /// Creates a directory and its missing parents with mode 0700, or finds one there, or a link to one.
    package static func makeMissing(_ path: FilePath) throws(Errno) {
        if mkdir(path.cString, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, path.components.count > 1 else { throw Errno(rawValue: errno) }
        try makeMissing(path.removingLastComponent())
        guard mkdir(path.cString, 0o700) == 0 || errno == EEXIST else { throw Errno(rawValue: errno) }
    }

    /// Checks that `path` is a directory of this user; others may be allowed to enter it. Returns its permission bits.
    @discardableResult
    package static func check(_ path: FilePath) throws(Fault) -> UInt32 {
        let status: Stat
        do { status = try path.stat(followTargetSymlink: false) } catch { throw .system(error) }
        guard status.type == .directory else { throw .notADirectory }
        guard status.userID.rawValue == getuid() else { throw .foreign(uid: status.userID.rawValue) }
        return status.permissions.rawValue & 0o777
    }

    /// The names in a directory, without `.` and `..`, in the form of `String(escaping:)`; empty if it cannot be read.
    package static func entries(_ path: FilePath) -> [String] {
        guard let directory = opendir(path.cString) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(escaping: UnsafePointer($0)) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a directory and the files in it. If it contains directories, they and it remain.
    package static func remove(_ path: FilePath) {
        for name in entries(path) { unlink(path.pushing(FilePath(escaped: name)).cString) }
        rmdir(path.cString)
    }

    /// The whole of a small file; nil if it cannot be read or is longer than `limit` bytes.
    package static func contents(of path: FilePath, limit: Int) -> [UInt8]? {
        guard let file = try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .noFollow]) else {
            return nil
        }
        defer { try? file.close() }
        return file.contents(limit: limit)
    }

    /// Writes a file that only its owner can read, and replaces an older one. A reader, also after a loss of power,
    /// sees the whole old file or the whole new one.
    ///
    /// - Parameter suffix: for the name of the temporary file. Simultaneous writers need different ones.
    package static func replace(_ path: FilePath, with bytes: [UInt8], writingTo suffix: String = ".new") throws {
        let new = temporary(path, suffix)
        unlink(new.cString)  // left by a killed writer
        do {
            let file = try FileDescriptor.open(
                new, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec, .noFollow],
                permissions: .ownerReadWrite)
            try file.closeAfter {
                _ = try file.writeAll(bytes)
                guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
            }
            guard rename(new.cString, path.cString) == 0 else { throw Errno(rawValue: errno) }
        } catch {
            unlink(new.cString)
            throw error
        }
    }

    /// The file that `replace` writes before it renames it.
    package static func temporary(_ path: FilePath, _ suffix: String = ".new") -> FilePath {
        FilePath(escaped: path.escaped + suffix)
    }

    /// Writes a new file that only its owner can read.
    package static func write(_ bytes: [UInt8], to path: FilePath) throws {
        let file = try FileDescriptor.open(
            path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite)
        try file.closeAfter { _ = try file.writeAll(bytes) }
    }
}
