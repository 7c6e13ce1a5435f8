// Unix sockets: their system calls, each with its errno. Descriptors are closed on exec and non-blocking, unless stated
// otherwise; no call raises SIGPIPE.
import CLinux
import Glibc
import KineText
import SystemPackage

package enum UnixSocket {
    /// The longest path in a socket address, in bytes (unix(7): sun_path without the terminator).
    package static let pathLimit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Two connected sockets. `keepsPackets`: what is sent at once arrives at once (SOCK_SEQPACKET).
    package static func pair(keepsPackets: Bool = false) throws(Errno) -> (FileDescriptor, FileDescriptor) {
        var fds: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, socketType(keepsPackets ? SOCK_SEQPACKET : SOCK_STREAM), 0, &fds) == 0 else {
            throw Errno(rawValue: errno)
        }
        return (FileDescriptor(rawValue: fds[0]), FileDescriptor(rawValue: fds[1]))
    }

    /// Connects to a listener on this machine without waiting (EAGAIN: the listener's queue is full).
    package static func connect(to path: FilePath) throws(Errno) -> FileDescriptor {
        try make(path) { Glibc.connect($0, $1, $2) }
    }

    /// Whether a server accepts connections at that path, as `String(escaping:)`. One that hangs with a full queue does
    /// not.
    package static func accepts(_ path: String) -> Bool {
        guard let socket = try? connect(to: FilePath(escaped: path)) else { return false }
        try? socket.close()
        return true
    }

    /// Binds a new socket file, readable only by its owner, and listens. The queue is as long as the kernel allows: a
    /// process that hangs accepts no connections, but clients must be able to connect to end it.
    package static func listen(at path: FilePath) throws(Errno) -> FileDescriptor {
        try make(path) { socket, address, length in
            bind(socket, address, length) == 0 && chmod(path.cString, 0o600) == 0 ? Glibc.listen(socket, SOMAXCONN) : -1
        }
    }

    /// The next waiting connection, if any. It still blocks: call `setNonBlockingAndCloseOnExec` next.
    package static func accept(_ listener: FileDescriptor) throws(Errno) -> FileDescriptor? {
        while true {
            do throws(Errno) {
                return try unlessItWouldWait { Int(Glibc.accept(listener.rawValue, nil, nil)) }
                    .map { FileDescriptor(rawValue: Int32($0)) }
            } catch {
                if error != .connectionAbort { throw error }
            }
        }
    }

    /// Bytes sent; 0: the peer accepts no more for now. `descriptors` are sent with the first byte.
    package static func send(
        _ bytes: ArraySlice<UInt8>, descriptors: [FileDescriptor] = [], to socket: FileDescriptor
    ) throws(Errno) -> Int {
        let fds = descriptors.map(\.rawValue)
        return try unlessItWouldWait {
            bytes.withUnsafeBytes {
                kine_send_descriptors(socket.rawValue, $0.baseAddress, $0.count, fds, Int32(fds.count))
            }
        } ?? 0
    }

    /// Bytes read, at most the size of `buffer`; nil: no input for now; 0: the end of the stream. Received descriptors
    /// are appended to `descriptors`, whose owner closes them; without it, the kernel drops them.
    package static func receive(
        from socket: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer,
        descriptors: UnsafeMutablePointer<[FileDescriptor]>? = nil
    ) throws(Errno) -> Int? {
        do throws(Errno) {
            return try unlessItWouldWait {
                guard let descriptors else { return recv(socket.rawValue, buffer.baseAddress, buffer.count, 0) }
                return withUnsafeTemporaryAllocation(of: Int32.self, capacity: Int(KINE_DESCRIPTOR_LIMIT)) { fds in
                    var count: Int32 = 0
                    let got = kine_receive_descriptors(
                        socket.rawValue, buffer.baseAddress, buffer.count, fds.baseAddress, &count)
                    for fd in fds[..<Int(count)] { descriptors.pointee.append(FileDescriptor(rawValue: fd)) }
                    return got
                }
            }
        } catch {
            // The peer died without reading all of our bytes.
            if error == .connectionReset { return 0 }
            throw error
        }
    }

    /// The result of a system call, repeated after a signal; nil if it would block.
    private static func unlessItWouldWait(_ call: () -> Int) throws(Errno) -> Int? {
        while true {
            let result = call()
            if result >= 0 { return result }
            switch errno {
            case EINTR: continue
            case EAGAIN: return nil
            default: throw Errno(rawValue: errno)
            }
        }
    }

    package static func setNonBlockingAndCloseOnExec(_ socket: FileDescriptor) throws(Errno) {
        let flags = fcntl(socket.rawValue, F_GETFL)
        guard flags >= 0, fcntl(socket.rawValue, F_SETFL, flags | O_NONBLOCK) == 0,
            fcntl(socket.rawValue, F_SETFD, FD_CLOEXEC) == 0
        else { throw Errno(rawValue: errno) }
    }

    /// Waits until the socket is ready for one of `events`, or CLOCK_MONOTONIC reaches `deadline` (nanoseconds).
    package static func wait(_ socket: FileDescriptor, for events: Int16, until deadline: Int64) -> Bool {
        guard MonotonicClock.now() < deadline else { return false }
        var entries = [pollfd(fd: socket.rawValue, events: events, revents: 0)]
        WakeSignal.poll(&entries, until: deadline)
        return entries[0].revents != 0
    }

    /// Whether a read would not block.
    package static func isReadable(_ socket: FileDescriptor) -> Bool {
        var entry = pollfd(fd: socket.rawValue, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    private static func directoryDescriptor(_ path: FilePath) throws(Errno) -> FileDescriptor {
        do {
            return try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .directory])
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    private static func socketType(_ kind: __socket_type) -> Int32 {
        Int32(kind.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    }

    /// Creates a socket for which `use`, given the address of `path`, returns 0.
    private static func make(
        _ path: FilePath, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(Errno) -> FileDescriptor {
        var bytes = path.escaped.unescaped
        var directory: FileDescriptor?
        defer { try? directory?.close() }
        if bytes.count > pathLimit, let name = path.lastComponent {
            // The directory's own name in an address would be too long: its descriptor has a short one.
            let parent = try directoryDescriptor(path.removingLastComponent())
            directory = parent
            bytes = Array("/proc/self/fd/\(parent.rawValue)/".utf8) + FilePath(root: nil, [name]).escaped.unescaped
        }
        guard bytes.count <= pathLimit else { throw .fileNameTooLong }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let fd = socket(AF_UNIX, socketType(SOCK_STREAM), 0)
        guard fd >= 0 else { throw Errno(rawValue: errno) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                use(fd, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else {
            let failure = Errno(rawValue: errno)
            close(fd)
            throw failure
        }
        return FileDescriptor(rawValue: fd)
    }
}
