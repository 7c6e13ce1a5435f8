// The drawing of a region as the capture thread drives it: what it waits for, and what it leaves on the screen.
import CoreTesting
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@testable import KineCapture
@testable import KineX11

@Suite(.serialized, .tags(.real)) struct X11RegionOpeningTests {
    private static let size = PixelSize(width: 320, height: 240)
    private static let ground: UInt32 = 0xa0_6040

    private let screen: PrivateScreen
    private let painter: Painter

    init() throws {
        screen = try PrivateScreen(size: Self.size)
        painter = try Painter(display: screen.name)
        _ = painter.window(PixelRect(size: Self.size), colour: Self.ground)
        painter.moveMouse(x: 300, y: 200)
    }

    private func opening(timeout: Int64 = 60_000_000_000) throws -> X11RegionOpening {
        let name = screen.name
        return try X11RegionOpening(display: name, timeout: timeout) { (rect) throws(VideoSourceError) in
            try X11ScreenSource(target: .region(rect), reportsPointer: false, display: name)
        }
    }

    /// Goes on until there is a source, or `isDone` when there is nothing to do for the moment.
    @discardableResult
    private func drive(
        _ opening: X11RegionOpening, until isDone: () -> Bool = { false }
    ) throws -> (any VideoSource)? {
        var waiter = SourceWaiter(wake: WakeSignal(), descriptors: [opening.descriptor])
        while true {
            if let source = try opening.processEvents() { return source }
            if isDone() { return nil }
            waiter.wait(until: opening.deadline, for: .sources)
        }
    }

    private var isDark: Bool { painter.pixel(x: 2, y: 2) == Self.ground >> 1 & 0x7f_7f7f }

    @Test func `the screen is covered while it is drawn, and as it was when the source is there`() throws {
        let opening = try opening()
        #expect(!opening.coversScreen && !isDark)
        try drive(opening) { opening.coversScreen }
        try wait("the dark screen") { isDark }
        painter.moveMouse(x: 40, y: 30)
        painter.setButton(1, isPressed: true)
        painter.moveMouse(x: 139, y: 79)
        painter.setButton(1, isPressed: false)
        let source = try #require(try drive(opening))
        #expect(source.size == PixelSize(width: 100, height: 50))
        #expect(painter.pixel(x: 2, y: 2) == Self.ground && painter.pixel(x: 60, y: 50) == Self.ground)
        #expect(!opening.coversScreen && opening.deadline == nil)
        #expect(painter.grabMouse())
    }

    @Test func `it is given up when nobody does anything`() throws {
        let opening = try opening(timeout: 50_000_000)
        #expect(throws: VideoSourceError.regionNotDrawn) { try drive(opening) }
        #expect(painter.pixel(x: 2, y: 2) == Self.ground)
        #expect(painter.grabMouse())
    }

    @Test func `mouse and keyboard are had as soon as another lets them go`() throws {
        try #require(painter.grabMouse())
        let opening = try opening()
        #expect(try opening.processEvents() == nil && !opening.coversScreen)
        painter.releaseMouse()
        try drive(opening) { opening.coversScreen }
        painter.press(.escape)
        #expect(throws: VideoSourceError.regionCancelled) { try drive(opening) }
        #expect(!isDark)
    }

    @Test func `a screen that never rests is recorded all the same`() throws {
        let opening = try opening()
        try drive(opening) { opening.coversScreen }
        let (isDone, name) = (Monitor(false), screen.name)
        let thread = DedicatedThread(name: "restless") {
            guard let painter = try? Painter(display: name) else { return }
            let window = painter.window(PixelRect(x: 200, y: 0, width: 20, height: 20), colour: 0)
            var colour: UInt32 = 0
            while !isDone.withLock({ $0 }) {
                colour = (colour + 0x01_0203) & 0xff_ffff
                painter.fill(window, PixelRect(x: 0, y: 0, width: 20, height: 20), colour)
            }
        }
        defer {
            isDone.withLock { $0 = true }
            thread.join()
        }
        painter.moveMouse(x: 0, y: 0)
        painter.setButton(1, isPressed: true)
        painter.moveMouse(x: 319, y: 239)
        painter.setButton(1, isPressed: false)
        #expect(try drive(opening)?.size == Self.size)
    }

    @Test func `a cancellation ends it, and the server takes everything back`() throws {
        let cancellation = Cancellation()
        var opening: X11RegionOpening? = try X11RegionOpening(display: screen.name, cancellation: cancellation) {
            (_) throws(VideoSourceError) in throw .noDisplay
        }
        do {
            let opening = try #require(opening)
            try drive(opening) { opening.coversScreen }
            cancellation.cancel()
            #expect(throws: VideoSourceError.serverGivenUp) { try drive(opening) }
        }
        opening = nil
        try wait("the screen as it was") { painter.pixel(x: 2, y: 2) == Self.ground }
        try wait("the mouse") { painter.grabMouse() }
    }
}
