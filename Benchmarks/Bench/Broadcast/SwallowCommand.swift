// The other end of a stream that somebody sends over TCP: it reads and throws away.
import ArgumentParser
import CLinux
import Glibc

/// Run by `going-live` as a process of its own. Prints `port N`, and `bytes N` once the sender is gone.
struct SwallowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swallow", abstract: "Takes one connection and reads it to its end.", shouldDisplay: false)

    func run() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) | listen(listener, 1) | getsockname(listener, $0, &length)
            }
        }
        guard listener >= 0, status == 0 else { throw ValidationError("No port of 127.0.0.1 is free.") }
        print("port \(UInt16(bigEndian: address.sin_port))")
        fflush(nil)
        let connection = accept(listener, nil, nil)
        var chunk = [UInt8](repeating: 0, count: 262_144)
        var total = 0
        while true {
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { break }
            total += count
        }
        print("bytes \(total)")
    }
}
