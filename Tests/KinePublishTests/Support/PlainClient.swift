// A client of one socket that speaks just enough HTTP to see what a server really sends, when, and what it does to those
// who do not listen.
import CLinux
import CoreTesting
import Glibc
import KineLive
import KinePlatform
import KineText
import Testing

@testable import KinePublish

/// Blocks: use it inside `blocking`.
final class PlainClient: @unchecked Sendable {
    // Sendable: each test uses a client from one thread at a time.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    let descriptor: Int32
    private(set) var received: [UInt8] = []
    private var consumed = 0

    /// - Parameter window: bytes of the socket's receive buffer; nil leaves it to the kernel.
    init(port: Int, window: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(description: "no socket: \(errno)") }
        if var window {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &window, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(description: "cannot connect: \(errno)") }
    }

    deinit { close(descriptor) }

    func send(_ text: String) { _ = text.withCString { write(descriptor, $0, strlen($0)) } }

    func get(_ path: String, host: String = "127.0.0.1", headers: String = "", method: String = "GET") {
        send("\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n\(headers)\r\n")
    }

    /// Reads what there is, waiting up to `deadline` for the first of it. False at the end of the connection.
    func read(deadline: Int64) throws -> Bool {
        guard WakeSignal.poll([descriptor], until: deadline)[0] else {
            throw Failure(description: "nothing more came; so far \(received.count) bytes")
        }
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = Glibc.read(descriptor, &chunk, chunk.count)
        guard count > 0 else { return false }
        received.append(contentsOf: chunk[..<count])
        return true
    }

    /// A response's status line and headers.
    func head() throws -> String {
        let deadline = MonotonicClock.now() + PlainClient.timeout
        while true {
            if let end = find([13, 10, 13, 10], from: consumed) {
                defer { consumed = end + 4 }
                return String(decoding: received[consumed..<end], as: UTF8.self)
            }
            guard try read(deadline: deadline) else { throw Failure(description: "closed before a response") }
        }
    }

    /// The next chunk of a chunked body (RFC 9112, 7.1); empty at the body's end, nil at the connection's.
    func chunk() throws -> [UInt8]? {
        let deadline = MonotonicClock.now() + PlainClient.timeout
        while true {
            if let end = find([13, 10], from: consumed) {
                guard let size = Int(String(decoding: received[consumed..<end], as: UTF8.self), radix: 16) else {
                    throw Failure(description: "a chunk without size")
                }
                if received.count >= end + 2 + size + 2 {
                    let chunk = Array(received[end + 2..<end + 2 + size])
                    received.removeFirst(end + 2 + size + 2)
                    consumed = 0
                    return chunk
                }
            }
            guard try read(deadline: deadline) else { return nil }
        }
    }

    private func find(_ mark: [UInt8], from start: Int) -> Int? {
        guard received.count >= start + mark.count else { return nil }
        return (start...received.count - mark.count).first { received[$0..<$0 + mark.count].elementsEqual(mark) }
    }

    /// Long enough for a machine that does much else; only a failure waits for it.
    static let timeout: Int64 = WaitLimit.nanoseconds
}

/// What a record says, read from its bytes by their documented layout.
struct ReadRecord: Equatable {
    var kind: UInt8
    var isKeyframe: Bool
    /// Microseconds.
    var time: Int64
    var accessUnit: [UInt8]?
    var content: [UInt8]
}

/// Reads records from a chunked response.
final class RecordClient: @unchecked Sendable {
    // Sendable: as its client.
    let client: PlainClient
    private var bytes: [UInt8] = []

    init(port: Int, token: RandomToken, window: Int32? = nil) throws {
        client = try PlainClient(port: port, window: window)
        client.get("/samples", headers: token.header)
        let head = try client.head()
        guard head.hasPrefix("HTTP/1.1 200") else { throw PlainClient.Failure(description: head) }
    }

    /// Nil at the end of the stream.
    func next() throws -> ReadRecord? {
        func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 << 8 | Int($1) } }
        while true {
            if bytes.count >= 16, bytes.count >= 4 + number(0..<4) {
                let record = Array(bytes[..<(4 + number(0..<4))])
                let unit = number(6..<8)
                defer { bytes.removeFirst(record.count) }
                return ReadRecord(
                    kind: record[4], isKeyframe: record[5] & 1 == 1, time: Int64(number(8..<16)),
                    accessUnit: unit > 0 ? Array(record[unit...]) : nil, content: Array(record[16...]))
            }
            guard let chunk = try client.chunk(), !chunk.isEmpty else { return nil }
            bytes += chunk
        }
    }

    /// The next frame.
    func frame() throws -> ReadRecord? {
        while let record = try next() {
            if record.kind == LiveRecord.Kind.video.rawValue { return record }
        }
        return nil
    }
}

extension RandomToken {
    /// As the page sends it.
    var header: String { "\(RequestGate.tokenHeader): \(self)\r\n" }
}

/// Runs what blocks on a thread of its own: the server's tasks need Swift's pool.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        _ = DedicatedThread(name: "test client") {
            continuation.resume(with: Swift.Result { try body() })
        }
    }
}
