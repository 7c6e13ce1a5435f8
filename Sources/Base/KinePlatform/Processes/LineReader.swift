// The lines that a program writes into a pipe.
import Glibc
import SystemPackage

/// Owns the reading end of the pipe. Used on one thread.
package final class LineReader {
    /// Bytes of a line; a longer one is left out.
    private static let longest = 64 * 1024

    private let pipe: FileDescriptor
    private var bytes: [UInt8] = []
    /// Whether the line that is being read is too long.
    private var isSkipping = false
    private var isOver = false

    package init(_ pipe: FileDescriptor) {
        self.pipe = pipe
        let flags = fcntl(pipe.rawValue, F_GETFL)
        _ = fcntl(pipe.rawValue, F_SETFL, flags | O_NONBLOCK)
        _ = fcntl(pipe.rawValue, F_SETFD, FD_CLOEXEC)
    }

    deinit { try? pipe.close() }

    /// For poll; nil once the last writer has closed, since poll would always report it as readable.
    package var descriptor: Int32? { isOver ? nil : pipe.rawValue }

    /// The whole lines that have been written since the last call, without waiting.
    package func read() -> [String] {
        var lines: [String] = []
        withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 1) { buffer in
            while !isOver {
                let count = Glibc.read(pipe.rawValue, buffer.baseAddress, buffer.count)
                if count < 0, errno == EINTR { continue }
                // Zero: every writer has closed. Else nothing is there, or the pipe is broken.
                guard count > 0 else {
                    isOver = count == 0 || errno != EAGAIN
                    return
                }
                add(UnsafeRawBufferPointer(buffer)[..<count], to: &lines)
            }
        }
        return lines
    }

    private func add(_ read: Slice<UnsafeRawBufferPointer>, to lines: inout [String]) {
        for byte in read {
            if byte == UInt8(ascii: "\n") {
                if !isSkipping { lines.append(String(decoding: bytes, as: UTF8.self)) }
                (bytes, isSkipping) = ([], false)
            } else if bytes.count == Self.longest {
                (bytes, isSkipping) = ([], true)
            } else if !isSkipping {
                bytes.append(byte)
            }
        }
    }
}
