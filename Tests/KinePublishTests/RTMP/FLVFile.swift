// Reads FLV files (Adobe's "Video File Format Specification 10.1", annex E): what other programs made of a stream.
import Glibc
import KinePlatform
import Synchronization
import SystemPackage
import Testing

struct FLVTag: Equatable {
    /// 8 sound, 9 picture, 18 data.
    var type: Int
    /// Milliseconds.
    var timestamp: UInt32
    var payload: [UInt8]

    /// Not a sequence header or the end of one.
    var isSample: Bool { type != 18 && payload.count > 1 && payload[1] == 1 }
    var isKeyframe: Bool { type == 9 && payload[0] >> 4 == 1 }
}

enum FLVFile {
    /// All whole tags; a file that is still being written may end anywhere.
    static func tags(_ bytes: [UInt8]) -> [FLVTag] {
        var tags: [FLVTag] = []
        var at = 13
        func number(_ offset: Int, _ count: Int) -> Int {
            bytes[offset..<(offset + count)].reduce(0) { $0 << 8 | Int($1) }
        }
        while at + 11 <= bytes.count {
            let size = number(at + 1, 3)
            guard at + 11 + size + 4 <= bytes.count else { break }
            // The highest byte of the time comes last (E.4.1).
            let time = UInt32(number(at + 4, 3) | Int(bytes[at + 7]) << 24)
            tags.append(
                FLVTag(
                    type: Int(bytes[at] & 31), timestamp: time, payload: Array(bytes[(at + 11)..<(at + 11 + size)])))
            at += 11 + size + 4
        }
        return tags
    }

    static func read(_ path: String) throws -> [FLVTag] {
        let file = try FileDescriptor.open(FilePath(path), .readOnly)
        defer { try? file.close() }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = try buffer.withUnsafeMutableBytes({ try file.read(into: $0) }), count > 0 {
            bytes += buffer[..<count]
        }
        return tags(bytes)
    }
}

/// A directory that goes with the value.
final class ServerFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/kinecast-rtmp-XXXXXX".utf8CString)
        path = try #require(mkdtemp(&template).map { String(cString: $0) })
        chmod(path, 0o755)
    }

    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ text: String, to name: String) throws {
        let file = try FileDescriptor.open(
            FilePath(self(name)), .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite, .groupRead])
        defer { try? file.close() }
        try file.writeAll(text.utf8)
    }

    deinit { _ = try? ServerProgram("rm", ["-rf", path]).wait() }
}

/// A program that runs until it is let go; a missing one is a failure.
final class ServerProgram: Sendable {
    /// nil once it has ended and was waited for.
    private let child: Mutex<ChildProcess?>

    init(_ tool: String, _ arguments: [String], log: String? = nil) throws {
        let output = try FileDescriptor.open(
            FilePath(log ?? "/dev/null"), .writeOnly, options: [.create], permissions: .ownerReadWrite)
        defer { try? output.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, output, output]
        child = Mutex(
            try ChildProcess(
                executable: "/usr/bin/env", arguments: [tool] + arguments,
                environment: ["PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin", "HOME=/tmp"], options: options))
    }

    /// Blocks until it has ended by itself.
    @discardableResult func wait() -> ChildProcess.Ending? {
        child.withLock { child in
            defer { child = nil }
            return child?.wait()
        }
    }

    deinit { _ = child.withLock { $0?.end(deadline: MonotonicClock.now() + 5_000_000_000) } }

    /// A port of this machine that nobody uses.
    static func freePort() throws -> Int {
        let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(probe) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(probe, $0, size) == 0 && getsockname(probe, $0, &size) == 0
            }
        }
        try #require(isBound)
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
