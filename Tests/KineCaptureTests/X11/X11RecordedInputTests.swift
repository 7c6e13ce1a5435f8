// What a recording's input track gets from a real X server, and what it never gets.
import CoreTesting
import Glibc
import KineInput
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@testable import KineCapture
@testable import KineX11

@Suite(.serialized, .tags(.real)) struct X11RecordedInputTests {
    private static let size = PixelSize(width: 320, height: 240)
    /// The window that the tests hide, or leave out.
    private static let other = PixelRect(x: 200, y: 100, width: 100, height: 100)

    /// A screen with a large window and another one over it.
    private struct Fixture {
        let screen: PrivateScreen
        let painter: Painter
        let window: UInt32
        let other: UInt32

        init() throws {
            screen = try PrivateScreen(size: X11RecordedInputTests.size)
            painter = try Painter(display: screen.name)
            window = painter.window(PixelRect(size: X11RecordedInputTests.size), colour: 0x20_4060)
            other = painter.window(X11RecordedInputTests.other, colour: 0x60_4020)
            painter.setApplication(window, "Editor")
            painter.setApplication(other, "Vault")
            painter.focus(window)
            painter.moveMouse(x: 10, y: 10)
        }

        func source(
            _ target: X11ScreenSource.Target = .screen(monitor: nil), pointer: Bool = true,
            excluding: [X11WindowRule] = []
        ) throws -> Reader {
            Reader(
                try X11ScreenSource(
                    target: target, reportsPointer: pointer, recordsInput: true, excluding: excluding,
                    display: screen.name))
        }

        func click(x: Int, y: Int) {
            painter.moveMouse(x: x, y: y)
            painter.setButton(1, isPressed: true)
            painter.setButton(1, isPressed: false)
        }
    }

    /// Reads a source as a take does.
    private final class Reader {
        let source: X11ScreenSource
        private(set) var actions: [InputAction] = []
        private var damage: DamageRegion

        init(_ source: X11ScreenSource) {
            self.source = source
            damage = DamageRegion(size: source.size)
        }

        /// Reads until there is such an action, and returns all until then.
        ///
        /// - Parameter act: done again before each look.
        @discardableResult
        func read(after act: @escaping () -> Void = {}, until isWanted: @escaping (InputAction) -> Bool) throws
            -> [InputAction]
        {
            actions = []
            try wait("the action") {
                act()
                _ = try self.source.processEvents()
                try self.source.addDamage(to: &self.damage)
                self.actions += self.source.takeInput().map(\.action)
                return self.actions.contains(where: isWanted)
            }
            return actions
        }

        /// The place at which the pointer is seen once it is there in the frame.
        func place(_ painter: Painter, x: Int, y: Int) throws -> PixelPoint? {
            painter.moveMouse(x: x, y: y)
            var seen: PixelPoint?
            try wait("the pointer") {
                _ = try self.source.processEvents()
                try self.source.addDamage(to: &self.damage)
                for event in self.source.takeInput() { if case .pointer(let place) = event.action { seen = place } }
                return self.source.pointer?.place == PixelPoint(x: x, y: y)
            }
            return seen
        }
    }

    private func point(_ x: Int, _ y: Int) -> PixelPoint { PixelPoint(x: x, y: y) }

    /// The presses, each with the place before it.
    private func presses(_ actions: [InputAction]) -> [PixelPoint?] {
        zip(actions, actions.dropFirst()).compactMap { before, action in
            guard case .pressed = action else { return nil }
            return if case .pointer(let place) = before { .some(place) } else { nil }
        }
    }

    @Test func `a click has the place at which it happened, in the frame`() throws {
        let fixture = try Fixture()
        let reader = try fixture.source(.region(PixelRect(x: 50, y: 20, width: 200, height: 200)))
        try reader.read { if case .focused = $0 { true } else { false } }
        fixture.click(x: 60, y: 40)
        #expect(presses(try reader.read { $0 == .released(.left) }) == [point(10, 20)])
        // Beside the region.
        fixture.click(x: 10, y: 10)
        let outside = presses(try reader.read { $0 == .released(.left) })
        #expect(outside.count == 1 && outside.allSatisfy { $0?.x == -40 }, "a take drops what is outside its picture")
    }

    @Test func `a click in a hidden window, or in another program's, has no place, and the pointer neither`() throws {
        let fixture = try Fixture()
        let sources: [(X11ScreenSource.Target, excluded: [X11WindowRule])] = [
            (.window(.id(fixture.window)), []), (.application("editor", monitor: nil), []),
            (.screen(monitor: nil), [.application("vault")]),
        ]
        for (target, excluded) in sources {
            let reader = try fixture.source(target, excluding: excluded)
            try reader.read { if case .focused = $0 { true } else { false } }
            fixture.click(x: 250, y: 150)
            #expect(presses(try reader.read { $0 == .released(.left) }) == [nil])
            #expect(try reader.place(fixture.painter, x: 251, y: 151) == nil, "the film shows it")
            fixture.click(x: 20, y: 30)
            #expect(presses(try reader.read { $0 == .released(.left) }) == [point(20, 30)])
            #expect(try reader.place(fixture.painter, x: 21, y: 31) == point(21, 31))
        }
    }

    @Test func `a window that was ever hidden, or was never examined, is not shown, also when it is gone`() throws {
        let fixture = try Fixture()
        let connection = try X11Connection(display: fixture.screen.name)
        let exclusions = X11Exclusions([.titled("secret")], how: .cover, connection: connection)
        /// Handles what the server has reported by now.
        func look() {
            _ = connection.geometry(of: connection.root)
            connection.forEachEvent { _ = exclusions.note($0, at: 0) }
            while exclusions.search(at: 0) { connection.forEachEvent { _ = exclusions.note($0, at: 0) } }
        }
        look()
        #expect(exclusions.shows(fixture.window) && exclusions.shows(fixture.other) && exclusions.shows(0))
        fixture.painter.setTitle(fixture.other, "A secret")
        fixture.painter.finish()
        look()
        #expect(!exclusions.shows(fixture.other))
        let popup = fixture.painter.window(PixelRect(x: 0, y: 0, width: 50, height: 50), colour: 0)
        fixture.painter.destroy(popup)
        fixture.painter.destroy(fixture.other)
        fixture.painter.finish()
        look()
        #expect(!exclusions.shows(fixture.other) && !exclusions.shows(popup) && exclusions.shows(fixture.window))
    }

    @Test func `the wheel's steps are reported, right and down as positive ones`() throws {
        let fixture = try Fixture()
        let reader = try fixture.source()
        for button in 4...7 { fixture.painter.setButton(button, isPressed: true) }
        let steps = try reader.read { $0 == .scrolled(x: 1, y: 0) }.filter {
            if case .scrolled = $0 { true } else { false }
        }
        #expect(
            steps == [.scrolled(x: 0, y: -1), .scrolled(x: 0, y: 1), .scrolled(x: -1, y: 0), .scrolled(x: 1, y: 0)])
    }

    @Test func `without the pointer nothing of the mouse is recorded`() throws {
        let fixture = try Fixture()
        let reader = try fixture.source(pointer: false)
        fixture.click(x: 60, y: 40)
        fixture.painter.press(.a)
        let actions = try reader.read { $0 == .typed }
        #expect(
            actions.allSatisfy {
                switch $0 {
                case .typed, .focused: true
                default: false
                }
            })
    }

    @Test func `typing counts in the windows of the frame, and only there`() throws {
        let fixture = try Fixture()
        let left = PixelRect(x: 0, y: 0, width: 190, height: 240)
        let sources: [(X11ScreenSource.Target, excluded: [X11WindowRule], focus: PixelRect)] = [
            (.window(.id(fixture.window)), [], PixelRect(size: Self.size)),
            (.application("editor", monitor: nil), [], PixelRect(size: Self.size)),
            (.screen(monitor: nil), [.application("vault")], PixelRect(size: Self.size)),
            (.region(left), [], left),
        ]
        for (target, excluded, focus) in sources {
            fixture.painter.focus(fixture.window)
            let reader = try fixture.source(target, excluding: excluded)
            try reader.read { $0 == .focused(focus) }
            fixture.painter.press(.a)
            try reader.read { $0 == .typed }
            fixture.painter.focus(fixture.other)
            try reader.read { $0 == .focused(nil) }
            for key in [Painter.Key.a, .s, .f5] { fixture.painter.press(key) }
            fixture.painter.press(.t, with: .control)
            fixture.painter.focus(fixture.window)
            #expect(try !reader.read { $0 == .focused(focus) }.contains(.typed))
            // Of keys that follow each other fast, one is enough.
            try reader.read(after: { fixture.painter.press(.s) }) { $0 == .typed }
        }
    }

    @Test func `modifiers are no typing, and neither is a key that a program has grabbed`() throws {
        let fixture = try Fixture()
        let reader = try fixture.source(excluding: [.application("vault")])
        try reader.read { $0 == .focused(PixelRect(size: Self.size)) }
        fixture.painter.hold(.shift)
        fixture.painter.hold(.shift, isPressed: false)
        fixture.painter.hold(.control)
        fixture.painter.hold(.control, isPressed: false)
        fixture.painter.setKeyboardGrabbed(true)
        for key in [Painter.Key.a, .s] { fixture.painter.press(key) }
        fixture.painter.setKeyboardGrabbed(false)
        // As Kinecast's own shortcuts are.
        fixture.painter.grab(.f5)
        fixture.painter.press(.f5)
        fixture.painter.press(.f5, with: .control)
        // Proves that all keys before were read.
        fixture.painter.focus(fixture.other)
        #expect(try !reader.read { $0 == .focused(nil) }.contains(.typed))
    }

    @Test func `without a focused window the one under the pointer counts`() throws {
        let fixture = try Fixture()
        fixture.painter.focus(1)
        let reader = try fixture.source(excluding: [.application("vault")])
        fixture.painter.moveMouse(x: 20, y: 20)
        fixture.painter.press(.a)
        try reader.read { $0 == .typed }
        fixture.painter.moveMouse(x: 250, y: 150)
        fixture.painter.press(.s)
        fixture.painter.focus(fixture.window)
        fixture.painter.press(.t)
        let actions = try reader.read { $0 == .typed }
        #expect(actions.count { $0 == .typed } == 1 && actions.contains(.focused(PixelRect(size: Self.size))))
    }

    @Test func `the thread ends with the source`() throws {
        let fixture = try Fixture()
        func threads() -> Int {
            PrivateDirectory.entries("/proc/self/task").count {
                ProcFiles.read("/proc/self/task/\($0)/comm") == "input\n"
            }
        }
        let before = threads()
        do {
            let reader = try fixture.source()
            try wait("the thread") { threads() == before + 1 }
            withExtendedLifetime(reader) {}
        }
        try wait("its end") { threads() == before }
    }
}
