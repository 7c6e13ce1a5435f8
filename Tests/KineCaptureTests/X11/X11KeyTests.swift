// Keys in the frames of a real X server.
import CXCB
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@testable import KineCapture
@testable import KineX11

@Suite(.serialized, .tags(.real)) struct X11KeyTests {
    private static let ground: UInt32 = 0x20_4060
    private static let size = PixelSize(width: 320, height: 240)
    /// An hour: no badge is missed, however busy the machine.
    private static let hold: Int64 = 3_600_000_000_000

    /// Answers what the test wants.
    private final class Inspector: FocusInspector {
        let object: Monitor<String?>
        var focusMoved: () -> Void = {}
        var pollEntries: [pollfd] { [] }
        var nextDeadline: Int64? { nil }

        init(_ object: Monitor<String?>) { self.object = object }

        func process() {}
        func ask(process: Int32, answer: @escaping (String?) -> Void) {
            answer(process == getpid() ? object.withLock { $0 } : nil)
        }
    }

    private struct Fixture {
        let screen: PrivateScreen
        let painter: Painter
        /// Has the focus.
        let window: UInt32
        /// The object with the focus, if what is typed there may be seen.
        let object = Monitor<String?>("field")

        init(application: String = "Editor") throws {
            screen = try PrivateScreen(size: X11KeyTests.size)
            painter = try Painter(display: screen.name)
            window = painter.window(PixelRect(size: X11KeyTests.size), colour: X11KeyTests.ground)
            painter.setApplication(window, application)
            painter.setProcess(window, getpid())
            painter.focus(window)
        }

        func watcher(
            _ keys: TakeConfiguration.ShownKeys, _ target: X11ScreenSource.Target = .screen(monitor: nil),
            excluding: [X11WindowRule] = []
        ) throws -> Watcher {
            let object = object
            return try Watcher(
                target, on: screen.name, keys: KeyDisplay(keys, hold: X11KeyTests.hold) { Inspector(object) },
                excluding: excluding)
        }
    }

    /// The frame of the ground with this badge, and the badge's place.
    private func frame(_ text: String) throws -> (pixels: [UInt32], rect: PixelRect) {
        let image = try #require(KeyBadge(frameHeight: Self.size.height).image(of: text))
        let rect = PixelRect(
            origin: (
                (Self.size.width - image.size.width) / 2,
                Self.size.height - image.size.height - image.size.height / 2
            ), size: image.size)
        var pixels = [UInt32](repeating: Self.ground, count: Self.size.area)
        pixels.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            image.draw(
                at: (rect.x, rect.y), over: base, stride: Self.size.width * 4, area: PixelRect(size: Self.size))
        }
        return (pixels.map { $0 & 0xff_ffff }, rect)
    }

    /// Types a letter again and again until its badge is shown: until the focus is known, none is.
    private func type(_ key: Painter.Key, _ fixture: Fixture, until text: String, in watcher: Watcher) throws {
        let expected = try frame(text).pixels
        let deadline = MonotonicClock.now() + 60_000_000_000
        while watcher.pixels != expected, MonotonicClock.now() < deadline {
            fixture.painter.press(key)
            while try watcher.wait(until: MonotonicClock.now() + 250_000_000) == .changed, watcher.pixels != expected {
                try watcher.look()
            }
        }
        #expect(watcher.pixels == expected)
    }

    /// Presses keys, and expects nothing of them: a badge that is there stays.
    private func expectNothing(of keys: [Painter.Key], _ fixture: Fixture, in watcher: Watcher) throws {
        let before = watcher.pixels
        for key in keys { fixture.painter.press(key) }
        let deadline = MonotonicClock.now() + 700_000_000
        while try watcher.wait(until: deadline) == .changed {
            try watcher.look()
            #expect(watcher.pixels == before)
        }
    }

    @Test func `a shortcut is shown at the bottom, and nothing else changes`() throws {
        let fixture = try Fixture()
        let watcher = try fixture.watcher(.shortcuts)
        try watcher.settle()
        let (pixels, rect) = try frame("Ctrl + Shift + T")
        fixture.painter.press(.t, with: .control, .shift)
        #expect(try watcher.follow { $0.pixels == pixels } == DamageRegion.tiles([rect]))
    }

    @Test func `a badge fades and is gone without a trace`() throws {
        let fixture = try Fixture()
        let connection = try X11Connection(display: fixture.screen.name)
        let keys = try X11Keys(
            KeyDisplay(.shortcuts), in: KeyScope(), frameHeight: Self.size.height, connection: connection,
            display: fixture.screen.name, cancellation: nil)
        fixture.painter.press(.f5)
        try wait("the badge") {
            guard let event = xcb_poll_for_event(connection.handle) else { return false }
            defer { free(event) }
            return event.pointee.response_type & 0x7f == UInt8(XCB_CLIENT_MESSAGE)
        }
        keys.note()
        #expect(keys.hasChanged)
        var overlay = KeyOverlay()
        overlay.advance(to: 0, keys.picture)
        let (shown, rect) = try frame("F5")
        let region = DamageRegion.tiles([rect])
        var frames: [[UInt32]] = []
        func draw() {
            var damage = DamageRegion(size: Self.size)
            overlay.update(damage: &damage)
            #expect(damage == region)
            var pixels = [UInt32](repeating: Self.ground, count: Self.size.area)
            pixels.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                overlay.paint(over: base, stride: Self.size.width * 4, area: PixelRect(size: Self.size))
            }
            frames.append(pixels.map { $0 & 0xff_ffff })
        }
        draw()
        while let deadline = overlay.deadline {
            overlay.advance(to: deadline, keys.picture)
            draw()
        }
        #expect(frames.count == 1 + BadgeFading.steps && Set(frames).count == frames.count)
        #expect(frames.first == shown && frames.last?.allSatisfy { $0 == Self.ground } == true)
        #expect(!overlay.hasChanged)
    }

    @Test func `with shortcuts no letter is shown, also where it may be seen`() throws {
        let fixture = try Fixture()
        let watcher = try fixture.watcher(.shortcuts)
        try watcher.settle()
        try expectNothing(of: [.a, .s, .a], fixture, in: watcher)
    }

    @Test func `with all, letters are shown where they may be seen, and nowhere else`() throws {
        let fixture = try Fixture()
        let watcher = try fixture.watcher(.all)
        try type(.a, fixture, until: "a", in: watcher)
        // The same window says now that it is a password's.
        fixture.object.withLock { $0 = nil }
        try expectNothing(of: [.s, .s, .t], fixture, in: watcher)
        fixture.object.withLock { $0 = "field" }
        try type(.t, fixture, until: "t", in: watcher)
    }

    @Test func `what is typed while a program has the keyboard for itself is never shown`() throws {
        let fixture = try Fixture()
        let watcher = try fixture.watcher(.all)
        try type(.a, fixture, until: "a", in: watcher)
        fixture.painter.setKeyboardGrabbed(true)
        try expectNothing(of: [.s, .t], fixture, in: watcher)
        fixture.painter.setKeyboardGrabbed(false)
        try type(.s, fixture, until: "s", in: watcher)
        // As a window manager switches windows.
        let other = fixture.painter.window(PixelRect(size: Self.size), colour: Self.ground)
        fixture.painter.setApplication(other, "Editor")
        fixture.painter.setProcess(other, getpid())
        fixture.painter.setKeyboardGrabbed(true)
        fixture.painter.focus(other)
        fixture.painter.setKeyboardGrabbed(false)
        try type(.t, fixture, until: "t", in: watcher)
    }

    @Test func `what is typed in a terminal, or in a window that does not say whose it is, is not shown`() throws {
        let fixture = try Fixture(application: "XTerm")
        let watcher = try fixture.watcher(.all)
        try watcher.settle()
        try expectNothing(of: [.a, .s, .t], fixture, in: watcher)
        fixture.painter.setApplication(fixture.window, "Editor")
        fixture.painter.setProcess(fixture.window, 1)
        try expectNothing(of: [.a, .s, .t], fixture, in: watcher)
        fixture.painter.setProcess(fixture.window, getpid())
        try type(.s, fixture, until: "s", in: watcher)
    }

    @Test func `of a window or an application only its own keys are shown, and of a hidden window none`() throws {
        let fixture = try Fixture()
        let other = fixture.painter.window(PixelRect(x: 0, y: 0, width: 50, height: 50), colour: Self.ground)
        fixture.painter.setApplication(other, "Vault")
        fixture.painter.setProcess(other, getpid())
        let sources: [(X11ScreenSource.Target, excluded: [X11WindowRule])] = [
            (.window(.id(fixture.window)), []), (.application("editor", monitor: nil), []),
            (.screen(monitor: nil), [.application("vault")]),
        ]
        for (target, excluded) in sources {
            let watcher = try fixture.watcher(.all, target, excluding: excluded)
            fixture.painter.focus(fixture.window)
            try watcher.settle()
            fixture.painter.press(.t, with: .control)
            let expected = try frame("Ctrl + T").pixels
            try watcher.follow { Array($0.pixels[(100 * 320)...]) == Array(expected[(100 * 320)...]) }
            fixture.painter.focus(other)
            try expectNothing(of: [.a, .f5, .s, .escape], fixture, in: watcher)
        }
    }

    @Test func `the thread of the keys ends with the source`() throws {
        let fixture = try Fixture()
        func threads() -> Int {
            PrivateDirectory.entries("/proc/self/task").count {
                ProcFiles.read("/proc/self/task/\($0)/comm") == "keys\n"
            }
        }
        let before = threads()
        do {
            let watcher = try fixture.watcher(.shortcuts)
            // A thread gives itself its name.
            try wait("the thread of the keys") { threads() == before + 1 }
            withExtendedLifetime(watcher) {}
        }
        try wait("its end") { threads() == before }
    }
}
