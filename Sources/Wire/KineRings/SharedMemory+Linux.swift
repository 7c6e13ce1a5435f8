// Memory that a sender shares with a receiver: a memfd, sealed so that neither end can change its size and, if only the
// sender writes, so that the other end can only map it for reading. Linux.
import CLinux
import Glibc
import SystemPackage

/// A mapped memfd. Owns the descriptor and the mapping.
public final class SharedMemory: @unchecked Sendable {
    // Sendable: its properties never change; its owner decides which end writes which byte, and when.

    public enum Error: Swift.Error, Equatable, Sendable {
        /// A system call failed.
        case system(call: String, Errno)
        /// The received memory is smaller than announced, or its size can still change; in bytes.
        case unusable(size: Int64, needed: Int)
    }

    public enum Access: Sendable {
        /// Both ends write.
        case writable
        /// This end, which created the memory, writes; the other only reads.
        case writableHereOnly
    }

    public let descriptor: FileDescriptor
    public let base: UnsafeMutableRawPointer
    /// In bytes, including a mirror.
    private let mappedBytes: Int

    public static let pageSize = 4096

    /// Creates and seals memory of at least `byteCount` bytes, all zero. The part from `mirroring` on, whole pages, is
    /// mapped again after the end, so that a record across the end of a ring is contiguous.
    public convenience init(name: String, byteCount: Int, access: Access, mirroring offset: Int? = nil) throws(Error) {
        let size = Self.wholePages(byteCount)
        let fd = kine_memory_file(name, off_t(size))
        guard fd >= 0 else { throw .system(call: "memfd_create", Errno(rawValue: errno)) }
        try self.init(mapping: fd, size: size, writable: true, mirroring: offset)
        guard kine_seal_memory(fd, access == .writableHereOnly ? 1 : 0) == 0 else {
            // deinit unmaps and closes the memory.
            throw .system(call: "fcntl", Errno(rawValue: errno))
        }
    }

    /// Maps at least `byteCount` bytes of memory that the other end created. Closes the descriptor if it throws, and
    /// owns it otherwise. Fails for `writable` memory that only its creator may write.
    public convenience init(
        adopting descriptor: FileDescriptor, byteCount: Int, writable: Bool, mirroring offset: Int? = nil
    ) throws(Error) {
        let fd = descriptor.rawValue
        let size = Self.wholePages(byteCount)
        let there = kine_sealed_size(fd)
        guard there >= Int64(size) else {
            let failure = errno
            Glibc.close(fd)
            throw there < 0 ? .system(call: "fcntl", Errno(rawValue: failure)) : .unusable(size: there, needed: size)
        }
        try self.init(mapping: fd, size: size, writable: writable, mirroring: offset)
    }

    /// Closes the descriptor if it throws.
    private init(mapping fd: Int32, size: Int, writable: Bool, mirroring offset: Int?) throws(Error) {
        do throws(Errno) {
            (base, mappedBytes) = try Self.map(
                fd, size: size, mirroring: offset, protection: writable ? PROT_READ | PROT_WRITE : PROT_READ)
        } catch {
            Glibc.close(fd)
            throw .system(call: "mmap", error)
        }
        descriptor = FileDescriptor(rawValue: fd)
    }

    deinit {
        munmap(base, mappedBytes)
        try? descriptor.close()
    }

    /// Unmaps the pages inside a range from this process: they no longer count as its resident memory, and return
    /// unchanged when they are next touched.
    public func dropResidency(_ range: Range<Int>) {
        let first = Self.wholePages(range.lowerBound)
        let end = min(range.upperBound, mappedBytes) & ~(Self.pageSize - 1)
        if first < end { madvise(base + first, end - first, MADV_DONTNEED) }
    }

    /// A number of bytes, rounded up to whole pages.
    static func wholePages(_ bytes: Int) -> Int { (bytes + pageSize - 1) & ~(pageSize - 1) }

    private static func map(
        _ fd: Int32, size: Int, mirroring offset: Int?, protection: Int32
    ) throws(Errno) -> (UnsafeMutableRawPointer, Int) {
        let total = size + (offset.map { size - $0 } ?? 0)
        // First reserves one range for both views, then maps them over it.
        let reserved = mmap(nil, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let base = reserved, base != MAP_FAILED else { throw Errno(rawValue: errno) }
        var views = [(base, size, 0)]
        if let offset { views.append((base + size, size - offset, offset)) }
        for (address, length, start) in views
        where mmap(address, length, protection, MAP_SHARED | MAP_FIXED, fd, off_t(start)) == MAP_FAILED {
            let failure = errno
            munmap(base, total)
            throw Errno(rawValue: failure)
        }
        return (base, total)
    }
}
