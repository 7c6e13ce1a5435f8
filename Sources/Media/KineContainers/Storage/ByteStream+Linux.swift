// Standard output as a place for a take: a pipe, a socket or a file, to which bytes are only ever added.
import Glibc
import KinePlatform
import SystemPackage

/// Bytes in order to a program that reads them. SIGPIPE has to be ignored. The descriptor stays the caller's.
public final class ByteStream: Sendable {
    /// Nanoseconds in which a reader has to take something while bytes wait for it.
    public static let patience: Int64 = 30_000_000_000

    /// Stands for it in place of a path.
    public let path: String
    private let descriptor: FileDescriptor
    private let patience: Int64
    private let abandoned = WakeSignal()

    public convenience init(_ descriptor: FileDescriptor, path: String) {
        self.init(descriptor, path: path, patience: Self.patience)
    }

    init(_ descriptor: FileDescriptor, path: String, patience: Int64) {
        (self.descriptor, self.path, self.patience) = (descriptor, path, patience)
    }

    /// In errors.
    private static let name = "standard output"

    /// A pipe that is ready to be written to takes as many bytes at once (POSIX, PIPE_BUF). The descriptor is shared with other
    /// processes, so it cannot be made non-blocking instead.
    private static let pieceSize = 4096

    /// Ends what is being written, and all that would be, since the reader is too slow. Any thread.
    public func abandon() { abandoned.signal() }

    /// Writes all of `bytes`, as fast as they are read.
    func write(_ bytes: [UInt8]) throws(StorageError) {
        var rest = bytes[...]
        var deadline = MonotonicClock.now() + patience
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
                deadline = MonotonicClock.now() + patience
            } else if errno == EPIPE {
                throw .readerGone(path: Self.name)
            } else if errno != EINTR, errno != EAGAIN {
                throw DiskFile.translate(Errno(rawValue: errno), "write to", Self.name)
            }
        }
    }
}
