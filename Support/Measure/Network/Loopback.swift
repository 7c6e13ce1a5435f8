// Ports of this machine, for servers that a measurement or a test starts.
import Glibc
import SystemPackage

public enum Loopback {
    /// A port of this machine that nobody uses.
    public static func freePort() throws -> Int {
        try withLoopbackSocket(port: 0) { descriptor, address, length in
            guard bind(descriptor, address, length.pointee) == 0, getsockname(descriptor, address, length) == 0 else {
                throw Tool.Error.system(doing: "Looking for a free port", Errno(rawValue: errno))
            }
            return Int(
                UInt16(
                    bigEndian: UnsafeRawPointer(address).assumingMemoryBound(to: sockaddr_in.self).pointee.sin_port))
        }
    }

    /// Whether somebody listens there.
    public static func connects(to port: Int) -> Bool {
        (try? withLoopbackSocket(port: port) { connect($0, $1, $2.pointee) == 0 }) ?? false
    }

    private static func withLoopbackSocket<Result>(
        port: Int, _ body: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) throws -> Result
    ) throws -> Result {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return try withUnsafeMutablePointer(to: &address) { address in
            try address.withMemoryRebound(to: sockaddr.self, capacity: 1) { try body(descriptor, $0, &length) }
        }
    }
}
