// Small files that others wrote, and where a path leads. Linux.
import Glibc
import SystemPackage

extension FileDescriptor {
    /// The whole of a file; nil where it cannot be read or is longer than `limit` bytes. Its position, which other processes may
    /// share, is neither used nor moved.
    package func contents(limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while bytes.count <= limit {
            let offset = Int64(bytes.count)
            guard let count = try? chunk.withUnsafeMutableBytes({ try read(fromAbsoluteOffset: offset, into: $0) })
            else {
                return nil
            }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
        return nil
    }
}

extension FilePath {
    /// Where it leads, every link followed; nil where nothing is there.
    package var resolved: FilePath? {
        guard let resolved = realpath(string, nil) else { return nil }
        defer { free(resolved) }
        return FilePath(platformString: resolved)
    }
}
