// The file that a path leads to. Linux.
import Glibc
import SystemPackage

extension FilePath {
    /// The path with every link followed; nil if nothing is there.
    package var resolved: FilePath? {
        guard let resolved = realpath(string, nil) else { return nil }
        defer { free(resolved) }
        return FilePath(platformString: resolved)
    }
}
