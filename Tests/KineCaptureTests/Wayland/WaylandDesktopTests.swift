// A desktop of several outputs as one picture: outputs that come, go and turn, are denser than others, or sleep.
import KineCapture
import KineMedia
import ScreenTesting
import Testing

@testable import KineWayland

@Suite struct WaylandDesktopTests {
    /// The size of DP-1, which is at the upper left.
    private static let size = PixelSize(width: 320, height: 240)
    private static let red: UInt32 = 0xc0_2010
    private static let blue: UInt32 = 0x10_20c0

    private let compositor: CaptureCompositor

    init() throws {
        compositor = try CaptureCompositor(size: Self.size)
        try paint("DP-1", Self.red)
    }

    private func paint(_ output: String, _ colour: UInt32) throws {
        try compositor.paint(PixelRect(x: 0, y: 0, width: 2000, height: 2000), colour, on: output)
    }

    private func place(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> PixelRect {
        PixelRect(x: x, y: y, width: width, height: height)
    }

    @Test func `an output that comes is in the picture, and one that goes is not any more`() throws {
        let watcher = try compositor.watch()
        #expect(watcher.size == Self.size)
        try compositor.send("output DP-2 200 150 320 40")
        try paint("DP-2", Self.blue)
        try watcher.follow { $0.size == PixelSize(width: 520, height: 240) && $0.colour(400, 100) == Self.blue }
        #expect(watcher.isAll(Self.blue, in: place(320, 40, 200, 150)) && watcher.isAll(0, in: place(320, 0, 200, 40)))
        #expect(watcher.isAll(Self.red, in: PixelRect(size: Self.size)))
        try compositor.send("place DP-2 -200 0 200 150")
        try watcher.follow { $0.colour(0, 0) == Self.blue && $0.colour(519, 0) == Self.red }
        try compositor.send("remove DP-2")
        try paint("DP-1", Self.blue)
        try watcher.follow { $0.size == Self.size && $0.isAll(Self.blue, in: PixelRect(size: Self.size)) }
        #expect(watcher.source.interruption == nil)
        try compositor.send("remove DP-1")
        try watcher.settle()
        #expect(watcher.source.interruption?.monitor == "DP-1" && watcher.size == Self.size)
    }

    @Test func `beside a denser output, others are enlarged`() throws {
        try compositor.send("output DP-2 400 300 320 0 200 150")
        try paint("DP-2", Self.blue)
        try compositor.paint(place(10, 10, 1, 1), 0xff_ffff, on: "DP-2")
        let watcher = try compositor.watch()
        #expect(watcher.size == PixelSize(width: 1040, height: 480))
        #expect(watcher.isAll(Self.red, in: place(0, 0, 640, 480)))
        #expect(watcher.colour(650, 10) == 0xff_ffff, "the denser one's pixels are its own")
        // A compositor that is held up gives its frame later.
        try watcher.follow { $0.isAll(Self.blue, in: place(652, 0, 388, 300)) }
        #expect(watcher.isAll(0, in: place(640, 300, 400, 180)))
        try compositor.paint(place(100, 100, 50, 50), 0xff_ffff)
        try watcher.follow { $0.colour(250, 250) == 0xff_ffff }
        #expect(watcher.colour(190, 190) == Self.red && watcher.colour(310, 310) == Self.red)
    }

    @Test func `a turned output is upright in the picture`() throws {
        try compositor.send("output DP-2 200 100 320 0 100 200")
        try compositor.send("transform DP-2 1")
        try paint("DP-2", Self.blue)
        // The left side of the monitor's pixels is the top or the bottom of the picture.
        try compositor.paint(place(0, 0, 20, 100), 0xff_ffff, on: "DP-2")
        let watcher = try compositor.watch()
        #expect(watcher.size == PixelSize(width: 420, height: 240) && watcher.source.orientation == .up)
        try watcher.follow { $0.colour(370, 100) == Self.blue }
        let isTop = watcher.isAll(0xff_ffff, in: place(320, 0, 100, 20))
        let side = place(320, isTop ? 0 : 180, 100, 20)
        #expect(watcher.isAll(0xff_ffff, in: side))
        #expect(watcher.isAll(Self.blue, in: place(320, isTop ? 20 : 0, 100, 180)))
        try compositor.send("transform DP-2 3")
        try watcher.follow { !$0.isAll(0xff_ffff, in: side) }
        #expect(watcher.isAll(0xff_ffff, in: place(320, isTop ? 180 : 0, 100, 20)))
    }

    @Test func `an output that sleeps is black, and is shown when it wakes`() throws {
        try compositor.send("output DP-2 200 150 320 0")
        try compositor.send("hold DP-2")
        let watcher = try compositor.watch()
        #expect(watcher.size == PixelSize(width: 520, height: 240))
        #expect(watcher.isAll(Self.red, in: PixelRect(size: Self.size)))
        #expect(watcher.isAll(0, in: place(320, 0, 200, 240)))
        try paint("DP-2", Self.blue)
        try compositor.send("go DP-2")
        try watcher.follow { $0.isAll(Self.blue, in: place(320, 0, 200, 150)) }
    }

    @Test func `what is to be seen no more is black where an output sleeps, and the others go on`() throws {
        try compositor.send("output DP-2 200 150 320 0")
        try paint("DP-2", Self.blue)
        let watcher = try compositor.watch()
        try watcher.follow { $0.isAll(Self.blue, in: place(320, 0, 200, 150)) }
        try compositor.send("hold DP-2")
        // The copy that waits already is of the old picture.
        watcher.source.discardFrames()
        #expect(try !watcher.source.read(.full(size: watcher.size)) { _ in Issue.record("an old frame") })
        try compositor.paint(PixelRect(size: Self.size), 0xff_ffff)
        try watcher.follow { $0.isAll(0, in: place(320, 0, 200, 150)) && $0.colour(0, 0) == 0xff_ffff }
        try paint("DP-2", Self.red)
        try compositor.send("go DP-2")
        try watcher.follow { $0.isAll(Self.red, in: place(320, 0, 200, 150)) }
    }
}
