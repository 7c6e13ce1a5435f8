// Removes directory trees that an extension may still write to. Linux.
import Glibc
import KinePlatform
import KineText
import SystemPackage

extension BundleCopy {
    /// More levels than a tree can have, unless something deepens it meanwhile.
    private static let mostPasses = 10_000
    /// O_PATH (fcntl.h), which is hidden without _GNU_SOURCE.
    private static let pathOnly: Int32 = 0o10000000

    /// Removes a tree; removes links, not their targets. Files that cannot be removed are left.
    ///
    /// Each pass lifts what is in the second level to the first. So no path is followed that a running extension could
    /// turn into a link, and a deep tree needs no more descriptors than a flat one.
    static func remove(_ path: FilePath) {
        if unlink(path.cString) == 0 || errno == ENOENT { return }
        guard let top = directory(path.cString, in: AT_FDCWD) else { return }
        defer { try? top.close() }
        for _ in 0..<mostPasses {
            var hasLifted = false
            for name in names(in: top) where !remove(name, in: top) {
                guard let inner = directory(name, in: top.rawValue) else { continue }
                for child in names(in: inner) where !remove(child, in: inner) {
                    // A directory without permissions cannot be moved either.
                    guard let opened = directory(child, in: inner.rawValue) else { continue }
                    try? opened.close()
                    let name = ".lifted-\(UInt64.random(in: 0 ... .max))"
                    if renameat(inner.rawValue, child, top.rawValue, name) == 0 { hasLifted = true }
                }
                try? inner.close()
                _ = remove(name, in: top)
            }
            if !hasLifted { break }
        }
        rmdir(path.cString)
    }

    /// False: it is a directory with something in it, or cannot be removed.
    private static func remove(_ name: [CChar], in directory: FileDescriptor) -> Bool {
        unlinkat(directory.rawValue, name, 0) == 0 || errno == ENOENT
            || unlinkat(directory.rawValue, name, AT_REMOVEDIR) == 0
    }

    /// Opens a directory, not a link to one, whatever permissions its owner took from it.
    private static func directory(_ name: [CChar], in parent: Int32) -> FileDescriptor? {
        let place = openat(parent, name, pathOnly | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard place >= 0 else { return nil }
        defer { close(place) }
        let link = "/proc/self/fd/\(place)"
        chmod(link, 0o700)
        return try? FileDescriptor.open(link, .readOnly, options: [.directory, .closeOnExec])
    }

    private static func names(in directory: FileDescriptor) -> [[CChar]] {
        PrivateDirectory.entries(FilePath("/proc/self/fd/\(directory.rawValue)")).map { FilePath(escaped: $0).cString }
    }
}
