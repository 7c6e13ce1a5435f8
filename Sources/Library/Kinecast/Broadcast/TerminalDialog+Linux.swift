// Asks one question on a terminal and reads the answer, on its own thread. Can be cancelled while it waits.
import Glibc
import KinePlatform
import KineText
import SystemPackage

enum TerminalDialog {
    /// The longest answer, in bytes.
    private static let limit = 16384
    /// The most characters shown of a line; an address has 2000 at most.
    private static let lineLimit = 3000
    /// Ctrl-C.
    private static let interrupt: UInt8 = 3

    /// Whether there is a terminal, and this process is in its foreground.
    static func isAvailable(at path: String = "/dev/tty") -> Bool {
        guard let terminal = try? open(path) else { return false }
        defer { try? terminal.close() }
        return isInForeground(of: terminal)
    }

    /// Reading in the background would stop this process. There is no group if the terminal does not control it.
    private static func isInForeground(of terminal: FileDescriptor) -> Bool {
        let group = tcgetpgrp(terminal.rawValue)
        return group < 0 || group == getpgrp()
    }

    /// Shows lines and a prompt, and waits for a line. Nil if the person types the end of input, or interrupts a
    /// secret. The text is from outside, so terminal control characters are removed.
    static func ask(
        on path: String, _ lines: [String], _ prompt: String, isSecret: Bool
    ) async throws(BroadcastError) -> String? {
        let wake = WakeSignal()
        return try await BlockingCall.run("kine-terminal") { () throws(BroadcastError) in
            try askBlocking(path, lines, prompt, isSecret: isSecret, wake)
        } onCancel: {
            wake.signal()
        }
    }

    static func show(_ line: String, on path: String) {
        guard let terminal = try? open(path) else { return }
        defer { try? terminal.close() }
        _ = try? terminal.writeAll((line.printable(limit: lineLimit) + "\n").utf8)
    }

    private static func open(_ path: String) throws(Errno) -> FileDescriptor {
        let descriptor = Glibc.open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        return FileDescriptor(rawValue: descriptor)
    }

    private static func askBlocking(
        _ path: String, _ lines: [String], _ prompt: String, isSecret: Bool, _ wake: WakeSignal
    ) throws(BroadcastError) -> String? {
        let terminal: FileDescriptor
        do throws(Errno) {
            terminal = try open(path)
        } catch {
            throw BroadcastError(
                .noPresenter,
                "There is no terminal to ask at (\(path): \(error)); give the picker a presenter of the app's.")
        }
        defer { try? terminal.close() }
        guard isInForeground(of: terminal) else {
            throw BroadcastError(
                .noPresenter,
                "This process runs in the background, where it cannot ask; bring it to the foreground (fg).")
        }
        let text = lines.map { $0.printable(limit: lineLimit) + "\n" }.joined() + prompt.printable(limit: lineLimit)
        let usual = isSecret ? hideInput(of: terminal) : nil
        defer { if let usual { restore(usual, of: terminal) } }
        do {
            _ = try terminal.writeAll(text.utf8)
            let answer = try readLine(terminal, wake, isSecret: isSecret)
            if isSecret { _ = try? terminal.writeAll("\n".utf8) }
            return answer
        } catch let error as BroadcastError {
            throw error
        } catch {
            throw BroadcastError(
                .noPresenter, "The terminal \(path) cannot be used (\(error)); open another.")
        }
    }

    /// Hides typed characters, and reads Ctrl-C as one: an ended process would leave the terminal like this.
    private static func hideInput(of terminal: FileDescriptor) -> termios? {
        var mode = termios()
        guard tcgetattr(terminal.rawValue, &mode) == 0 else { return nil }
        let usual = mode
        mode.c_lflag &= ~tcflag_t(ECHO | ISIG)
        // Ctrl-C must end the line, or reading would wait for Enter.
        withUnsafeMutableBytes(of: &mode.c_cc) { $0[Int(VEOL)] = interrupt }
        return tcsetattr(terminal.rawValue, TCSAFLUSH, &mode) == 0 ? usual : nil
    }

    private static func restore(_ mode: termios, of terminal: FileDescriptor) {
        var mode = mode
        tcsetattr(terminal.rawValue, TCSAFLUSH, &mode)
    }

    private static func readLine(
        _ terminal: FileDescriptor, _ wake: WakeSignal, isSecret: Bool
    ) throws -> String? {
        var line: [UInt8] = []
        while true {
            let ready = WakeSignal.poll([terminal.rawValue, wake.descriptor], until: nil)
            if ready[1] { throw BroadcastError.cancelled }
            var chunk = [UInt8](repeating: 0, count: 1024)
            let count: Int
            do {
                count = try chunk.withUnsafeMutableBytes { try terminal.read(into: $0) }
            } catch Errno.wouldBlock {
                continue
            }
            // The terminal is gone, or the person has typed the end of input.
            if count == 0 { return nil }
            line += chunk[..<count]
            if isSecret, line.contains(interrupt) { return nil }
            if let end = line.firstIndex(of: UInt8(ascii: "\n")) {
                return String(decoding: line[..<end], as: UTF8.self).printable(limit: limit)
            }
            if line.count > limit { return nil }
        }
    }
}
