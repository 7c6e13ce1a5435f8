// One question to a server on this machine and its answer: all of HTTP that driving a browser needs.
import Glibc
import KinePlatform
import SystemPackage

public enum HTTPExchange {
    /// Connects to 127.0.0.1, asks, and reads the answer to its end.
    /// - Parameter deadline: CLOCK_MONOTONIC nanoseconds.
    public static func ask(
        port: UInt16, method: String, path: String, content: [UInt8], deadline: Int64
    ) throws -> (status: Int, content: [UInt8]) {
        let file = try LoopbackConnection.open(port: port)
        defer { try? file.close() }
        let head =
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(content.count)\r\n\r\n"
        try file.writeAll(Array(head.utf8) + content)
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            if let (status, body) = parse(answer) { return (status, body) }
            guard WakeSignal.poll([file.rawValue], until: deadline)[0] else {
                throw Browser.Error.noAnswer("nothing came in time from \(path)")
            }
            let count = try chunk.withUnsafeMutableBytes { try file.read(into: $0) }
            guard count > 0 else { throw Browser.Error.noAnswer("it hung up on \(path)") }
            answer += chunk[..<count]
        }
    }

    /// Nil until the answer, whose length it says itself, is whole.
    private static func parse(_ answer: [UInt8]) -> (Int, [UInt8])? {
        let mark: [UInt8] = [13, 10, 13, 10]
        guard answer.count >= 4,
            let end = (0...answer.count - 4).first(where: { answer[$0..<$0 + 4].elementsEqual(mark) })
        else { return nil }
        let lines = String(decoding: answer[..<end], as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, let status = first.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        let length = lines.lazy.map { $0.lowercased() }.first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).filter { $0 != " " }) }
        guard let length, answer.count >= end + 4 + length else { return nil }
        return (status, Array(answer[(end + 4)..<(end + 4 + length)]))
    }
}

/// A TCP connection to a server on this machine.
enum LoopbackConnection {
    static func open(port: UInt16) throws -> FileDescriptor {
        let file = try socket()
        var address = address(port: port)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(file.rawValue, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let error = Errno(rawValue: errno)
            try? file.close()
            throw error
        }
        return file
    }

    static func socket() throws -> FileDescriptor {
        let file = FileDescriptor(rawValue: Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | 0o2_000_000, 0))
        guard file.rawValue >= 0 else { throw Errno(rawValue: errno) }
        return file
    }

    static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
