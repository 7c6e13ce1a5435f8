// Files in memory. Linux.
import CLinux
import Glibc
import SystemPackage

/// A bounded file in memory. It outlives its readers, so a child never writes into a closed pipe. Owns its descriptor.
public final class MemoryLog: Sendable {
    /// For the child to inherit.
    public let descriptor: FileDescriptor

    /// Bytes after the first `limit` are lost. Nil if the kernel has no memory files, or no descriptor is left.
    public init?(name: String, limit: Int) {
        let fd = kine_bounded_memory_file(name, off_t(limit))
        guard fd >= 0 else { return nil }
        descriptor = FileDescriptor(rawValue: fd)
    }

    deinit { try? descriptor.close() }

    /// The line that explains a crash best: the last one with a fatal error, else the last line. Nil if the log is
    /// empty.
    public func stderrTail() -> String? { text().flatMap(Self.stderrTail) }

    /// At most the last MiB; nil if the log is empty.
    public func text() -> String? {
        // The processes that inherited the descriptor share its position: the text ends there unless one moved it.
        guard let end = try? descriptor.seek(offset: 0, from: .current), end > 0 else { return nil }
        let length = Int(min(end, 1 << 20))
        var bytes = [UInt8](repeating: 0, count: length)
        let start = end - Int64(length)
        guard
            let count = try? bytes.withUnsafeMutableBytes({ try descriptor.read(fromAbsoluteOffset: start, into: $0) })
        else { return nil }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    public static func stderrTail(in text: String) -> String? {
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
        let telling = lines.last { $0.contains("Fatal error") || $0.hasPrefix("Fatal ") } ?? lines.last
        return telling.map { String($0.drop(while: \.isWhitespace).prefix(300)) }
    }
}

/// A file in memory with fixed contents. Owns its descriptor.
public final class MemoryInput {
    /// For the child to inherit; its position is at the first byte.
    public let descriptor: FileDescriptor

    public init(_ bytes: some Sequence<UInt8>, name: String) throws {
        let bytes = Array(bytes)
        let file = kine_bounded_memory_file(name, off_t(bytes.count))
        guard file >= 0 else { throw Errno(rawValue: errno) }
        descriptor = FileDescriptor(rawValue: file)
        try descriptor.writeAll(toAbsoluteOffset: 0, bytes)
    }

    deinit { try? descriptor.close() }
}
