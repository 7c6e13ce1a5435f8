// A finished file that goes to another place: renamed where that is possible, copied to another file system. And its copies.
import Glibc

extension DiskFile {
    /// Moves the file at `path` to `target`. It must not be written meanwhile. Whatever happens, one of the two names has the whole
    /// file. An older file at `target` is kept, and `alreadyExists` thrown, unless `replacing` is set.
    public static func move(_ path: String, to target: String, replacing: Bool = false) throws(StorageError) {
        let file = try open(path)
        if replacing { try checkReplaceable(target) }
        do throws(StorageError) {
            try rename(path, to: target, replacing: replacing)
            file.path = target
            file.synchronizeDirectory()
        } catch {
            guard case .failed(_, _, EXDEV) = error else { throw error }
            _ = try file.copyWhole(to: target, ifTaken: replacing ? .replace : .refuse)
            unlink(path)
        }
    }

    /// Copies the file at `path` to `target`. It must not be written meanwhile. Returns the path of the copy, which gets its name when it
    /// is complete.
    public static func copy(
        _ path: String, to target: String, ifTaken conflict: NameConflict = .refuse
    ) throws(StorageError) -> String {
        try checkTarget(target, ifTaken: conflict)
        return try openToRead(path).copyWhole(to: target, ifTaken: conflict)
    }

    /// Copies the whole file to another one, which gets its name when it is complete.
    private func copyWhole(to target: String, ifTaken conflict: NameConflict) throws(StorageError) -> String {
        let isPrivate = try status().st_mode & 0o077 == 0
        let copy = try Self.createReplacement(for: target, isPrivate: isPrivate)
        do throws(StorageError) {
            let bytes = try size()
            try copy.reserve(through: bytes)
            try copy.copy(from: self, range: 0..<bytes, to: 0)
            try copy.truncate(to: bytes)
            try copy.publish(ifTaken: conflict)
            return copy.path
        } catch {
            copy.discardTemporary()
            throw error
        }
    }
}
