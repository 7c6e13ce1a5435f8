// Bytes that a child process reads on a descriptor, however many, whether or not it reads them all. Linux.
import CLinux
import Glibc
import SystemPackage

/// A file in memory with fixed contents. Owns its descriptor.
public final class MemoryInput {
    /// For the child to inherit, at the start of the bytes.
    public let descriptor: FileDescriptor

    public init(_ bytes: some Sequence<UInt8>, name: String) throws {
        let bytes = Array(bytes)
        let file = kine_bounded_memory_file(name, off_t(bytes.count))
        guard file >= 0 else { throw Errno(rawValue: errno) }
        descriptor = FileDescriptor(rawValue: file)
        try descriptor.writeAll(toAbsoluteOffset: 0, bytes)
    }

    deinit { try? descriptor.close() }
}
