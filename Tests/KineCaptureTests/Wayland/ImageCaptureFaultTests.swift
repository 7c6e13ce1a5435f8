// What a compositor with ext-image-copy-capture does wrong, or cannot help: sessions that stop, captures that fail, and nonsense.
import CoreTesting
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@testable import KineCapture

@Suite(.serialized, .tags(.real)) struct ImageCaptureFaultTests {
    private static let size = ImageCaptureSourceTests.size
    private static let red: UInt32 = 0xff_0000
    private static let white: UInt32 = 0xff_ffff
    private let compositor: CaptureCompositor

    init() throws {
        compositor = try CaptureCompositor(size: Self.size)
        try compositor.send("pattern DP-1 1")
    }

    @Test(arguments: [0, 1, 2, 3, 77])
    func `a capture that fails is made again, whatever the reason`(reason: Int) throws {
        let watcher = try compositor.watch()
        let rect = PixelRect(x: 50, y: 50, width: 10, height: 10)
        for number in 1...3 {
            try compositor.send("fail DP-1 \(reason)")
            try compositor.paint(rect, UInt32(number))
            try watcher.follow { $0.colour(rect.x, rect.y) == UInt32(number) }
            #expect(watcher.shows(painted: [(rect, UInt32(number))]))
        }
        let next = PixelRect(x: 0, y: 200, width: 5, height: 5)
        try watcher.settle()
        try compositor.paint(next, Self.red)
        #expect(try watcher.follow { $0.colour(0, 200) == Self.red } == DamageRegion.tiles([next]))
    }

    @Test func `a buffer that is refused gets what is told instead, or another session`() throws {
        // The size that is told and the mode are not of one mind for a while.
        let watcher = try compositor.watch()
        try compositor.send("fail DP-1 1")
        _ = try watcher.wait(until: MonotonicClock.now() + 20_000_000)
        #expect(watcher.source.deadline != nil, "it is not waited for ever")
        try compositor.send("resize DP-1 50 60")
        try watcher.follow { $0.size == PixelSize(width: 50, height: 60) }
        try compositor.send("fail DP-1 1")
        try compositor.send("pattern DP-1 3")
        try watcher.follow { $0.colour(0, 0) == CaptureCompositor.pattern(3, 0, 0) }
        #expect(try compositor.counts().sessions >= 2)
        #expect(watcher.shows(pattern: 3))
    }

    @Test(arguments: [
        "-5 -7 30 20", "300 200 1000000 1000000", "2147483647 2147483647 2147483647 2147483647",
        "-2147483648 -2147483648 2147483647 2147483647", "5 5 -5 -5", "9 9 0 0",
    ])
    func `damage that no picture has is cut off`(damage: String) throws {
        let watcher = try compositor.watch()
        let rect = PixelRect(x: 100, y: 100, width: 5, height: 5)
        try compositor.send("hold DP-1")
        try compositor.send("damage DP-1 \(damage)")
        try compositor.paint(rect, Self.red)
        try compositor.send("go DP-1")
        #expect(try watcher.wait(until: Watcher.timeout) == .changed)
        let told = damage.split(separator: " ").map { Int($0)! }
        let inside = PixelRect(x: told[0], y: told[1], width: told[2], height: told[3])
            .intersection(PixelRect(size: Self.size))
        #expect(try watcher.look() == DamageRegion.tiles([rect] + (inside.isEmpty ? [] : [inside])))
        #expect(watcher.shows(painted: [(rect, Self.red)]))
        // The compositor refuses buffer damage outside of a buffer, and so would end this connection.
        try compositor.paint(rect, Self.white)
        try watcher.follow { $0.colour(100, 100) == Self.white }
    }

    @Test func `a size that no frame can have is refused, and none is waited for`() throws {
        for size in ["40000 10", "10 4294967295", "32768 32768", "4294967295 4294967295"] {
            try compositor.send("told DP-1 \(size)")
            let opening = try compositor.opening()
            #expect(throws: VideoSourceError.unsupportedPixels(format: 1), "\(size)") { try Watcher(opening: opening) }
        }
        try compositor.send("told DP-1 0 0")
        let opening = try compositor.opening()
        var waiter = SourceWaiter(wake: WakeSignal(), descriptors: [opening.descriptor])
        while try compositor.counts().sessions < 5 {
            #expect(try opening.processEvents() == nil)
            waiter.wait(until: MonotonicClock.now() + 10_000_000, for: .sources)
        }
        #expect(try opening.processEvents() == nil)
        try compositor.send("told DP-1 320 240")
        let watcher = try Watcher(opening: opening)
        #expect(watcher.shows())
        // In the middle of a take as well: the monitor is off.
        try compositor.send("told DP-1 0 240")
        #expect(try watcher.wait(until: MonotonicClock.now() + 20_000_000) == .deadline)
        try compositor.send("told DP-1 320 240")
        try compositor.send("pattern DP-1 9")
        try watcher.follow { $0.colour(0, 0) == CaptureCompositor.pattern(9, 0, 0) }
        #expect(watcher.shows(pattern: 9))
    }

    @Test func `pixels of an unknown kind are refused, and so is a graphics card's memory alone`() throws {
        try compositor.send("formats DP-1 34344152 20203852")
        let unknown = try compositor.opening()
        #expect(throws: VideoSourceError.unsupportedPixels(format: 0x3434_4152)) { try Watcher(opening: unknown) }
        try compositor.send("formats DP-1")
        try compositor.send("graphics DP-1")
        let graphics = try compositor.opening()
        #expect(throws: VideoSourceError.noFramesInMemory) { try Watcher(opening: graphics) }
        // Beside memory that can be read it does no harm.
        try compositor.send("formats DP-1 34344152 1")
        #expect(try compositor.watch().shows())
    }
}
