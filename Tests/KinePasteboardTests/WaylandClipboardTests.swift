// The clipboard of a real Wayland compositor, with wl-clipboard's programs as the other ones.
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import SystemPackage
import Testing

@testable import KinePasteboard

@Suite(.tags(.real)) struct WaylandClipboardTests {
    private let desktop: SwayDesktop
    private let clipboard: Clipboard
    private var place: Clipboard.Place { .wayland(display: desktop.display) }

    init() throws {
        desktop = try SwayDesktop(size: PixelSize(width: 64, height: 64))
        clipboard = try Clipboard([.wayland(display: desktop.display)])
    }

    private func pasted(_ type: String = "text/plain;charset=utf-8") throws -> String {
        try WLClipboard.paste(type, display: desktop.display)
    }

    @Test func `another program pastes the text in every type that it may ask for`() async throws {
        try await clipboard.own("Grüße 🎬")
        for type in ["text/plain;charset=utf-8", "text/plain", "UTF8_STRING", "TEXT", "STRING"] {
            #expect(try pasted(type) == "Grüße 🎬")
        }
        #expect(try pasted(Clipboard.groupType) == "org.example.group\nGrüße 🎬")
        #expect(try WLClipboard.types(display: desktop.display).contains(Clipboard.groupType))
        clipboard.end(until: .max)
    }

    @Test(arguments: [0, 1, 65_536, 65_537, 1 << 20])
    func `a text of any length arrives whole`(length: Int) async throws {
        let text = String(String(repeating: "0123456789abcdef", count: length / 16 + 1).prefix(length))
        try await clipboard.own(text)
        #expect(try pasted() == text)
        let other = try Clipboard([place])
        #expect(try await other.read() == ClipboardText(text, group: "org.example.group"))
        other.end(until: .max)
        clipboard.end(until: .max)
    }

    @Test func `another program's text replaces the group's, and belongs to no group`() async throws {
        try await clipboard.own("mine")
        let program = try WLClipboard.copy("foreign", display: desktop.display)
        defer { _ = program.end(signal: SIGKILL, deadline: 0) }
        try await wait(for: "the other program") { (try? pasted()) == "foreign" }
        try await wait(for: "the loss") { try await clipboard.read() == nil }
        try await clipboard.own("mine again")
        #expect(try pasted() == "mine again")
        clipboard.end(until: .max)
    }

    @Test func `an empty clipboard has no text, and its own is read back, the newest`() async throws {
        #expect(try await clipboard.read() == nil)
        for number in 1...3 { try await clipboard.own("\(number)") }
        #expect(try await clipboard.read() == ClipboardText("3", group: "org.example.group"))
        #expect(try pasted() == "3")
        clipboard.end(until: .max)
    }

    @Test func `the later of two owners has it, and gives it to the earlier`() async throws {
        let other = try Clipboard([place])
        try await clipboard.own("first", group: "a")
        try await other.own("second", group: "b")
        try await wait(for: "the loss") { try await clipboard.read() == ClipboardText("second", group: "b") }
        other.end(until: .max)
        try await wait(for: "its end") { try await clipboard.read() == nil }
        clipboard.end(until: .max)
    }

    @Test func `a program that forges the group's type gets no further than its text`() async throws {
        let program = try WLClipboard.copy("no line", type: Clipboard.groupType, display: desktop.display)
        defer { _ = program.end(signal: SIGKILL, deadline: 0) }
        try await wait(for: "the other program") { (try? pasted(Clipboard.groupType)) == "no line" }
        #expect(try await clipboard.read() == nil)
        clipboard.end(until: .max)
    }

    @Test func `an owner that does not answer is given up`() async throws {
        let program = try WLClipboard.copy("g\nforeign", type: Clipboard.groupType, display: desktop.display)
        defer { _ = program.end(signal: SIGKILL, deadline: 0) }
        try await wait(for: "the other program") { (try? pasted(Clipboard.groupType)) == "g\nforeign" }
        program.signal(SIGSTOP)
        try await wait(for: "it to stop") { ProcFiles.isStopped(program.pid) }
        await #expect(throws: Clipboard.Error.noAnswer) { _ = try await clipboard.read() }
        clipboard.end(until: .max)
    }

    @Test func `a program that does not read what it has asked for holds up nobody`() async throws {
        try await clipboard.own(String(repeating: "a", count: 1 << 20))
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.readEnd.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, pipe.writeEnd, nil]
        options.parentDeathSignal = SIGTERM
        let stuck = try ChildProcess(
            executable: try Tool.path(of: "wl-paste"), arguments: [],
            environment: ProcessEnvironment.merging(
                ProcessEnvironment.current, ["WAYLAND_DISPLAY=\(desktop.display)"]),
            options: options)
        try pipe.writeEnd.close()
        #expect(WakeSignal.poll([pipe.readEnd.rawValue], until: MonotonicClock.now() + Tool.timeout)[0])
        #expect(try pasted().utf8.count == 1 << 20)
        #expect(try await clipboard.read()?.text.utf8.count == 1 << 20)
        _ = stuck.end(signal: SIGKILL, deadline: 0)
        clipboard.end(until: .max)
    }

    @Test func `a compositor that is not there, or goes away, is an error for each request`() async throws {
        let nowhere = Clipboard.Place.wayland(display: "\(desktop.display)-none")
        let none = try Clipboard([nowhere])
        await #expect(throws: Clipboard.Error.noConnection(nowhere)) { try await none.own("a") }
        await #expect(throws: Clipboard.Error.noConnection(nowhere)) { _ = try await none.read() }
        none.end(until: .max)
        try await clipboard.own("a")
        desktop.end()
        await #expect(throws: Clipboard.Error.noConnection(place)) { while true { try await clipboard.own("b") } }
        #expect(clipboard.isOver)
        clipboard.end(until: .max)
    }

    @Test func `where the compositor has no data control, the next display is used`() async throws {
        let windowsOnly = try WaylandDesktop(size: PixelSize(width: 64, height: 64))
        let weston = Clipboard.Place.wayland(display: windowsOnly.socket)
        let none = try Clipboard([weston])
        await #expect(throws: Clipboard.Error.notSupported(weston)) { try await none.own("a") }
        none.end(until: .max)
        let screen = try PrivateScreen(size: PixelSize(width: 64, height: 64))
        let both = try Clipboard([weston, .x11(display: screen.name)])
        try await both.own("on X")
        #expect(try XClip.paste(display: screen.name) == "on X")
        both.end(until: .max)
    }
}
