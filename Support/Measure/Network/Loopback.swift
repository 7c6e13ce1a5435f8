// Ports of this machine, for servers that a measurement or a test starts.
import Glibc
import Synchronization
import SystemPackage

public enum Loopback {
    /// The ports that `freePort` has given out in this process.
    private static let given = Mutex<Set<Int>>([])

    /// A port of this machine that nobody uses. No two calls in a process give the same: the server that one is for may not have
    /// taken it yet. It is none of those that the kernel gives to connections and to sockets at any port (Linux: 32768 to 60999).
    public static func freePort() throws -> Int {
        for _ in 0..<1000 {
            let port = Int.random(in: 20000..<32768)
            guard given.withLock({ $0.insert(port).inserted }) else { continue }
            let descriptor = stream()
            defer { close(descriptor) }
            let isFree = withAddress(port: port) { Glibc.bind(descriptor, $0, $1.pointee) == 0 }
            if isFree { return port }
        }
        throw Tool.Error.system(doing: "Looking for a free port", .addressInUse)
    }

    /// A socket at a port that nobody used, for the caller to close. It listens only where that is said.
    public static func bind(listening: Bool = false) throws -> (descriptor: Int32, port: Int) {
        let descriptor = stream()
        let port: Int? = withAddress(port: 0) { address, length in
            guard Glibc.bind(descriptor, address, length.pointee) == 0, !listening || listen(descriptor, 16) == 0,
                getsockname(descriptor, address, length) == 0
            else { return nil }
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                Int(UInt16(bigEndian: $0.pointee.sin_port))
            }
        }
        guard let port else {
            let failure = Errno(rawValue: errno)
            close(descriptor)
            throw Tool.Error.system(doing: "Looking for a free port", failure)
        }
        return (descriptor, port)
    }

    /// A connection with who listens there, for the caller to close.
    public static func connect(to port: Int) throws(Errno) -> FileDescriptor {
        let descriptor = stream()
        guard withAddress(port: port, { Glibc.connect(descriptor, $0, $1.pointee) }) == 0 else {
            let failure = Errno(rawValue: errno)
            close(descriptor)
            throw failure
        }
        return FileDescriptor(rawValue: descriptor)
    }

    /// Whether a program listens there.
    public static func connects(to port: Int) -> Bool { (try? connect(to: port).close()) != nil }

    private static func stream() -> Int32 {
        socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    private static func withAddress<Result>(
        port: Int, _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
        }
    }
}
