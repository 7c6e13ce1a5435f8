// Connected stream sockets, as both ends of two of the ways use them: blocking, whole messages at a time.
import Glibc
import KineMeasure
import SystemPackage

/// One end of a connection. Closes its descriptor when it goes away.
final class StreamSocket {
    private let file: FileDescriptor

    private init(_ number: Int32) { file = FileDescriptor(rawValue: number) }

    deinit { try? file.close() }

    /// Connects to a port of 127.0.0.1.
    static func connect(port: UInt16) throws(WayError) -> StreamSocket {
        // GCDAsyncSocket, which the samples use, leaves Nagle's algorithm on; frames are larger than a segment anyway.
        do {
            return StreamSocket(try Loopback.connect(to: Int(port)).rawValue)
        } catch {
            throw .system(doing: "Connecting to 127.0.0.1", error)
        }
    }

    static func connect(path: String) throws(WayError) -> StreamSocket {
        let socket = StreamSocket(Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        try withPath(path) { socket.file.rawValue >= 0 ? Glibc.connect(socket.file.rawValue, $0, $1) : -1 }
        return socket
    }

    /// A listener on a free port of 127.0.0.1.
    static func listen() throws -> (StreamSocket, port: Int) {
        let (descriptor, port) = try Loopback.bind(listening: true)
        return (StreamSocket(descriptor), port)
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

/// A fault between the two ends. The bench prints it and counts the way as failed.
enum WayError: Error, CustomStringConvertible {
    case system(doing: String, Errno)
    case malformed(String)
    case jpeg(String)

    var description: String {
        switch self {
        case .system(let doing, let errno):
            "\(doing) failed: \(errno); look at `ulimit -n` and at what else is running."
        case .malformed(let what): "The other end sent \(what), which is no frame; both ends must be of one build."
        case .jpeg(let reason): "libjpeg-turbo refused: \(reason)"
        }
    }
}
