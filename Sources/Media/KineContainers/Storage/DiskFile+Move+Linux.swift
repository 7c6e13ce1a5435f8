// Moves a finished file, by renaming it or by a copy to another file system; also copies files.
import Glibc
import KinePlatform
import KineText

/// Bytes that are copied between two reports: a slow disk takes half a second for them.
private let copyStep: Int64 = 64 << 20

extension DiskFile {
    /// The permissions of a moved or copied file.
    public enum Permissions: Sendable {
        case unchanged
        case ownerOnly
        /// The permissions of a new file at the target.
        case byUmask
    }

    /// Moves the file at `path` to `target`. No process may write it meanwhile. In any case, one of the two names has
    /// the whole file. Keeps an older file at `target` and throws `alreadyExists`, unless `replacing`. Does nothing if
    /// `target` is this file already.
    public static func move(
        _ path: String, to target: String, replacing: Bool = false, permissions: Permissions = .unchanged
    ) throws(StorageError) {
        // Processes that read the file go on with it.
        let file = try openToRead(path)
        if try file.isFile(at: target) { return }
        let target = replacing ? try checkTarget(target, ifTaken: .replace) : target
        do throws(StorageError) {
            try rename(path, to: target, replacing: replacing)
            file.path = target
            // Not every file system has permissions.
            if let mode = file.mode(permissions) { fchmod(file.descriptor.rawValue, mode) }
            file.synchronizeDirectory()
        } catch {
            guard case .failed(_, _, EXDEV) = error else { throw error }
            _ = try file.copyWhole(to: target, ifTaken: replacing ? .replace : .refuse, permissions)
            unlink(path.cString)
        }
    }

    /// Copies the file at `path` to `target`. No process may write it meanwhile. Returns the path of the copy, which
    /// gets its name when it is complete. Does nothing if `target` is this file and the copy does not get a number.
    ///
    /// - Parameter continuing: gets the bytes copied, now and then. If it returns false, no copy is left, and this
    ///   returns nil.
    public static func copy(
        _ path: String, to target: String, ifTaken conflict: NameConflict = .refuse,
        permissions: Permissions = .unchanged, continuing: (Int64) -> Bool = { _ in true }
    ) throws(StorageError) -> String? {
        let file = try openToRead(path)
        if conflict != .number, try file.isFile(at: target) { return target }
        return try file.copyWhole(
            to: try checkTarget(target, ifTaken: conflict), ifTaken: conflict, permissions, continuing)
    }

    /// Copies the whole file to a new one, which gets its name when it is complete.
    private func copyWhole(
        to target: String, ifTaken conflict: NameConflict, _ permissions: Permissions,
        _ continuing: (Int64) -> Bool = { _ in true }
    ) throws(StorageError) -> String? {
        let isPrivate =
            switch permissions {
            case .unchanged: try isPrivate()
            case .ownerOnly: true
            case .byUmask: false
            }
        let copy = try Self.createReplacement(for: target, isPrivate: isPrivate)
        do throws(StorageError) {
            let bytes = try size()
            try copy.reserve(through: bytes)
            var copied: Int64 = 0
            while copied < bytes, continuing(copied) {
                let end = min(bytes, copied + copyStep)
                try copy.copy(from: self, range: copied..<end, to: copied)
                copied = end
            }
            guard copied == bytes, continuing(bytes) else {
                copy.discardTemporary()
                return nil
            }
            try copy.truncate(to: bytes)
            try copy.publish(ifTaken: conflict)
            return copy.path
        } catch {
            copy.discardTemporary()
            throw error
        }
    }

    /// The new mode of this file; nil: no change.
    private func mode(_ permissions: Permissions) -> mode_t? {
        switch permissions {
        case .unchanged: return nil
        case .ownerOnly: return 0o600
        case .byUmask:
            // The umask cannot be read without changing it for other threads.
            guard let sample = try? Self.createReplacement(for: path) else { return nil }
            defer { sample.discardTemporary() }
            return (try? sample.status()).map { $0.st_mode & 0o777 }
        }
    }
}
