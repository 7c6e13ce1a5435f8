// Writes lines on its own thread, so that a reader that stops reading delays only its lines.
import Glibc
import KinePlatform
import SystemPackage

/// Writes to one descriptor. Other programs share it, so it stays blocking. Lives as long as the process.
final class LineWriter: Sendable {
    /// The most waiting bytes. Further lines are dropped until all others are written; one line then says how many.
    static let limit = 1 << 20

    private struct State {
        var lines: [[UInt8]] = []
        /// The bytes of all lines that are not yet written, including the one being written.
        var bytes = 0
        var leftOut = 0
        var keepsAll = false
    }

    private let state = Monitor(State())
    private let written = WakeSignal()
    private let notice: @Sendable (_ leftOut: Int) -> [UInt8]

    /// - Parameter failed: is called on the thread for a line that cannot be written.
    init(
        _ descriptor: FileDescriptor, notice: @escaping @Sendable (_ leftOut: Int) -> [UInt8],
        failed: @escaping @Sendable (Errno) -> Void = { _ in }
    ) {
        self.notice = notice
        _ = DedicatedThread(name: "output") { [state, written] in
            while let line = state.wait(for: { $0.lines.isEmpty ? nil : $0.lines.removeFirst() }) {
                Self.write(line, to: descriptor, failed)
                state.withLock { $0.bytes -= line.count }
                written.signal()
            }
        }
    }

    func write(_ line: [UInt8]) {
        state.signal { state in
            let isBehind = state.bytes > 0 && (state.leftOut > 0 || state.bytes + line.count > Self.limit)
            guard state.keepsAll || !isBehind else { return state.leftOut += 1 }
            let lines = state.leftOut > 0 ? [notice(state.leftOut), line] : [line]
            state.leftOut = 0
            state.lines += lines
            state.bytes += lines.joined().count
        }
    }

    /// Stops dropping lines: only the end of the take is still to be reported.
    func keepAll() { state.withLock { $0.keepsAll = true } }

    /// A descriptor that becomes readable when a line is written; nil if all are written.
    var pending: Int32? {
        written.clear()
        return state.withLock { $0.bytes > 0 } ? written.descriptor : nil
    }

    /// A line that cannot be written is dropped, for example to a closed pipe.
    private static func write(_ line: [UInt8], to descriptor: FileDescriptor, _ failed: (Errno) -> Void) {
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor.rawValue, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest.removeFirst(count)
            } else if errno == EAGAIN {
                // Another program that shares the descriptor has made it non-blocking.
                var entries = [pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)]
                WakeSignal.poll(&entries, until: nil)
            } else if errno != EINTR {
                return failed(Errno(rawValue: errno))
            }
        }
    }
}
