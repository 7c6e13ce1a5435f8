// Unix stream sockets: the system calls behind the control channel, each with its errno. Descriptors are closed on
// exec and do not block, unless the call says so; no call raises SIGPIPE.
import CLinux
import Glibc
import SystemPackage

enum UnixSocket {
    /// The longest path that a socket's address holds, in bytes (unix(7): sun_path, less its end).
    static let pathLimit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Two sockets connected with each other.
    static func pair() throws(Errno) -> (FileDescriptor, FileDescriptor) {
        var fds: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, streamType, 0, &fds) == 0 else { throw Errno(rawValue: errno) }
        return (FileDescriptor(rawValue: fds[0]), FileDescriptor(rawValue: fds[1]))
    }

    /// Connects to a listener on this machine, which never waits (EAGAIN: the listener's queue is full).
    static func connect(to path: FilePath) throws(Errno) -> FileDescriptor {
        let socket = try make()
        let failed = try withAddress(path) { Glibc.connect(socket.rawValue, $0, $1) } != 0 ? errno : 0
        guard failed == 0 else {
            try? socket.close()
            throw Errno(rawValue: failed)
        }
        return socket
    }

    /// Binds a new socket file, readable by its owner only, and listens.
    static func listen(at path: FilePath) throws(Errno) -> FileDescriptor {
        let socket = try make()
        var failed = try withAddress(path) { bind(socket.rawValue, $0, $1) } != 0 ? errno : 0
        if failed == 0, chmod(path.string, 0o600) != 0 || Glibc.listen(socket.rawValue, 16) != 0 { failed = errno }
        guard failed == 0 else {
            try? socket.close()
            throw Errno(rawValue: failed)
        }
        return socket
    }

    /// The next connection that waits; nil if none does. It still blocks: call `setNonBlockingAndCloseOnExec` next.
    static func accept(_ listener: FileDescriptor) throws(Errno) -> FileDescriptor? {
        while true {
            let fd = Glibc.accept(listener.rawValue, nil, nil)
            if fd >= 0 { return FileDescriptor(rawValue: fd) }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EAGAIN: return nil
            default: throw Errno(rawValue: errno)
            }
        }
    }

    /// Bytes sent; 0: the peer takes no more for now. `descriptors` go with the first byte.
    static func send(
        _ bytes: ArraySlice<UInt8>, descriptors: [FileDescriptor] = [], to socket: FileDescriptor
    ) throws(Errno) -> Int {
        let fds = descriptors.map(\.rawValue)
        while true {
            let sent = bytes.withUnsafeBytes {
                kine_send_descriptors(socket.rawValue, $0.baseAddress, $0.count, fds, Int32(fds.count))
            }
            if sent >= 0 { return sent }
            switch errno {
            case EINTR: continue
            case EAGAIN: return 0
            default: throw Errno(rawValue: errno)
            }
        }
    }

    /// Bytes read, at most the size of `buffer`; nil: nothing is there for now; 0: the end of the stream. Descriptors that came
    /// along are appended to `descriptors`, whose owner closes them; without it, the kernel drops them.
    static func receive(
        from socket: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer,
        descriptors: UnsafeMutablePointer<[FileDescriptor]>? = nil
    ) throws(Errno) -> Int? {
        while true {
            let got: Int
            if let descriptors {
                got = withUnsafeTemporaryAllocation(of: Int32.self, capacity: Int(KINE_DESCRIPTOR_LIMIT)) { fds in
                    var count: Int32 = 0
                    let got = kine_receive_descriptors(
                        socket.rawValue, buffer.baseAddress, buffer.count, fds.baseAddress, &count)
                    for fd in fds[..<Int(count)] { descriptors.pointee.append(FileDescriptor(rawValue: fd)) }
                    return got
                }
            } else {
                got = recv(socket.rawValue, buffer.baseAddress, buffer.count, 0)
            }
            if got >= 0 { return got }
            switch errno {
            case EINTR: continue
            case EAGAIN: return nil
            case ECONNRESET: return 0  // the peer died with bytes of ours unread
            default: throw Errno(rawValue: errno)
            }
        }
    }

    static func setNonBlockingAndCloseOnExec(_ socket: FileDescriptor) throws(Errno) {
        let flags = fcntl(socket.rawValue, F_GETFL)
        guard flags >= 0, fcntl(socket.rawValue, F_SETFL, flags | O_NONBLOCK) == 0,
            fcntl(socket.rawValue, F_SETFD, FD_CLOEXEC) == 0
        else { throw Errno(rawValue: errno) }
    }

    /// Waits until the socket is ready for one of `events`, or CLOCK_MONOTONIC reaches `deadline` (nanoseconds).
    static func wait(_ socket: FileDescriptor, for events: Int16, until deadline: Int64, now: () -> Int64) -> Bool {
        while true {
            let left = deadline - now()
            guard left > 0 else { return false }
            var entry = pollfd(fd: socket.rawValue, events: events, revents: 0)
            let ready = poll(&entry, 1, Int32(clamping: (left + 999_999) / 1_000_000))
            if ready > 0 { return true }
            if ready < 0, errno != EINTR { return false }
        }
    }

    /// Whether a read would not wait.
    static func isReadable(_ socket: FileDescriptor) -> Bool {
        var entry = pollfd(fd: socket.rawValue, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    private static let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)

    private static func make() throws(Errno) -> FileDescriptor {
        let fd = socket(AF_UNIX, streamType, 0)
        guard fd >= 0 else { throw Errno(rawValue: errno) }
        return FileDescriptor(rawValue: fd)
    }

    private static func withAddress<Result>(
        _ path: FilePath, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws(Errno) -> Result {
        let bytes = Array(path.string.utf8)
        guard bytes.count <= pathLimit else { throw .fileNameTooLong }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
