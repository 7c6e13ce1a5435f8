// Connected stream sockets, as both ends of two of the ways use them: blocking, whole messages at a time.
import CLinux
import Glibc
import SystemPackage

/// One end of a connection. Closes its descriptor when it goes away.
final class StreamSocket {
    private let file: FileDescriptor

    private init(_ number: Int32) { file = FileDescriptor(rawValue: number) }

    deinit { try? file.close() }

    /// Connects to a port of 127.0.0.1.
    static func connect(port: UInt16) throws(WayError) -> StreamSocket {
        let socket = StreamSocket(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        try withLoopback(port) { socket.file.rawValue >= 0 ? Glibc.connect(socket.file.rawValue, $0, $1) : -1 }
        // GCDAsyncSocket, which the samples use, leaves Nagle's algorithm on; frames are larger than a segment anyway.
        return socket
    }

    static func connect(path: String) throws(WayError) -> StreamSocket {
        let socket = StreamSocket(Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        try withPath(path) { socket.file.rawValue >= 0 ? Glibc.connect(socket.file.rawValue, $0, $1) : -1 }
        return socket
    }

    /// A listener on a free port of 127.0.0.1.
    static func listen() throws(WayError) -> (StreamSocket, port: UInt16) {
        let socket = StreamSocket(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        try withLoopback(0) { bind(socket.file.rawValue, $0, $1) | Glibc.listen(socket.file.rawValue, 1) }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket.file.rawValue, $0, &length) }
        }
        guard status == 0 else { throw .system(doing: "Asking for the port", Errno(rawValue: errno)) }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    static func listen(path: String) throws(WayError) -> StreamSocket {
        let socket = StreamSocket(Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        try withPath(path) { bind(socket.file.rawValue, $0, $1) | Glibc.listen(socket.file.rawValue, 1) }
        return socket
    }

    /// Waits for a connection.
    func accept() throws(WayError) -> StreamSocket {
        let number = Glibc.accept(file.rawValue, nil, nil)
        guard number >= 0 else { throw .system(doing: "Accepting a connection", Errno(rawValue: errno)) }
        return StreamSocket(number)
    }

    func sendAll(_ bytes: [UInt8]) throws(WayError) {
        do {
            try file.writeAll(bytes)
        } catch {
            throw .system(doing: "Sending", error as? Errno ?? .ioError)
        }
    }

    /// What has come, at most what fits; 0 at the end.
    func receive(_ buffer: UnsafeMutableRawBufferPointer) throws(WayError) -> Int {
        do {
            return try file.read(into: buffer)
        } catch {
            throw .system(doing: "Receiving", error as? Errno ?? .ioError)
        }
    }

    private static func withLoopback(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(WayError) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard status == 0 else { throw .system(doing: "Opening a port of 127.0.0.1", Errno(rawValue: errno)) }
    }

    private static func withPath(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(WayError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        guard status == 0 else { throw .system(doing: "Opening the socket \(path)", Errno(rawValue: errno)) }
    }
}
