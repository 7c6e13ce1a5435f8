// Publishing a file in a group's container: it appears whole, under its name, or not at all. Linux.
import CLinux
import FoundationEssentials
import Glibc
import KinePlatform
import SystemPackage

extension GroupContainer {
    /// Puts a finished file into the container, in place of one that has the name already. Other members find the old file or the
    /// whole new one, at every instant, also when this process is killed. The bytes are durable when this returns.
    ///
    /// The file leaves its place: within one file system it is renamed, whatever its size. It is copied to another file system, and
    /// the original is removed last. A program that still writes to the file goes on writing to the published one.
    ///
    /// - Parameters:
    ///   - file: an ordinary file.
    ///   - name: a file name, at most 200 bytes, without `/` and not beginning with a dot.
    ///   - keepingOriginal: copies the file, sharing its blocks where the file system can.
    public func publish(file: URL, as name: String, keepingOriginal: Bool = false) throws(GroupError) {
        guard file.isFileURL else { throw .noSuchFile(file.absoluteString) }
        try publish(file: FilePath(file.path), as: name, keepingOriginal: keepingOriginal)
    }

    /// The same for a path.
    ///
    /// - Parameters:
    ///   - file: an ordinary file's path.
    ///   - name: a file name, at most 200 bytes, without `/` and not beginning with a dot.
    ///   - keepingOriginal: copies the file, sharing its blocks where the file system can.
    public func publish(file: FilePath, as name: String, keepingOriginal: Bool = false) throws(GroupError) {
        guard name.isGroupFileName else { throw .invalidName(name) }
        let target = path.appending(name)
        let source: FileDescriptor
        do {
            // Not a link: it may lead to another file by the time it is renamed.
            source = try FileDescriptor.open(file, .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
        } catch {
            if error as? Errno == .noSuchFileOrDirectory { throw .noSuchFile(file.escaped) }
            throw .system(operation: "Opening \(file)", error as? Errno ?? .ioError)
        }
        defer { try? source.close() }
        var status = stat()
        guard fstat(source.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .noSuchFile(file.escaped)
        }
        if !keepingOriginal {
            guard fdatasync(source.rawValue) == 0 else { throw .system(operation: "Writing \(file)", .last) }
            if rename(file.cString, target.cString) == 0 { return makeDurable() }
            // Across file systems, or where the confinement does not let a file change its directory.
            guard errno == EXDEV || errno == EACCES else { throw .system(operation: "Publishing \(name)", .last) }
        }
        try write(as: name) { output throws(GroupError) in
            try Self.copy(from: source, bytes: Int64(status.st_size), to: output, name: name)
        }
        if !keepingOriginal { unlink(file.cString) }
    }

    /// Puts bytes into the container as a file, in the same way.
    public func publish(_ bytes: [UInt8], as name: String) throws(GroupError) {
        guard name.isGroupFileName else { throw .invalidName(name) }
        try write(as: name) { output throws(GroupError) in
            do {
                _ = try output.writeAll(bytes)
            } catch {
                throw .system(operation: "Writing \(name)", error as? Errno ?? .ioError)
            }
        }
    }

    /// Writes a file beside its final place, and gives it its name when it is whole.
    private func write(
        as name: String, _ body: (FileDescriptor) throws(GroupError) -> Void
    ) throws(GroupError) {
        removeLeftovers()
        let temporary = path.appending("\(Self.temporaryPrefix)\(getpid())-\(UInt64.random(in: 0 ... .max))")
        let output: FileDescriptor
        do {
            output = try FileDescriptor.open(
                temporary, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: .ownerReadWrite)
        } catch {
            throw .system(operation: "Publishing \(name)", error as? Errno ?? .ioError)
        }
        defer { try? output.close() }
        // Held until the file has its name: other members leave it alone.
        flock(output.rawValue, LOCK_EX | LOCK_NB)
        do throws(GroupError) {
            try body(output)
            guard fdatasync(output.rawValue) == 0 else { throw .system(operation: "Writing \(name)", .last) }
            guard rename(temporary.cString, path.appending(name).cString) == 0 else {
                throw .system(operation: "Publishing \(name)", .last)
            }
        } catch {
            unlink(temporary.cString)
            throw error
        }
        makeDurable()
    }

    private static let temporaryPrefix = ".publishing-"

    /// Removes what members that were killed had not finished. A member that still writes holds a lock on its file.
    private func removeLeftovers() {
        for name in PrivateDirectory.entries(path) where name.hasPrefix(Self.temporaryPrefix) {
            guard
                let file = try? FileDescriptor.open(
                    path.appending(name), .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
            else { continue }
            defer { try? file.close() }
            var status = stat()
            // A file of this moment may not have its lock yet.
            guard fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                time(nil) - status.st_mtim.tv_sec > 10,
                flock(file.rawValue, LOCK_EX | LOCK_NB) == 0
            else { continue }
            unlink(path.appending(name).cString)
        }
    }

    private static func copy(
        from source: FileDescriptor, bytes: Int64, to output: FileDescriptor, name: String
    ) throws(GroupError) {
        var done: Int64 = 0
        var chunk: [UInt8] = []
        while done < bytes {
            let count = kine_copy_range(source.rawValue, done, output.rawValue, done, bytes - done)
            if count > 0 {
                done += count
                continue
            }
            // Some file systems copy nothing, and say so by an error or by no bytes.
            guard count == 0 || [EXDEV, EINVAL, EOPNOTSUPP, ENOSYS, EPERM].contains(errno) else {
                throw .system(operation: "Writing \(name)", .last)
            }
            if chunk.isEmpty { chunk = [UInt8](repeating: 0, count: 1 << 20) }
            let read = pread(source.rawValue, &chunk, chunk.count, off_t(done))
            guard read >= 0 else { throw .system(operation: "Reading the file for \(name)", .last) }
            guard read > 0 else { throw .changed(name) }
            do {
                _ = try output.writeAll(toAbsoluteOffset: done, chunk[..<read])
            } catch {
                throw .system(operation: "Writing \(name)", error as? Errno ?? .ioError)
            }
            done += Int64(read)
        }
    }

    /// The names in the directory last as long as its contents. A file system that cannot do this has published the file all the same.
    func makeDurable() {
        guard let directory = try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .directory]) else {
            return
        }
        fsync(directory.rawValue)
        try? directory.close()
    }
}

extension Errno {
    /// The error of the last system call.
    static var last: Errno { Errno(rawValue: errno) }
}
