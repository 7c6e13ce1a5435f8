// Asks the person at this process's terminal a question for the engine.
import Glibc
import KinePlatform
import SystemPackage

/// A terminal at which a person can answer.
package struct TerminalQuestion {
    /// Nanoseconds for an answer, the same as in the engine.
    package static let timeout: Int64 = 60_000_000_000

    private let terminal: FileDescriptor

    /// The terminal that controls this process; nil if there is none, or if reading would stop this background process.
    package static func controlling() -> TerminalQuestion? {
        guard
            let terminal = try? FileDescriptor.open(
                "/dev/tty", .readWrite, options: .init(rawValue: O_NOCTTY | O_CLOEXEC))
        else { return nil }
        guard tcgetpgrp(terminal.rawValue) == getpgrp() else {
            try? terminal.close()
            return nil
        }
        return TerminalQuestion(terminal: terminal)
    }

    static var isPossible: Bool {
        guard let question = controlling() else { return false }
        try? question.terminal.close()
        return true
    }

    init(terminal: FileDescriptor) { self.terminal = terminal }

    /// Returns the answer; nil if there is none in time. Closes the terminal. Blocks.
    ///
    /// - Parameter withdrawal: ends the question, which was answered elsewhere or is over.
    package consuming func ask(
        _ question: String, timeout: Int64 = Self.timeout, unless withdrawal: WakeSignal? = nil
    ) -> Bool? {
        defer { try? terminal.close() }
        // Text typed before the question is not an answer.
        tcflush(terminal.rawValue, TCIFLUSH)
        guard (try? terminal.writeAll("\n\(question) [y/N] ".utf8)) != nil else { return nil }
        var line: [UInt8] = []
        let deadline = MonotonicClock.now() + timeout
        while !line.contains(UInt8(ascii: "\n")) {
            guard MonotonicClock.now() < deadline, line.count < 1024 else { return nil }
            // poll ignores negative descriptors.
            let ready = WakeSignal.poll([terminal.rawValue, withdrawal?.descriptor ?? -1], until: deadline)
            if ready[1] { _ = try? terminal.writeAll("\nThis is not asked any more.\n".utf8) }
            guard ready[0], !ready[1] else { return nil }
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = (try? bytes.withUnsafeMutableBytes { try terminal.read(into: $0) }) ?? 0
            guard count > 0 else { return nil }
            line += bytes[..<count]
        }
        let answer = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace).first?.lowercased()
        return answer == "y" || answer == "yes"
    }
}
