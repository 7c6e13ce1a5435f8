// One window: covered, moved, resized, hidden and closed.
import CoreTesting
import KineMedia
import ScreenTesting
import Testing

@testable import KineCapture

@Suite(.serialized, .tags(.real)) struct X11WindowTests {
    private static let content = PixelRect(x: 0, y: 0, width: 121, height: 83)

    private func fixture(border: Int = 0) throws -> (screen: PrivateScreen, painter: Painter, window: UInt32) {
        let screen = try PrivateScreen(size: PixelSize(width: 400, height: 300))
        let painter = try Painter(display: screen.name)
        let window = painter.window(Self.content.offset(x: 50, y: 40), colour: 0x30_6090, border: border)
        return (screen, painter, window)
    }

    @Test(arguments: [0, 5]) func `a window is read without its border`(border: Int) throws {
        let (screen, painter, window) = try fixture(border: border)
        let watcher = try Watcher(.window(.id(window)), on: screen.name)
        #expect(watcher.size == Self.content.size)
        try watcher.follow { $0.isAll(0x30_6090, in: Self.content) }
        let corner = PixelRect(x: 120, y: 82, width: 1, height: 1)
        painter.fill(window, corner, 0xff_00ff)
        try watcher.follow { $0.isAll(0xff_00ff, in: corner) }
    }

    @Test func `what covers a window is not in its frame, also when both change`() throws {
        let (screen, painter, window) = try fixture()
        let watcher = try Watcher(.window(.id(window)), on: screen.name)
        let cover = painter.window(PixelRect(x: 0, y: 0, width: 300, height: 300), colour: 0xff_ffff)
        painter.fill(window, PixelRect(x: 20, y: 20, width: 30, height: 30), 0x00_ff00)
        painter.fill(cover, PixelRect(x: 0, y: 0, width: 300, height: 300), 0xff_0000)
        try watcher.follow { $0.isAll(0x00_ff00, in: PixelRect(x: 20, y: 20, width: 30, height: 30)) }
        #expect(watcher.isAll(0x30_6090, in: PixelRect(x: 0, y: 0, width: 121, height: 20)))
    }

    @Test func `a moved window keeps its frame, and what is painted later is found`() throws {
        let (screen, painter, window) = try fixture()
        let watcher = try Watcher(.window(.id(window)), on: screen.name)
        painter.move(window, x: 250, y: 180)
        painter.fill(window, PixelRect(x: 90, y: 60, width: 20, height: 20), 0x11_2233)
        try watcher.follow { $0.isAll(0x11_2233, in: PixelRect(x: 90, y: 60, width: 20, height: 20)) }
        #expect(watcher.size == Self.content.size)
        painter.move(window, x: -60, y: -30)
        painter.fill(window, PixelRect(x: 0, y: 0, width: 10, height: 10), 0x44_5566)
        try watcher.follow { $0.isAll(0x44_5566, in: PixelRect(x: 0, y: 0, width: 10, height: 10)) }
    }

    @Test func `a resized window has another size, all of it damage`() throws {
        let (screen, painter, window) = try fixture()
        let watcher = try Watcher(.window(.id(window)), on: screen.name)
        for size in [PixelSize(width: 200, height: 150), PixelSize(width: 31, height: 17)] {
            painter.resize(window, to: size)
            painter.fill(window, PixelRect(size: size), 0x10_2030)
            try watcher.follow { $0.size == size && $0.isAll(0x10_2030, in: PixelRect(size: size)) }
        }
    }

    @Test func `a window that is hidden keeps its last frame until it is shown again`() throws {
        let (screen, painter, window) = try fixture()
        let watcher = try Watcher(.window(.id(window)), on: screen.name)
        try watcher.follow { $0.isAll(0x30_6090, in: Self.content) }
        painter.unmap(window)
        try watcher.settle()
        #expect(watcher.isAll(0x30_6090, in: Self.content))
        painter.map(window)
        painter.fill(window, PixelRect(x: 8, y: 8, width: 8, height: 8), 0xaa_bbcc)
        try watcher.follow { $0.isAll(0xaa_bbcc, in: PixelRect(x: 8, y: 8, width: 8, height: 8)) }
    }

    @Test func `a closed window ends the take`() throws {
        let (screen, painter, window) = try fixture()
        let watcher = try Watcher(.window(.id(window)), on: screen.name)
        try watcher.settle()
        painter.destroy(window)
        #expect(throws: VideoSourceError.windowClosed) { try watcher.follow { _ in false } }
    }

    @Test func `a window is found by its title, or by the focus`() throws {
        let (screen, painter, window) = try fixture()
        let other = painter.window(PixelRect(x: 5, y: 6, width: 70, height: 80), colour: 0x11_2233)
        painter.setTitle(window, "Straße – Editor")
        painter.setTitle(other, "Straße – Editor, second")
        for (title, size) in [
            ("straße – editor", Self.content.size), ("Second", PixelSize(width: 70, height: 80)),
        ] {
            #expect(try Watcher(.window(.titled(title)), on: screen.name).size == size)
        }
        #expect(throws: VideoSourceError.noWindowTitled("third")) {
            try Watcher(.window(.titled("third")), on: screen.name)
        }
        let error = #expect(throws: VideoSourceError.self) {
            try Watcher(.window(.titled("EDITOR")), on: screen.name)
        }
        #expect([[window, other], [other, window]].map { .severalWindowsTitled("EDITOR", $0) }.contains(error))
        painter.focus(window)
        #expect(try Watcher(.window(.focused), on: screen.name).size == Self.content.size)
        // The focus is often in a part of the window.
        let part = painter.window(PixelRect(x: 0, y: 0, width: 10, height: 10), colour: 0)
        painter.reparent(part, into: other, x: 5, y: 5)
        painter.focus(part)
        let watcher = try Watcher(.window(.focused), on: screen.name)
        #expect(watcher.size == PixelSize(width: 70, height: 80))
        // It stays that window, whichever has the focus later.
        painter.focus(window)
        painter.fill(other, PixelRect(x: 30, y: 30, width: 8, height: 8), 0xaa_bbcc)
        try watcher.follow { $0.isAll(0xaa_bbcc, in: PixelRect(x: 30, y: 30, width: 8, height: 8)) }
        painter.focus(0)
        #expect(throws: VideoSourceError.noFocusedWindow) { try Watcher(.window(.focused), on: screen.name) }
    }

    @Test func `a window is found by a title in Latin-1, and the error names those that cannot be read`() throws {
        let (screen, painter, window) = try fixture()
        painter.setText(window, [0x5a, 0xfc, 0x72, 0x69, 0x63, 0x68], as: "WM_NAME", type: "STRING")
        #expect(try Watcher(.window(.titled("zürich")), on: screen.name).size == Self.content.size)
        painter.setText(window, [0x1b, 0x24, 0x29, 0x42, 0xc6, 0xfc], as: "WM_NAME", type: "COMPOUND_TEXT")
        #expect(throws: VideoSourceError.noWindowTitled("zürich", unreadable: [window])) {
            try Watcher(.window(.titled("zürich")), on: screen.name)
        }
    }

    @Test func `a window is read by its own visual, and one that cannot be read is refused`() throws {
        // Of 30 bits a pixel, Xvfb has visuals of both orders.
        let screen = try PrivateScreen(size: PixelSize(width: 400, height: 300), depth: 30)
        let painter = try Painter(display: screen.name)
        let rect = PixelRect(x: 10, y: 10, width: 33, height: 21)
        for (depth, red, colour) in [
            (30, 0x3ff0_0000, 0x3ff0_0000 | 0x201 << 10 | 0x100), (30, 0x3ff, 0x3ff | 0x201 << 10 | 0x100 << 20),
            (32, 0xff_0000, 0x80ff_8040),
        ] as [(Int, UInt32, UInt32)] {
            let window = try painter.window(rect, colour: colour, depth: depth, red: red)
            painter.map(window)
            let watcher = try Watcher(.window(.id(window)), on: screen.name)
            try watcher.follow { $0.isAll(0xff_8040, in: PixelRect(size: rect.size)) }
        }
        let small = try PrivateScreen(size: PixelSize(width: 400, height: 300), depth: 16)
        let other = try Painter(display: small.name)
        let window = other.window(rect, colour: 0)
        #expect(throws: VideoSourceError.unsupportedWindowDepth(bits: 16, window)) {
            try Watcher(.window(.id(window)), on: small.name)
        }
    }

    @Test func `a window that is not there, or not shown, is an error that names it`() throws {
        let (screen, painter, window) = try fixture()
        #expect(throws: VideoSourceError.noWindow(0x77_7777)) { try Watcher(.window(.id(0x77_7777)), on: screen.name) }
        painter.unmap(window)
        #expect(throws: VideoSourceError.windowNotShown(window)) { try Watcher(.window(.id(window)), on: screen.name) }
    }
}
