// The clipboard of a real X server, with xclip as the other program.
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import ScreenTesting
import Synchronization
import SystemPackage
import Testing

@testable import KinePasteboard

@Suite(.tags(.real)) struct X11ClipboardTests {
    private let screen: PrivateScreen
    private let clipboard: Clipboard

    init() throws {
        screen = try PrivateScreen(size: PixelSize(width: 64, height: 64))
        clipboard = try Clipboard([.x11(display: screen.name)])
    }

    private func pasted(_ target: String) throws -> String { try XClip.paste(target, display: screen.name) }

    @Test func `another program pastes the text in every form that it may ask for`() async throws {
        try await clipboard.own("Grüße 🎬")
        #expect(try pasted("UTF8_STRING") == "Grüße 🎬")
        #expect(try pasted("text/plain;charset=utf-8") == "Grüße 🎬")
        #expect(try pasted("TEXT") == "Grüße 🎬")
        #expect(try pasted(Clipboard.groupType) == "org.example.group\nGrüße 🎬")
        let targets = try pasted("TARGETS").split(separator: "\n").map(String.init)
        #expect(Set(["TARGETS", "TIMESTAMP", "MULTIPLE", "UTF8_STRING", "STRING"]).isSubset(of: targets))
        clipboard.end(until: .max)
    }

    @Test(arguments: [0, 1, 262_144, 262_145, 1 << 20])
    func `a text of any length arrives whole, in pieces where it is long`(length: Int) async throws {
        let text = String(repeating: "0123456789abcdef", count: length / 16 + 1).prefix(length)
        try await clipboard.own(String(text))
        #expect(try pasted("UTF8_STRING") == text)
        let other = try Clipboard([.x11(display: screen.name)])
        #expect(try await other.read() == ClipboardText(String(text), group: "org.example.group"))
        other.end(until: .max)
        clipboard.end(until: .max)
    }

    @Test func `another program's text replaces the group's, and belongs to no group`() async throws {
        try await clipboard.own("mine")
        let program = try XClip.copy("foreign", display: screen.name)
        defer { _ = program.end(signal: SIGKILL, deadline: 0) }
        try await wait(for: "the other program") { (try? pasted("UTF8_STRING")) == "foreign" }
        try await wait(for: "the loss") { try await clipboard.read() == nil }
        try await clipboard.own("mine again")
        #expect(try pasted("UTF8_STRING") == "mine again")
        clipboard.end(until: .max)
    }

    @Test func `an empty clipboard has no text, and its own is read back`() async throws {
        #expect(try await clipboard.read() == nil)
        try await clipboard.own("a", group: "g")
        #expect(try await clipboard.read() == ClipboardText("a", group: "g"))
        clipboard.end(until: .max)
    }

    @Test func `the later of two owners has it, and gives it to the earlier`() async throws {
        let other = try Clipboard([.x11(display: screen.name)])
        try await clipboard.own("first", group: "a")
        try await other.own("second", group: "b")
        try await wait(for: "the loss") { try await clipboard.read() == ClipboardText("second", group: "b") }
        other.end(until: .max)
        #expect(try await clipboard.read() == nil, "there is no clipboard manager to keep it")
        clipboard.end(until: .max)
    }

    @Test func `at the end a clipboard manager gets the text`() async throws {
        let saved = try ClipboardManager(screen.name)
        try await clipboard.own("kept", group: "g")
        clipboard.end(until: .max)
        #expect(saved.text == "kept")
    }

    @Test func `a display that is not there, or goes away, is an error for each request`() async throws {
        let none = try Clipboard([.x11(display: ":987")])
        await #expect(throws: Clipboard.Error.noConnection(.x11(display: ":987"))) { try await none.own("a") }
        await #expect(throws: Clipboard.Error.noConnection(.x11(display: ":987"))) { _ = try await none.read() }
        none.end(until: .max)
        try await clipboard.own("a")
        screen.end()
        await #expect(throws: Clipboard.Error.noConnection(.x11(display: screen.name))) {
            while true { try await clipboard.own("b") }
        }
        clipboard.end(until: .max)
    }

    @Test func `an owner that does not answer is given up`() async throws {
        let program = try XClip.copy("foreign", display: screen.name)
        try await wait(for: "the other program") { (try? pasted("UTF8_STRING")) == "foreign" }
        program.signal(SIGSTOP)
        try await wait(for: "it to stop") { ProcFiles.isStopped(program.pid) }
        await #expect(throws: Clipboard.Error.noAnswer) { _ = try await clipboard.read() }
        _ = program.end(signal: SIGKILL, deadline: 0)
        clipboard.end(until: .max)
    }

    @Test func `an owner that sends its text too slowly is given up`() throws {
        let server = try #require(XServer(display: screen.name))
        let result = Mutex<Result<ClipboardText?, Clipboard.Error>?>(nil)
        var reader = SelectionReader(server)
        reader.read({ answer in result.withLock { $0 = answer } }, at: 0)
        server.set(server[.data], of: server.window, type: server[.incremental], words: [100])
        reader.answered(server[.data], at: 0)
        for second in 1...19 {
            server.set(server[.data], of: server.window, type: server[.group], bytes: Array("a".utf8))
            reader.changed(at: Int64(second) * 1_000_000_000)
        }
        #expect(result.withLock { $0 } == nil)
        reader.expire(at: 20_000_000_000)
        #expect(result.withLock { $0 } == .failure(.noAnswer))
    }

    @Test func `programs that do not read what they have asked for shut nobody out`() async throws {
        let length = 1 << 20
        try await clipboard.own(String(repeating: "a", count: length))
        let stuck = try (0..<40).map { _ in try #require(XServer(display: screen.name)) }
        for client in stuck {
            client.convert(.clipboard, to: .utf8String, in: .data, at: 0)
            // Its answer says that the server has the request.
            _ = client.owner(of: .clipboard)
        }
        #expect(try pasted("UTF8_STRING").utf8.count == length)
        clipboard.end(until: 0)
    }

    @Test func `requests after the end fail`() async throws {
        try await clipboard.own("a")
        clipboard.end(until: .max)
        await #expect(throws: Clipboard.Error.ended) { try await clipboard.own("b") }
        await #expect(throws: Clipboard.Error.ended) { _ = try await clipboard.read() }
    }
}
