// The names of a `DiskFile`: a temporary one while an older file has the name, another one if its directory is gone.
// Also removes the temporary files of killed processes.
import CLinux
import Glibc
import KinePlatform
import KineText
import SystemPackage

/// The action if the name of a new file is taken.
public enum NameConflict: Sendable {
    /// Throw `StorageError.alreadyExists`.
    case refuse
    /// Replace the older file in one step.
    case replace
    /// Use the next free name (`NumberedName`), for a name that Kinecast chooses.
    case number

    /// Calls `body` with the path, or with one numbered name after the other until one is free.
    func settle<Value>(
        _ path: String, _ body: (String) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        guard self == .number else { return try body(path) }
        for candidate in NumberedName.candidates(for: path) {
            do { return try body(candidate) } catch .alreadyExists {}
        }
        throw .alreadyExists(path: path)
    }
}

extension DiskFile {
    public func publish() throws(StorageError) { try publish(ifTaken: .replace) }

    /// - Parameter isDurable: first makes the bytes survive a power cut. Necessary if an older file is replaced.
    func publish(ifTaken conflict: NameConflict, isDurable: Bool = true) throws(StorageError) {
        if name != .own {
            if isDurable { try synchronize() }
            if name == .none { try link() }
            if case .temporary(let temporary) = name {
                path = try conflict.settle(path) { (target) throws(StorageError) in
                    try Self.rename(temporary, to: target, replacing: conflict == .replace)
                    return target
                }
            }
            name = .own
        }
        synchronizeDirectory()
    }

    /// Renames a file within one file system, in one step.
    static func rename(_ path: String, to target: String, replacing: Bool) throws(StorageError) {
        var result =
            replacing
            ? Glibc.rename(path.cString, target.cString) : kine_rename_to_free_name(path.cString, target.cString)
        // Not every file system supports this; most of the others have links.
        if result != 0, errno == EINVAL, !replacing {
            result = Glibc.link(path.cString, target.cString)
            if result == 0 {
                unlink(path.cString)
            } else if errno != EEXIST, access(target.cString, F_OK) != 0 {
                result = Glibc.rename(path.cString, target.cString)  // the name may be taken between these two calls
            }
        }
        guard result != 0 else { return }
        switch errno {
        case EEXIST where !replacing: throw .alreadyExists(path: target)
        case EBUSY, EPERM, EACCES, EISDIR: throw .cannotReplace(path: target, code: errno)
        default: throw translate(Errno(rawValue: errno), "rename \(path) to", target)
        }
    }

    /// Gives an unnamed file a temporary name: unlike rename, link cannot replace an older file.
    private func link() throws(StorageError) {
        let source = "/proc/self/fd/\(descriptor.rawValue)"
        name = try Self.withTemporaryName(in: Self.directory(of: path)) { (temporary) throws(StorageError) in
            guard linkat(AT_FDCWD, source, AT_FDCWD, temporary.cString, AT_SYMLINK_FOLLOW) == 0 else {
                throw errno == EEXIST ? .alreadyExists(path: temporary) : error("name")
            }
            return .temporary(temporary)
        }
    }

    public func isRemoved() throws(StorageError) -> Bool { name == .none ? false : try status().st_nlink == 0 }

    /// Makes a copy, which may share its blocks with this file: Linux cannot link a file that has lost its last name
    /// (linkat fails with ENOENT).
    public func putBack() throws(StorageError) {
        var failure: StorageError?
        for directory in [Self.directory(of: path)] + fallbackDirectories {
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
        swap(&descriptor, &copy.descriptor)  // releasing `copy` closes the removed file
        reservedEnd = bytes
        path = copy.path
        name = .own
        synchronizeDirectory()
    }

    /// A new file in `directory` with the name of `path`, or a similar one if that is taken.
    private static func makeCopy(
        of path: String, in directory: String, isPrivate: Bool
    ) throws(StorageError) -> DiskFile {
        let same =
            directory + "/"
            + (FilePath(escaped: path).lastComponent.map { FilePath(root: nil, [$0]).escaped } ?? "recording.mp4")
        do {
            return try make(same, name: .own, fallbackDirectories: [], isPrivate: isPrivate)
        } catch .alreadyExists {
            let kept = NumberedName.adding("-kept-\(getpid())", to: FilePath(escaped: same)).escaped
            return try NameConflict.number.settle(kept) { (path) throws(StorageError) in
                try make(path, name: .own, fallbackDirectories: [], isPrivate: isPrivate)
            }
        }
    }

    /// Makes the directory `path` and its parents. Reports no failures, because creating a file in it will.
    static func makeDirectory(_ path: String) {
        if mkdir(path.cString, 0o777) == 0 || errno != ENOENT { return }
        let parent = directory(of: path)
        guard parent != path, parent != "." else { return }
        makeDirectory(parent)
        mkdir(path.cString, 0o777)
    }

    /// Publishes a file of `createReplacement` over the older file, with `original`'s permissions.
    func replaceTarget(like original: DiskFile) throws(StorageError) {
        fchmod(descriptor.rawValue, try original.status().st_mode & 0o7777)
        do {
            try publish()
        } catch {
            discardTemporary()
            throw error
        }
    }

    /// Deletes an unpublished file of `createReplacement`.
    func discardTemporary() { if name != .own { discard() } }

    /// Deletes temporary files of this user's killed processes in the directory of `path`.
    static func removeLeftovers(beside path: String) {
        let directory = directory(of: path)
        for name in PrivateDirectory.entries(FilePath(escaped: directory)) {
            guard name.hasPrefix(temporaryPrefix), name.hasSuffix(temporarySuffix),
                let process = name.dropFirst(temporaryPrefix.count).split(separator: "-").first.flatMap({ Int32($0) }),
                process > 0, kill(process, 0) != 0, errno == ESRCH
            else { continue }
            let leftover = directory + "/" + name
            // Another user's file could be locked for ever, or be a link.
            var status = stat()
            guard lstat(leftover.cString, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid()
            else { continue }
            // The process may run in a container or on another machine: only the lock shows whether it runs.
            guard let file = try? open(leftover) else { continue }
            unlink(leftover.cString)
            file.close()
        }
    }

    /// Makes the file's name durable, as far as the file system can: a name is data of its directory.
    func synchronizeDirectory() {
        guard
            let directory = try? FileDescriptor.open(Self.directory(of: path).cString, .readOnly, options: .closeOnExec)
        else { return }
        fsync(directory.rawValue)
        try? directory.close()
    }

    /// `path` with symbolic links resolved; `path` itself if that fails.
    static func resolved(_ path: String) -> String { FilePath(escaped: path).resolved?.escaped ?? path }

    static func directory(of path: String) -> String {
        let parent = FilePath(escaped: path).removingLastComponent().escaped
        return parent.isEmpty ? "." : parent
    }

    /// A hidden name in a directory for a file that gets its own name later. If this process dies before, the next
    /// recording or excerpt there removes the file.
    public static func temporaryPath(in directory: String) -> String {
        "\(directory)/\(temporaryPrefix)\(getpid())-\(UInt64.random(in: 0...UInt64.max))\(temporarySuffix)"
    }

    private static let temporaryPrefix = ".kinecast-"
    private static let temporarySuffix = ".part"

    /// Calls `body` with a hidden name in a directory, and with another one while it throws `alreadyExists`. The name
    /// has this process's ID and a random number, not the file's own name, which may have the full length.
    static func withTemporaryName<Value>(
        in directory: String, _ body: (String) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        for _ in 0..<99 {
            do { return try body(temporaryPath(in: directory)) } catch .alreadyExists {}
        }
        return try body(temporaryPath(in: directory))
    }

    /// The path at the end of a chain of symbolic links; `path` itself if it is not a link.
    static func linkTarget(_ path: String) throws(StorageError) -> String {
        var target = FilePath(escaped: path)
        for _ in 0..<40 {
            guard let link = target.linkContents else { return target.escaped }
            target = target.removingLastComponent().pushing(link)
        }
        throw .cannotCreate(path: path, code: ELOOP)
    }
}
