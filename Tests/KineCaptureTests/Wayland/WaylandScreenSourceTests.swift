// The screen of a real Wayland compositor: outputs, regions, and what becomes of them during a take.
import CoreTesting
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@testable import KineCapture
@testable import KineWayland

@Suite(.serialized, .tags(.real)) struct WaylandScreenSourceTests {
    static let size = PixelSize(width: 320, height: 240)
    private let desktop: SwayDesktop
    /// Covers all of the first output.
    private let ground: WaylandPainter

    init() throws {
        desktop = try SwayDesktop(size: Self.size)
        ground = try WaylandPainter(
            PixelRect(size: Self.size), colour: 0x20_4060, isGround: true, display: desktop.display)
    }

    private func watch(_ target: WaylandScreenSource.Target = .desktop) throws -> Watcher {
        try Watcher(opening: opening(target))
    }

    private func opening(_ target: WaylandScreenSource.Target) throws -> WaylandScreenOpening {
        try WaylandScreenOpening(target, display: desktop.display, showsCursor: false)
    }

    @Test func `the whole output is read once, then only the tiles that were painted`() throws {
        let watcher = try watch()
        #expect(watcher.size == Self.size)
        #expect(watcher.isAll(0x20_4060, in: PixelRect(size: Self.size)))
        let painted = PixelRect(x: 37, y: 100, width: 20, height: 3)
        // The compositor may paint its first frame twice. When this is seen, so was all that was painted before.
        try ground.fill(painted, colour: 0x00_ff00)
        _ = try watcher.follow { $0.colour(40, 101) == 0x00_ff00 }
        try ground.fill(painted, colour: 0xff_0000)
        #expect(try watcher.follow { $0.colour(40, 101) == 0xff_0000 } == DamageRegion.tiles([painted]))
        #expect(watcher.isAll(0xff_0000, in: painted))
        #expect(watcher.isAll(0x20_4060, in: PixelRect(x: 0, y: 0, width: 320, height: 100)))
    }

    @Test func `a screen on which nothing happens is not read, however often it is opened`() throws {
        for number in 1...3 as ClosedRange<UInt32> {
            let watcher = try watch()
            // When this is seen, so was all that was painted before: the compositor may paint its first frame twice.
            try ground.fill(PixelRect(x: 0, y: 0, width: 8, height: 8), colour: number)
            _ = try watcher.follow { $0.colour(4, 4) == number }
            try watcher.settle()
            let reads = watcher.reads
            #expect(try watcher.wait(until: MonotonicClock.now() + 200_000_000) == .deadline)
            #expect(try watcher.look().isEmpty)
            #expect(watcher.reads == reads)
        }
    }

    @Test func `what is painted while a frame is read is in a later one`() throws {
        let watcher = try watch()
        for number in 1...50 {
            let rect = PixelRect(x: number * 6, y: number * 4, width: 5, height: 3)
            try ground.fill(rect, colour: 0x10_0000 + UInt32(number))
            if number.isMultiple(of: 3) { try watcher.look() }
        }
        try watcher.follow { $0.colour(302, 201) == 0x10_0032 }
        for number in 1...50 {
            let rect = PixelRect(x: number * 6, y: number * 4, width: 5, height: 3)
            #expect(watcher.isAll(0x10_0000 + UInt32(number), in: rect), "\(number)")
        }
    }

    @Test func `a region has its own pixels, and is followed`() throws {
        try ground.fill(PixelRect(x: 100, y: 50, width: 40, height: 30), colour: 0x00_ff00)
        let watcher = try watch(.region(PixelRect(x: 90, y: 45, width: 61, height: 43)))
        #expect(watcher.size == PixelSize(width: 61, height: 43))
        #expect(watcher.isAll(0x00_ff00, in: PixelRect(x: 10, y: 5, width: 40, height: 30)))
        #expect(watcher.isAll(0x20_4060, in: PixelRect(x: 0, y: 0, width: 61, height: 5)))
        try ground.fill(PixelRect(x: 92, y: 80, width: 2, height: 2), colour: 0xff_ffff)
        try watcher.follow { $0.colour(2, 35) == 0xff_ffff }
    }

    @Test func `a dense output has its real pixels, and a region of it too`() throws {
        try desktop.perform("output HEADLESS-1 scale 2")
        let painted = try WaylandPainter(
            PixelRect(x: 10, y: 20, width: 30, height: 40), colour: 0x00_00ff, display: desktop.display)
        #expect(try watch().size == Self.size)
        let region = try watch(.region(PixelRect(x: 5, y: 10, width: 50, height: 60)))
        #expect(region.size == PixelSize(width: 100, height: 120))
        #expect(region.isAll(0x00_00ff, in: PixelRect(x: 10, y: 20, width: 60, height: 80)))
        withExtendedLifetime(painted) {}
    }

    @Test(arguments: ["normal", "90", "180", "270", "flipped", "flipped-90", "flipped-180", "flipped-270"])
    func `a turned output says how it comes upright`(transform: String) throws {
        try desktop.perform("output HEADLESS-1 transform \(transform)")
        let corner = try WaylandPainter(
            PixelRect(x: 16, y: 32, width: 48, height: 16), colour: 0xff_8000, display: desktop.display)
        let watcher = try watch()
        #expect(watcher.size == Self.size, "the monitor's own pixels")
        let upright = watcher.source.orientation.turned(watcher.size)
        let isTransposed = transform.hasSuffix("90") || transform.hasSuffix("270")
        #expect((upright == Self.size) != isTransposed)
        let shown = watcher.source.orientation.turnedBack(
            PixelRect(x: 16, y: 32, width: 48, height: 16), of: watcher.size)
        #expect(watcher.isAll(0xff_8000, in: shown))
        withExtendedLifetime(corner) {}
    }

    @Test func `an output that is turned, resized, and off for a while is followed`() throws {
        let watcher = try watch(.monitor("HEADLESS-1"))
        try desktop.perform("output HEADLESS-1 mode 200x100@60Hz")
        try watcher.follow { $0.size == PixelSize(width: 200, height: 100) }
        #expect(watcher.isAll(0x20_4060, in: PixelRect(x: 0, y: 0, width: 200, height: 100)))
        try desktop.perform("output HEADLESS-1 transform 180")
        try watcher.follow { $0.source.orientation == .down }
        try desktop.perform("output HEADLESS-1 transform normal")
        try watcher.follow { $0.source.orientation == .up }

        // Two outputs, or sway would keep this one's windows nowhere.
        try desktop.perform("create_output")
        try desktop.perform("output HEADLESS-1 disable")
        try watcher.settle()
        #expect(watcher.size == PixelSize(width: 200, height: 100), "the last frame stays")
        try desktop.perform("output HEADLESS-1 enable")
        let again = try WaylandPainter(
            PixelRect(x: 0, y: 0, width: 64, height: 64), colour: 0x77_0077, on: "HEADLESS-1", display: desktop.display)
        // sway 1.10 may leave the first copy unanswered until something is drawn again.
        try CoreTesting.wait("the output's new content") {
            try again.fill(PixelRect(x: 0, y: 0, width: 64, height: 64), colour: 0x77_0077)
            if try watcher.wait(until: MonotonicClock.now() + 20_000_000) == .changed { try watcher.look() }
            return watcher.colour(63, 63) == 0x77_0077
        }
    }

    @Test func `what was to be seen no more is in no frame, and nothing is read until there is a new one`() throws {
        let watcher = try watch()
        try watcher.settle()
        try ground.fill(PixelRect(size: Self.size), colour: 0xff_0000)
        #expect(try watcher.wait(until: Watcher.timeout) == .changed)
        try ground.fill(PixelRect(size: Self.size), colour: 0x00_ff00)
        watcher.source.discardFrames()
        #expect(try !watcher.source.read(.full(size: Self.size)) { _ in Issue.record("an old frame") })
        #expect(try watcher.wait(until: Watcher.timeout) == .changed)
        #expect(try watcher.look().isFull)
        #expect(watcher.isAll(0x00_ff00, in: PixelRect(size: Self.size)))
    }

    @Test func `a compositor that ends is an error, and so is one that is not there`() throws {
        let watcher = try watch()
        desktop.end()
        #expect(throws: VideoSourceError.compositorLost) {
            while true { _ = try watcher.wait(until: .max) }
        }
        #expect(throws: VideoSourceError.noCompositor(display: desktop.display)) { try opening(.desktop) }
    }
}
