// A pipe that wakes a receiver. An eventfd would need one descriptor less, but its two ends share their flags: a
// receiver could make it blocking, fill it, and block the engine's thread for ever. A pipe's ends have separate flags.
import CLinux
import Glibc
import SystemPackage

/// Both ends of a pipe that wakes the reader.
final class WakePipe: Sendable {
    let reader: FileDescriptor
    private let writer: FileDescriptor

    init() throws(SharedMemory.Error) {
        var ends: [Int32] = [-1, -1]
        guard pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else {
            throw .system(call: "pipe2", Errno(rawValue: errno))
        }
        reader = FileDescriptor(rawValue: ends[0])
        writer = FileDescriptor(rawValue: ends[1])
    }

    deinit {
        try? reader.close()
        try? writer.close()
    }

    /// Never blocks: a full pipe also wakes the reader. Raises no SIGPIPE, because this object holds the reader too.
    func signal() {
        var byte: UInt8 = 1
        _ = write(writer.rawValue, &byte, 1)
    }

    /// Reads all signals so far; returns false if no more can come.
    static func clear(_ reader: FileDescriptor) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            while true {
                let count = read(reader.rawValue, buffer.baseAddress, buffer.count)
                if count == buffer.count { continue }
                return count != 0
            }
        }
    }
}
