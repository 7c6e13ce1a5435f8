// The clipboard of a real X server, with xclip as the other program.
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import Synchronization
import SystemPackage
import Testing

@testable import KinePasteboard

@Suite struct X11ClipboardTests {
    private let screen: PrivateScreen
    private let clipboard: X11Clipboard

    init() throws {
        screen = try PrivateScreen(size: PixelSize(width: 64, height: 64))
        clipboard = try X11Clipboard(display: screen.name)
    }

    private func own(_ text: String, group: String = "org.example.group", _ clipboard: X11Clipboard) async throws {
        try await withCheckedContinuation { continuation in
            clipboard.own(ClipboardText(text, group: group)) { continuation.resume(returning: $0) }
        }.get()
    }

    private func read(_ clipboard: X11Clipboard) async throws -> ClipboardText? {
        try await withCheckedContinuation { continuation in
            clipboard.read { continuation.resume(returning: $0) }
        }.get()
    }

    private func pasted(_ target: String) throws -> String { try XClip.paste(target, display: screen.name) }

    @Test func `another program pastes the text in every form that it may ask for`() async throws {
        try await own("Grüße 🎬", clipboard)
        #expect(try pasted("UTF8_STRING") == "Grüße 🎬")
        #expect(try pasted("text/plain;charset=utf-8") == "Grüße 🎬")
        #expect(try pasted("TEXT") == "Grüße 🎬")
        #expect(try pasted(X11Clipboard.groupTarget) == "org.example.group\nGrüße 🎬")
        let targets = try pasted("TARGETS").split(separator: "\n").map(String.init)
        #expect(Set(["TARGETS", "TIMESTAMP", "MULTIPLE", "UTF8_STRING", "STRING"]).isSubset(of: targets))
        clipboard.end(until: .max)
    }

    @Test(arguments: [0, 1, 262_144, 262_145, 1 << 20])
    func `a text of any length arrives whole, in pieces where it is long`(length: Int) async throws {
        let text = String(repeating: "0123456789abcdef", count: length / 16 + 1).prefix(length)
        try await own(String(text), clipboard)
        #expect(try pasted("UTF8_STRING") == text)
        let other = try X11Clipboard(display: screen.name)
        #expect(try await read(other) == ClipboardText(String(text), group: "org.example.group"))
        other.end(until: .max)
        clipboard.end(until: .max)
    }

    @Test func `what another program has copied is nobody's in a group, and takes the clipboard over`() async throws {
        try await own("mine", clipboard)
        let program = try XClip.copy("foreign", display: screen.name)
        defer { _ = program.end(signal: SIGKILL, deadline: 0) }
        try await wait(for: "the other program") { try pasted("UTF8_STRING") == "foreign" }
        try await wait(for: "the loss") { try await read(clipboard) == nil }
        try await own("mine again", clipboard)
        #expect(try pasted("UTF8_STRING") == "mine again")
        clipboard.end(until: .max)
    }

    @Test func `an empty clipboard has no text, and its own is read back`() async throws {
        #expect(try await read(clipboard) == nil)
        try await own("a", group: "g", clipboard)
        #expect(try await read(clipboard) == ClipboardText("a", group: "g"))
        clipboard.end(until: .max)
    }

    @Test func `the later of two owners has it, and gives it to the earlier`() async throws {
        let other = try X11Clipboard(display: screen.name)
        try await own("first", group: "a", clipboard)
        try await own("second", group: "b", other)
        try await wait(for: "the loss") { try await read(clipboard) == ClipboardText("second", group: "b") }
        other.end(until: .max)
        #expect(try await read(clipboard) == nil, "there is no clipboard manager to keep it")
        clipboard.end(until: .max)
    }

    @Test func `at the end a clipboard manager gets the text`() async throws {
        let saved = try ClipboardManager(screen.name)
        try await own("kept", group: "g", clipboard)
        clipboard.end(until: .max)
        #expect(saved.text == "kept")
    }

    @Test func `a display that is not there, or goes away, is an error for each request`() async throws {
        let none = try X11Clipboard(display: ":987")
        await #expect(throws: X11Clipboard.Error.noConnection(display: ":987")) { try await own("a", none) }
        await #expect(throws: X11Clipboard.Error.noConnection(display: ":987")) { _ = try await read(none) }
        none.end(until: .max)
        try await own("a", clipboard)
        screen.end()
        await #expect(throws: X11Clipboard.Error.noConnection(display: screen.name)) {
            while true { try await own("b", clipboard) }
        }
        clipboard.end(until: .max)
    }

    @Test func `an owner that does not answer is given up`() async throws {
        let program = try XClip.copy("foreign", display: screen.name)
        try await wait(for: "the other program") { try pasted("UTF8_STRING") == "foreign" }
        program.signal(SIGSTOP)
        await #expect(throws: X11Clipboard.Error.noAnswer) { _ = try await read(clipboard) }
        _ = program.end(signal: SIGKILL, deadline: 0)
        clipboard.end(until: .max)
    }

    @Test func `only a group on one short line before the text is one`() {
        #expect(SelectionReader.text(in: Array("g\na\nb".utf8)) == ClipboardText("a\nb", group: "g"))
        #expect(SelectionReader.text(in: Array("\na".utf8)) == nil)
        #expect(SelectionReader.text(in: Array("no line".utf8)) == nil)
        #expect(SelectionReader.text(in: Array(String(repeating: "g", count: 101).utf8) + [0x0a]) == nil)
        #expect(SelectionReader.text(in: [0x67, 0x0a, 0xff]) == nil)
    }
}
