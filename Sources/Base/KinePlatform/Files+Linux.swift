// Reading a small file or a pipe whole.
import Glibc
import KineText
import SystemPackage

extension FileDescriptor {
    /// Reads from the current position to the end, at most `limit` bytes.
    public func readToEnd(atMost limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(limit, 16384))
        while bytes.count < limit {
            let count = try chunk.withUnsafeMutableBytes { try read(into: $0) }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return Array(bytes.prefix(limit))
    }

    /// The whole file; nil if it cannot be read or is longer than `limit` bytes. Does not use or move the file
    /// position, which other processes may share.
    package func contents(limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while bytes.count <= limit {
            let offset = Int64(bytes.count)
            guard let count = try? chunk.withUnsafeMutableBytes({ try read(fromAbsoluteOffset: offset, into: $0) })
            else {
                return nil
            }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
        return nil
    }

    /// Whether `path` leads to this file.
    package func isFile(at path: FilePath) -> Bool {
        guard let own = try? self.stat() else { return false }
        return FileIdentity(own) == FileIdentity(path.escaped)
    }
}

/// The identity of the file that currently has a name.
package struct FileIdentity: Equatable, Sendable {
    private let device: DeviceID
    private let number: Inode

    fileprivate init(_ status: Stat) { (device, number) = (status.deviceID, status.inode) }

    /// Nil if no file has that name.
    package init?(_ path: String) {
        guard let status = try? FilePath(escaped: path).stat() else { return nil }
        self.init(status)
    }
}

// The file that a path leads to. Linux.
extension FilePath {
    /// The first bytes of the file, at most `limit`; nil if it cannot be read.
    package func start(limit: Int) -> [UInt8]? {
        guard let file = try? FileDescriptor.open(self, .readOnly, options: [.closeOnExec, .nonBlocking]) else {
            return nil
        }
        return try? file.closeAfter { try file.readToEnd(atMost: limit) }
    }

    package var isDirectory: Bool { (try? self.stat())?.type == .directory }

    /// Whether there is a regular file that this user may execute.
    package var isExecutableFile: Bool { (try? self.stat())?.type == .regular && access(cString, X_OK) == 0 }

    /// The path with every link followed; nil if the file does not exist.
    package var resolved: FilePath? {
        guard let resolved = realpath(cString, nil) else { return nil }
        defer { free(resolved) }
        return FilePath(platformString: resolved)
    }

    /// The target of the symbolic link at this path; nil if it is not a link.
    package var linkContents: FilePath? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard readlink(cString, &buffer, buffer.count - 1) > 0 else { return nil }
        return FilePath(platformString: buffer)
    }

    /// This path, or where the links at it lead; also where nothing is there.
    package var linkTarget: FilePath {
        var path = self
        // As many as the kernel follows.
        for _ in 0..<40 {
            guard let next = path.linkContents else { break }
            path = path.removingLastComponent().pushing(next)
        }
        return path
    }
}
