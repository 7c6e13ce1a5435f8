// What is seen in the place of hidden windows where a window manager puts all windows into frames of its own.
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@testable import KineCapture
@testable import KineX11

@Suite(.serialized, .tags(.real)) struct X11ManagedBeneathTests {
    private static let ground: UInt32 = 0x20_4060
    private static let green: UInt32 = 0x40_c040
    private static let secret: UInt32 = 0xff_00ff

    /// A screen with openbox.
    private final class Fixture {
        let screen: PrivateScreen
        let painter: Painter
        private let manager: ChildProcess

        init() throws {
            screen = try PrivateScreen(size: PixelSize(width: 640, height: 480))
            let painter = try Painter(display: screen.name)
            self.painter = painter
            // Windows that no manager knows would lie above all others.
            painter.setBackground(painter.root, X11ManagedBeneathTests.ground)
            var options = ChildProcess.Options()
            options.parentDeathSignal = SIGKILL
            options.descriptors = [nil, nil, nil]
            manager = try ChildProcess(
                executable: try Tool.path(of: "openbox"), arguments: ["--sm-disable"],
                environment: ProcessEnvironment.merging(ProcessEnvironment.current, ["DISPLAY=\(screen.name)"]),
                options: options)
            try wait("openbox") { painter.hasOwner("WM_S0") }
        }

        deinit { _ = manager.end(signal: SIGKILL, deadline: 0) }

        /// Opens a window and waits until the manager has shown it.
        func open(_ size: PixelSize, _ colour: UInt32, title: String) throws -> UInt32 {
            let window = painter.window(
                PixelRect(x: 100, y: 100, width: size.width, height: size.height), colour: colour, isShown: false,
                isManaged: true)
            painter.setTitle(window, title)
            painter.map(window)
            try wait(title) {
                // While openbox starts, a request stays in its queue until another event comes.
                painter.setTitle(painter.root, title)
                guard let place = painter.content(of: window) else { return false }
                return painter.pixel(x: place.x + place.width / 2, y: place.y + place.height / 2) == colour
            }
            return window
        }

        /// Has the manager move a window, and waits until it has.
        func move(_ window: UInt32, x: Int, y: Int) throws {
            let before = painter.content(of: window)
            painter.move(window, x: x, y: y)
            try wait("the move") { painter.content(of: window) != before }
        }

        func resize(_ window: UInt32, to size: PixelSize) throws {
            painter.resize(window, to: size)
            try wait("the size") { painter.content(of: window)?.size == size }
        }
    }

    @Test func `a window in a frame is hidden with it, and what other frames have below it is seen`() throws {
        let fixture = try Fixture()
        let painter = fixture.painter
        let low = try fixture.open(PixelSize(width: 300, height: 200), Self.green, title: "Notes")
        let secret = try fixture.open(PixelSize(width: 150, height: 100), Self.secret, title: "Passwords")
        try fixture.move(low, x: 120, y: 90)
        try fixture.move(secret, x: 180, y: 140)
        let watcher = try Watcher(
            .screen(monitor: nil), on: fixture.screen.name, excluding: [.titled("passwords")], how: .beneath)
        /// Where both windows' contents lie.
        func common() throws -> PixelRect {
            try #require(painter.content(of: low)).intersection(try #require(painter.content(of: secret)))
        }
        func followGreen(sourceLocation: SourceLocation = #_sourceLocation) throws {
            let rect = try common()
            try #require(!rect.isEmpty, sourceLocation: sourceLocation)
            try watcher.follow(without: Self.secret, sourceLocation: sourceLocation) { $0.isAll(Self.green, in: rect) }
        }
        try followGreen()
        try fixture.move(secret, x: 250, y: 170)
        try followGreen()
        try fixture.resize(low, to: PixelSize(width: 260, height: 230))
        try followGreen()
        try fixture.resize(secret, to: PixelSize(width: 120, height: 130))
        try followGreen()
        painter.raise(low)
        try followGreen()
        painter.raise(secret)
        try fixture.move(low, x: 150, y: 100)
        try followGreen()
        let place = try #require(painter.content(of: secret))
        painter.destroy(low)
        try watcher.follow(without: Self.secret) { $0.isAll(Self.ground, in: place) }
        painter.destroy(secret)
        try watcher.follow(without: Self.secret) { $0.source.deadline != nil }
        try watcher.follow(without: Self.secret) { $0.source.deadline == nil }
        #expect(watcher.pixels.allSatisfy { $0 == Self.ground })
    }

    @Test func `a window that controls the take stays above others until the take ends`() throws {
        let fixture = try Fixture()
        let painter = fixture.painter
        let notes = try fixture.open(PixelSize(width: 300, height: 200), Self.green, title: "Notes")
        let bar = try fixture.open(PixelSize(width: 150, height: 100), Self.secret, title: "Controls")
        try fixture.move(notes, x: 120, y: 90)
        try fixture.move(bar, x: 180, y: 140)
        /// Whether this colour is seen where both are, once a program has asked for the notes to be raised.
        func shows(_ colour: UInt32) -> Bool {
            painter.raise(notes)
            guard let place = painter.content(of: bar) else { return false }
            return painter.pixel(x: place.x + place.width / 2, y: place.y + place.height / 2) == colour
        }
        try wait("the notes above") { shows(Self.green) }
        do {
            let watcher = try Watcher(
                .screen(monitor: nil), on: fixture.screen.name, excluding: [.above(bar)], how: .beneath)
            try wait("the controls above") { shows(Self.secret) }
            let place = try #require(painter.content(of: bar))
            try watcher.follow(without: Self.secret) { $0.isAll(Self.green, in: place) }
        }
        try wait("the notes above again") { shows(Self.green) }
    }
}
