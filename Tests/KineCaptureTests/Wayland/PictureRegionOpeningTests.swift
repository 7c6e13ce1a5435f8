// Regions that are drawn in the picture of a cast, by a mouse that a real compositor has. The cast comes from a producer: what is seen on
// the compositor's screen can only come from there.
import CastTesting
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import ScreenTesting
import Testing

@testable import KineCapture
@testable import KineWayland

@Suite(.serialized, .tags(.real)) struct PictureRegionOpeningTests {
    private static let size = PixelSize(width: 320, height: 240)
    private static let colour: UInt32 = 0x20_4060
    private static let dark = colour >> 1 & 0x7f_7f7f
    private let desktop: SwayDesktop
    private let fixture: CastFixture

    init() throws {
        desktop = try SwayDesktop(size: Self.size)
        fixture = try CastFixture(size: Self.size)
        try fixture.producer.paint(PixelRect(size: Self.size), Self.colour)
    }

    private func mouse(_ size: PixelSize = Self.size) throws -> WaylandMouse {
        try WaylandMouse(on: desktop.display, desktop: size)
    }

    private func opening(
        on display: String? = nil, timeout: Int64 = WaitLimit.nanoseconds
    ) throws -> PictureRegionOpening {
        try PictureRegionOpening(display: display ?? desktop.display, timeout: timeout) {
            () throws(VideoSourceError) in
            do { return try fixture.opening() } catch { throw .castRefused("\(error)") }
        }
    }

    private func screen(_ monitor: String? = nil) throws -> Watcher {
        try Watcher(
            opening: WaylandScreenOpening(
                monitor.map { .monitor($0) } ?? .desktop, display: desktop.display, showsCursor: false))
    }

    /// Sends frames until the person sees the dark picture.
    private func waitForWindow(
        _ opening: PictureRegionOpening, _ dark: UInt32 = Self.dark
    ) throws {
        let screen = try screen()
        try wait("the window") {
            try fixture.producer.begin("frame")
            #expect(try opening.processEvents() == nil)
            if try screen.source.processEvents() { try screen.look() }
            // Where the picture is scaled, colours are a little different.
            let seen = screen.colour(2, 2)
            return [0, 8, 16].allSatisfy { abs(Int(seen >> $0 & 255) - Int(dark >> $0 & 255)) <= 2 }
        }
    }

    /// Sends frames until the opening is through.
    private func end(_ opening: PictureRegionOpening, _ frame: String = "frame") throws -> Watcher {
        var source: (any VideoSource)?
        try wait("the region") {
            try fixture.producer.begin(frame)
            source = try opening.processEvents()
            return source != nil
        }
        return try Watcher(try #require(source))
    }

    @Test func `the region that the mouse draws is a part of the cast`() throws {
        let mouse = try mouse()
        let opening = try opening()
        #expect(!opening.coversScreen, "the desktop may still ask")
        try waitForWindow(opening)
        #expect(opening.coversScreen)
        try mouse.drag(from: (100, 50), to: (199, 129))
        let watcher = try end(opening)
        #expect(watcher.size == PixelSize(width: 100, height: 80) && !opening.coversScreen)
        #expect(watcher.isAll(Self.colour, in: PixelRect(size: watcher.size)))
    }

    @Test func `on a dense monitor the picture has the monitor's own pixels`() throws {
        try desktop.perform("output HEADLESS-1 scale 2")
        let mouse = try mouse(PixelSize(width: 160, height: 120))
        let opening = try opening()
        try waitForWindow(opening)
        try mouse.drag(from: (50, 25), to: (99, 64))
        // Both corners are in it, but the mouse is over one pixel of each of its own.
        #expect(try end(opening).size == PixelSize(width: 99, height: 79))
    }

    @Test func `a turned cast is drawn on upright`() throws {
        try desktop.perform("output HEADLESS-1 transform 90")
        let mouse = try mouse(PixelSize(width: 240, height: 320))
        // The upper left of the upright picture.
        try fixture.producer.paint(PixelRect(x: 0, y: 140, width: 200, height: 100), 0xc0_8020)
        let opening = try opening()
        let screen = try screen()
        try wait("the window") {
            try fixture.producer.begin("frame transform=1")
            #expect(try opening.processEvents() == nil)
            if try screen.source.processEvents() { try screen.look() }
            let pixel = screen.source.orientation.turnedBack(
                PixelRect(x: 2, y: 2, width: 1, height: 1), of: screen.size)
            return screen.colour(pixel.x, pixel.y) == 0x60_4010
        }
        try mouse.drag(from: (0, 0), to: (99, 199))
        let watcher = try end(opening, "frame transform=1")
        #expect(watcher.source.orientation.turned(watcher.size) == PixelSize(width: 100, height: 200))
        #expect(watcher.isAll(0xc0_8020, in: PixelRect(size: watcher.size)))
    }

    @Test func `of several monitors, the one with the picture's size is drawn on`() throws {
        try desktop.perform("create_output")
        try desktop.perform("output HEADLESS-2 mode 400x300@60Hz position 320 0")
        let cast = try CastFixture(size: PixelSize(width: 400, height: 300))
        try cast.producer.paint(PixelRect(x: 0, y: 0, width: 400, height: 300), Self.colour)
        let opening = try PictureRegionOpening(display: desktop.display) { () throws(VideoSourceError) in
            do { return try cast.opening() } catch { throw .castRefused("\(error)") }
        }
        let screen = try screen("HEADLESS-2")
        try wait("the window") {
            try cast.producer.begin("frame")
            #expect(try opening.processEvents() == nil)
            if try screen.source.processEvents() { try screen.look() }
            return screen.colour(2, 2) == Self.dark
        }
    }

    @Test func `where the monitor changes while a region is drawn, its new picture is drawn on`() throws {
        let mouse = try mouse()
        let opening = try opening()
        try waitForWindow(opening)
        try mouse.move(to: 20, 20)
        try mouse.press(.left)
        fixture.producer.whileWaiting = { _ = try? opening.processEvents() }
        let size = PixelSize(width: 160, height: 120)
        try fixture.producer.resize(to: size)
        try fixture.producer.paint(PixelRect(size: size), 0xc0_8020)
        fixture.producer.whileWaiting = {}
        try waitForWindow(opening, 0x60_4010)
        try mouse.release(.left)
        try mouse.drag(from: (100, 50), to: (199, 129))
        let watcher = try end(opening)
        #expect(watcher.size == PixelSize(width: 50, height: 40))
        #expect(watcher.isAll(0xc0_8020, in: PixelRect(size: watcher.size)))
    }

    @Test func `who draws nothing is not waited for`() throws {
        let opening = try opening(timeout: 1_000_000)
        #expect(throws: VideoSourceError.regionNotDrawn) { try end(opening) }
    }

    @Test func `Weston, which has no mouse here, takes all requests too`() throws {
        let session = try WaylandDesktop(size: Self.size)
        let opening = try opening(on: session.socket, timeout: 1_000_000_000)
        #expect(throws: VideoSourceError.regionNotDrawn) { try end(opening) }
    }

    @Test func `giving up takes the window away`() throws {
        let opening = try opening()
        try waitForWindow(opening)
        opening.giveUp()
        #expect(opening.coversScreen, "the screen repaints")
        #expect(throws: VideoSourceError.regionCancelled) { try end(opening) }
        let screen = try screen()
        try screen.follow { $0.colour(2, 2) != Self.dark }
    }

    @Test func `a compositor that does not answer is not waited for`() throws {
        let directory = try TemporaryDirectory()
        let display = directory.file("wayland-9")
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: display.utf8.prefix($0.count - 1)) }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(isBound == 0 && listen(socket, 1) == 0)
        let opening = try PictureRegionOpening(display: display, answerTimeout: 1_000_000) {
            () throws(VideoSourceError) in
            do { return try fixture.opening() } catch { throw .castRefused("\(error)") }
        }
        #expect(throws: VideoSourceError.compositorSilent) { try end(opening) }
    }

    // MARK: The monitor

    @Test func `a monitor is known by its place, or else by its size`() throws {
        func output(_ name: String, _ x: Int, _ width: Int) -> WaylandOutput {
            var output = WaylandOutput()
            output.name = name
            output.bounds = PixelRect(x: x, y: 0, width: width, height: 100)
            output.pixelSize = PixelSize(width: width, height: 100)
            return output
        }
        let outputs = [output("A", 0, 100), output("B", 100, 200), output("C", 300, 200)]
        func name(at position: (x: Int, y: Int)?, _ width: Int) -> String? {
            WaylandLayout.output(at: position, showing: PixelSize(width: width, height: 100), on: outputs)?.name
        }
        #expect(name(at: (300, 0), 200) == "C" && name(at: (0, 0), 200) == "A")
        #expect(name(at: nil, 100) == "A" && name(at: (7, 7), 100) == "A")
        #expect(name(at: nil, 200) == nil && name(at: nil, 50) == nil && name(at: (300, 5), 50) == nil)
    }
}
