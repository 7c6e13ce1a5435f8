// Publishes a file in a group's container: it appears complete under its name, or not at all. Linux.
import CLinux
import FoundationEssentials
import Glibc
import KinePlatform
import KineText
import SystemPackage

extension GroupContainer {
    /// Puts a finished file into the container, replacing one with the same name. Other members always find the old
    /// file or the complete new one, even if this process is killed. The bytes are durable when this returns.
    ///
    /// The original disappears: within a file system it is renamed, whatever its size; otherwise it is copied and then
    /// removed. A program that still has the file open for writing then writes to the published file.
    ///
    /// - Parameters:
    ///   - file: a regular file.
    ///   - name: a file name, at most 200 bytes, without `/` and not beginning with a dot.
    ///   - keepingOriginal: whether to copy the file; the copy shares its blocks if the file system can.
    public func publish(file: URL, as name: String, keepingOriginal: Bool = false) throws(GroupError) {
        guard file.isFileURL else { throw .noSuchFile(file.absoluteString) }
        try publish(file: FilePath(file.path), as: name, keepingOriginal: keepingOriginal)
    }

    /// Publishes a file with this path.
    ///
    /// - Parameters:
    ///   - file: the path of a regular file.
    ///   - name: a file name, at most 200 bytes, without `/` and not beginning with a dot.
    ///   - keepingOriginal: whether to copy the file; the copy shares its blocks if the file system can.
    public func publish(file: FilePath, as name: String, keepingOriginal: Bool = false) throws(GroupError) {
        guard name.isGroupFileName else { throw .invalidName(name) }
        let target = path.appending(name)
        let source: FileDescriptor
        do {
            // Not a link: it may refer to another file by the time it is renamed.
            source = try FileDescriptor.open(file, .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
        } catch {
            if error as? Errno == .noSuchFileOrDirectory { throw .noSuchFile(file.escaped) }
            throw .system(operation: "Opening \(file)", error as? Errno ?? .ioError)
        }
        defer { try? source.close() }
        guard let status = try? source.stat(), status.type == .regular else { throw .noSuchFile(file.escaped) }
        if !keepingOriginal {
            guard fdatasync(source.rawValue) == 0 else { throw .system(operation: "Writing \(file)", .last) }
            if rename(file.cString, target.cString) == 0 { return makeDurable() }
            // Across file systems, or if the sandbox forbids moving a file to another directory.
            guard errno == EXDEV || errno == EACCES else { throw .system(operation: "Publishing \(name)", .last) }
        }
        try write(as: name) { output throws(GroupError) in
            try Self.copy(from: source, bytes: status.size, to: output, name: name)
        }
        if !keepingOriginal { unlink(file.cString) }
    }

    /// Publishes bytes as a file, with the same guarantees.
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

    /// Writes a temporary file, and renames it when it is complete.
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
        // Held until the rename, so that other members do not remove the file.
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

    /// Removes unfinished files of killed members. A member that still writes holds a lock on its file.
    private func removeLeftovers() {
        for name in PrivateDirectory.entries(path) where name.hasPrefix(Self.temporaryPrefix) {
            guard
                let file = try? FileDescriptor.open(
                    path.appending(name), .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
            else { continue }
            defer { try? file.close() }
            // A very new file may not be locked yet.
            guard let status = try? file.stat(), status.type == .regular,
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
            // Some file systems cannot copy, and report an error or no bytes.
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

    /// Makes the directory's entries durable. The file is published even if the file system cannot do this.
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
