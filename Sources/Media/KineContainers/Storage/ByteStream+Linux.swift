// Standard output as a take's output: a pipe, a socket or a file. Bytes are only appended.
import Glibc
import KinePlatform
import SystemPackage

/// Writes bytes in order for a program that reads them. SIGPIPE must be ignored. The caller owns the descriptor.
public final class ByteStream: Sendable {
    /// Nanoseconds within which a reader must read some of the waiting bytes.
    public static let timeout: Int64 = 30_000_000_000

    /// Used instead of a path.
    public let path: String
    private let descriptor: FileDescriptor
    private let timeout: Int64
    private let abandoned = WakeSignal()

    public convenience init(_ descriptor: FileDescriptor, path: String) {
        self.init(descriptor, path: path, timeout: Self.timeout)
    }

    init(_ descriptor: FileDescriptor, path: String, timeout: Int64) {
        (self.descriptor, self.path, self.timeout) = (descriptor, path, timeout)
    }

    /// For errors.
    private static let name = "standard output"

    /// A pipe that is ready for writing takes this many bytes at once (POSIX, PIPE_BUF). It cannot be non-blocking
    /// instead, because other processes share the descriptor.
    private static let pieceSize = 4096

    /// Ends this write and all later ones because the reader is too slow. Any thread may call it.
    public func abandon() { abandoned.signal() }

    /// Writes all of `bytes`, as fast as the reader reads them.
    func write(_ bytes: [UInt8]) throws(StorageError) {
        var rest = bytes[...]
        var deadline = MonotonicClock.now() + timeout
        while !rest.isEmpty {
            let waiting = [(descriptor.rawValue, POLLOUT), (abandoned.descriptor, POLLIN)]
            var entries = waiting.map { pollfd(fd: $0.0, events: Int16($0.1), revents: 0) }
            WakeSignal.poll(&entries, until: deadline)
            guard entries[0].revents != 0, entries[1].revents == 0 else { throw .readerStalled(path: Self.name) }
            let count = rest.prefix(Self.pieceSize).withUnsafeBytes {
                Glibc.write(descriptor.rawValue, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                rest.removeFirst(count)
                deadline = MonotonicClock.now() + timeout
            } else if errno == EPIPE {
                throw .readerGone(path: Self.name)
            } else if errno != EINTR, errno != EAGAIN {
                throw DiskFile.translate(Errno(rawValue: errno), "write to", Self.name)
            }
        }
    }
}
