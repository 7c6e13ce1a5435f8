// What a file is called and where: its name while an older file keeps it, its place when its directory is gone, and what
// processes that were killed leave beside it.
import CLinux
import Glibc
import KinePlatform
import SystemPackage

extension DiskFile {
    public func publish() throws(StorageError) {
        if name != .own {
            try synchronize()
            if name == .none { try link() }
            if case .temporary(let temporary) = name {
                guard rename(temporary, path) == 0 else { throw error("rename \(temporary) to") }
            }
            name = .own
        }
        synchronizeDirectory()
    }

    /// Gives an unnamed file a temporary name, since a link never takes the place of an older file.
    private func link() throws(StorageError) {
        let temporary = Self.temporaryName(for: path)
        unlink(temporary)
        let source = "/proc/self/fd/\(descriptor.rawValue)"
        guard linkat(AT_FDCWD, source, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) == 0 else { throw error("name") }
        name = .temporary(temporary)
    }

    public func isRemoved() throws(StorageError) -> Bool { name == .none ? false : try status().st_nlink == 0 }

    /// Linux refuses a new link to a file that has lost its last one (linkat gives ENOENT), so this is a copy, of which
    /// the file system may share the blocks.
    public func putBack() throws(StorageError) {
        var failure: StorageError?
        for directory in [Self.directory(of: path)] + refuges {
            do throws(StorageError) {
                return try putBack(in: directory)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    private func putBack(in directory: String) throws(StorageError) {
        Self.makeDirectory(directory)
        let bytes = try size()
        let isPrivate = try status().st_mode & 0o077 == 0
        let copy = try Self.makeCopy(of: path, in: directory, isPrivate: isPrivate)
        do {
            try copy.reserve(through: bytes)
            try copy.copy(from: self, range: 0..<bytes, to: 0)
            try copy.truncate(to: bytes)
            try copy.synchronize()
        } catch {
            copy.discard()
            throw error
        }
        discard()  // a temporary name, if it has one
        swap(&descriptor, &copy.descriptor)  // the removed file goes with `copy`
        reservedEnd = bytes
        path = copy.path
        name = .own
        synchronizeDirectory()
    }

    /// A new file in `directory` under the last part of `path`, or a name close to it where that is taken.
    private static func makeCopy(
        of path: String, in directory: String, isPrivate: Bool
    ) throws(StorageError) -> DiskFile {
        let file = FilePath(path)
        let same = directory + "/" + (file.lastComponent?.string ?? "recording.mp4")
        do {
            return try make(same, name: .own, refuges: [], isPrivate: isPrivate)
        } catch .alreadyExists {
            let stem = file.stem ?? "recording"
            let kept = "\(directory)/\(stem)-kept-\(getpid())" + (file.extension.map { ".\($0)" } ?? "")
            return try make(kept, name: .own, refuges: [], isPrivate: isPrivate)
        }
    }

    /// Makes `path` and what is missing above it. Failures are left to the caller, who meets them on making a file in it.
    private static func makeDirectory(_ path: String) {
        if mkdir(path, 0o777) == 0 || errno != ENOENT { return }
        let parent = directory(of: path)
        guard parent != path, parent != "." else { return }
        makeDirectory(parent)
        mkdir(path, 0o777)
    }

    /// Puts a file made by `createReplacement` at its path, over what is there, with `original`'s permissions.
    func replaceTarget(like original: DiskFile) throws(StorageError) {
        fchmod(descriptor.rawValue, try original.status().st_mode & 0o7777)
        do {
            try publish()
        } catch {
            discardTemporary()
            throw error
        }
    }

    /// Removes what `createReplacement` made, where it has a name of its own.
    func discardTemporary() { if name != .own { discard() } }

    /// Removes what processes that were killed left beside `path`: files under a temporary name that nobody writes any more.
    static func clearLeavings(beside path: String) {
        guard let own = FilePath(path).lastComponent?.string, let entries = opendir(directory(of: path)) else { return }
        defer { closedir(entries) }
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.hasPrefix(".\(own)."), name.hasSuffix(".part"),
                let process = Int32(name.dropFirst(own.count + 2).dropLast(5)), process > 0,
                kill(process, 0) != 0, errno == ESRCH
            else { continue }
            let leaving = directory(of: path) + "/" + name
            // Its writer may run where this process cannot see it: the lock tells.
            guard let file = try? open(leaving) else { continue }
            unlink(leaving)
            file.close()
        }
    }

    /// A file's name is data of its directory. Best effort: not every file system lets a directory be synchronized.
    private func synchronizeDirectory() {
        guard let directory = try? FileDescriptor.open(Self.directory(of: path), .readOnly, options: .closeOnExec)
        else { return }
        fsync(directory.rawValue)
        try? directory.close()
    }

    /// Where `path` leads, symbolic links followed; `path` itself where that cannot be told.
    static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    static func directory(of path: String) -> String {
        let parent = FilePath(path).removingLastComponent().string
        return parent.isEmpty ? "." : parent
    }

    /// A hidden name in the same directory, this process's own.
    static func temporaryName(for path: String) -> String {
        let name = FilePath(path).lastComponent?.string ?? "recording"
        return directory(of: path) + "/.\(name).\(getpid()).part"
    }
}
