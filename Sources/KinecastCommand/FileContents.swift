// Reads small files whole, and no more of a large one than is needed to refuse it.
import KinePlatform
import SystemPackage

extension FileDescriptor {
    /// The bytes from here to the end. Where they are more than `limit`, some more than that, but not all.
    func contents(limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 14)
        while bytes.count <= limit {
            let count = try chunk.withUnsafeMutableBytes { try read(into: $0) }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return bytes
    }
}
