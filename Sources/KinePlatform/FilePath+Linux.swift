// Where a path leads. Linux.
import Glibc
import SystemPackage

extension FilePath {
    /// Where it leads, every link followed; nil where nothing is there.
    package var resolved: FilePath? {
        guard let resolved = realpath(string, nil) else { return nil }
        defer { free(resolved) }
        return FilePath(platformString: resolved)
    }
}
