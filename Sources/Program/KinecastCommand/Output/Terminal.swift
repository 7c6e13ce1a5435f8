// Text for a person, on standard error: whole lines, and one line at the bottom that is rewritten in place.
import Glibc
import KinePlatform
import KineProgram
import KineText
import SystemPackage

/// Writes lines. A line that cannot be written is dropped, for example to a closed pipe: the take matters more.
final class Terminal: Sendable {
    static let standardError = Terminal(.standardError)
    static let standardOutput = Terminal(.standardOutput)
    /// Drops all text.
    static let none = Terminal(nil)

    /// Whether the descriptor is a terminal, neither a file nor a pipe.
    let isInteractive: Bool
    private let descriptor: FileDescriptor?
    /// Nil if each call writes its line before it returns.
    let writer: LineWriter?
    private let hasStatusLine = Monitor(false)
    /// Why a line could not be written; nil: all were, or their reader has left.
    private let failure: Monitor<Errno?>

    init(_ descriptor: FileDescriptor?, writer: LineWriter? = nil, failure: Monitor<Errno?> = Monitor(nil)) {
        (self.descriptor, self.writer, self.failure) = (descriptor, writer, failure)
        isInteractive = descriptor.map { isatty($0.rawValue) == 1 } ?? false
    }

    /// The same stream, written by a thread from now on. No other object may write to it.
    func unblocked(json: Bool) -> Terminal {
        let notice = { @Sendable (count: Int) in
            let event = json ? try? JSONEvents.line(JSONEvent("dropped") { $0.count = count }) : nil
            let text = "kinecast: \(count) lines are left out here; what reads them was too slow."
            return Array("\(event ?? text)\n".utf8)
        }
        let writer = descriptor.map { descriptor in
            LineWriter(descriptor, notice: notice) { [failure] in Self.note($0, in: failure) }
        }
        return Terminal(descriptor, writer: writer, failure: failure)
    }

    /// Writes a line in place of the status line, which stays away until it is next set. Paths are raw bytes.
    func line(_ text: String) { write(line: Self.bytes(of: text, forTerminal: isInteractive)) }

    /// File names and texts of other programs may contain anything: for a terminal, U+FFFD replaces control characters.
    static func bytes(of text: String, forTerminal: Bool) -> [UInt8] {
        guard forTerminal else { return text.unescaped }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: shown.append("\u{fffd}")
            default: shown.append(scalar)
            }
        }
        let bytes = String(shown).unescaped
        // If these are not the bytes of a path, they may encode a control character.
        return String(escaping: bytes).unicodeScalars.elementsEqual(shown) ? bytes : Array(String(shown).utf8)
    }

    /// Writes JSON without changing paths: all bytes of JSON are UTF-8.
    func json(_ text: String) { write(line: Array(text.utf8)) }

    private func write(line bytes: [UInt8]) {
        let clear = hasStatusLine.withLock { shown in
            defer { shown = false }
            return shown
        }
        write(Array((clear ? "\r\u{1b}[K" : "").utf8) + bytes + [UInt8(ascii: "\n")])
    }

    /// Writes a line about a problem, with the program's name in front.
    func problem(_ text: String) { line("kinecast: \(text)") }

    /// Replaces the status line of a terminal. `text` gets the number of columns minus one for the cursor.
    func status(_ text: (_ columns: Int) -> String) {
        guard isInteractive, !isInBackground else { return }
        hasStatusLine.withLock { $0 = true }
        write(Array("\r\u{1b}[K".utf8) + Self.bytes(of: text(max(1, columns - 1)), forTerminal: true))
    }

    /// Whether a person sees what is written: a terminal, in whose foreground this process is. A desktop runs the commands
    /// of its keys without a terminal, or with the terminal from which the desktop was started.
    var isWatched: Bool {
        guard isInteractive, let descriptor else { return false }
        return tcgetpgrp(descriptor.rawValue) == getpgrp()
    }

    /// Whether another job uses the terminal; the status line would overwrite its text.
    private var isInBackground: Bool {
        guard let descriptor else { return true }
        let group = tcgetpgrp(descriptor.rawValue)
        return group >= 0 && group != getpgrp()
    }

    private var columns: Int {
        var size = winsize()
        if let descriptor, ioctl(descriptor.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
            return Int(size.ws_col)
        }
        return ProcessEnvironment.value("COLUMNS").flatMap(Int.init) ?? 80
    }

    private func write(_ bytes: [UInt8]) {
        if let writer { return writer.write(bytes) }
        do { _ = try descriptor?.writeAll(bytes) } catch { Self.note(error as? Errno ?? .ioError, in: failure) }
    }

    private static func note(_ error: Errno, in failure: Monitor<Errno?>) {
        // The reader has left, as in `kinecast sources | head -1`.
        if error != .brokenPipe { failure.withLock { $0 = $0 ?? error } }
    }

    /// Throws if something that was to be read here is lost.
    func checkWritten() throws(CommandFailure) {
        guard let error = failure.withLock({ $0 }) else { return }
        throw CommandFailure(
            status: ExitStatus.storageFailed,
            message: "Standard output cannot be written (\(error)); make room, or let it go elsewhere.")
    }
}
