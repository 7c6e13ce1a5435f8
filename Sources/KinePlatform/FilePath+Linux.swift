// The file that a path leads to. Linux.
import Glibc
import SystemPackage

extension FilePath {
    /// The path with every link followed; nil if nothing is there.
    package var resolved: FilePath? {
        guard let resolved = realpath(cString, nil) else { return nil }
        defer { free(resolved) }
        return FilePath(platformString: resolved)
    }

    /// What the symbolic link of this path holds; nil where there is none.
    package var linkContents: FilePath? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard readlink(cString, &buffer, buffer.count - 1) > 0 else { return nil }
        return FilePath(platformString: buffer)
    }
}
