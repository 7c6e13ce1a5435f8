// The screen of a compositor with ext-image-copy-capture alone: pixels, damage, and what becomes of outputs and sessions during a take.
import CoreTesting
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@testable import KineCapture
@testable import KineWayland

@Suite(.serialized, .tags(.real)) struct ImageCaptureSourceTests {
    static let size = PixelSize(width: 320, height: 240)
    private static let red: UInt32 = 0xff_0000
    private static let green: UInt32 = 0x00_ff00
    private static let white: UInt32 = 0xff_ffff
    private static let yellow: UInt32 = 0xff_ff00
    private let compositor: CaptureCompositor

    init() throws {
        compositor = try CaptureCompositor(size: Self.size)
        try compositor.send("pattern DP-1 1")
    }

    // MARK: Frames

    @Test func `the whole output is read once, then only the tiles that were painted`() throws {
        let watcher = try compositor.watch()
        #expect(watcher.size == Self.size && watcher.shows())
        let painted = PixelRect(x: 37, y: 100, width: 20, height: 3)
        try compositor.paint(painted, Self.red)
        #expect(try watcher.follow { $0.colour(40, 101) == Self.red } == DamageRegion.tiles([painted]))
        #expect(watcher.shows(painted: [(painted, Self.red)]))
    }

    @Test func `several rectangles of one frame are its damage, however far apart`() throws {
        let watcher = try compositor.watch()
        let corners = [
            PixelRect(x: 0, y: 0, width: 5, height: 5), PixelRect(x: 315, y: 235, width: 5, height: 5),
            PixelRect(x: 160, y: 120, width: 1, height: 1),
        ]
        try compositor.send("hold DP-1")
        for corner in corners { try compositor.paint(corner, Self.red) }
        try compositor.send("go DP-1")
        #expect(try watcher.wait(until: Watcher.timeout) == .changed)
        #expect(try watcher.look() == DamageRegion.tiles(corners))
        #expect(watcher.shows(painted: corners.map { ($0, Self.red) }))
    }

    @Test func `more rectangles than anybody counts are one`() throws {
        let watcher = try compositor.watch()
        let dots = (0..<200).map { PixelRect(x: 10 + $0, y: 20 + $0 / 2, width: 1, height: 1) }
        try compositor.send("hold DP-1")
        for dot in dots { try compositor.paint(dot, Self.red) }
        try compositor.send("go DP-1")
        #expect(try watcher.wait(until: Watcher.timeout) == .changed)
        let damage = try watcher.look()
        var missed = DamageRegion.tiles(dots)
        missed.subtract(damage)
        #expect(missed.isEmpty)
        #expect(watcher.shows(painted: dots.map { ($0, Self.red) }))
    }

    @Test func `a still screen wakes nobody and is captured no more`() throws {
        let watcher = try compositor.watch()
        let counts = try compositor.counts()
        #expect(counts.sessions == 1 && counts.ready == 1)
        // One capture is open: the next change ends it.
        _ = try watcher.wait(until: MonotonicClock.now())
        #expect(try compositor.counts().captures == 2)
        let reads = watcher.reads
        var waiter = SourceWaiter(wake: WakeSignal(), descriptors: [watcher.source.descriptor])
        waiter.wait(until: MonotonicClock.now() + 300_000_000, for: .sources)
        #expect(!waiter.isReady(0) && watcher.source.deadline == nil)
        #expect(try watcher.wait(until: MonotonicClock.now()) == .deadline)
        #expect(watcher.reads == reads)
        let later = try compositor.counts()
        #expect(later.captures == 2 && later.ready == 1)
    }

    @Test func `what is painted while a frame is read is in a later one`() throws {
        let watcher = try compositor.watch()
        var painted: [(PixelRect, UInt32)] = []
        for number in 1...50 {
            let rect = PixelRect(x: number * 6, y: number * 4, width: 5, height: 3)
            painted.append((rect, 0x10_0000 + UInt32(number)))
            try compositor.paint(rect, 0x10_0000 + UInt32(number))
            if number.isMultiple(of: 3) { try watcher.look() }
        }
        try watcher.follow { $0.colour(302, 201) == 0x10_0032 }
        #expect(watcher.shows(painted: painted))
    }

    /// The compositor writes nothing else into a buffer than that and what is new, so that every pixel of the frames says so too.
    @Test func `the compositor is told exactly what each buffer misses`() throws {
        let watcher = try compositor.watch()
        let all = PixelRect(size: Self.size)
        let rects = (1...4).map { PixelRect(x: $0 * 40, y: $0 * 30, width: 11, height: 7) }
        // The second buffer is new; then each misses what was new in the frame before.
        var missing = [[all]] + rects.map { [$0] }
        missing.removeLast()
        for (index, rect) in rects.enumerated() {
            _ = try watcher.wait(until: MonotonicClock.now())  // sends the request
            #expect(try compositor.counts().missing == missing[index], "\(index)")
            try compositor.paint(rect, Self.red)
            #expect(try watcher.wait(until: Watcher.timeout) == .changed)
            #expect(try watcher.look() == DamageRegion.tiles([rect]))
            #expect(watcher.shows(painted: rects.prefix(index + 1).map { ($0, Self.red) }))
        }
    }

    @Test func `the pointer is in the frames of those who want it alone`() throws {
        let (with, without) = (try compositor.watch(cursor: true), try compositor.watch(cursor: false))
        let place = PixelRect(x: 100, y: 60, width: 8, height: 8)
        try compositor.send("pointer DP-1 100 60 00ff00")
        #expect(try with.follow { $0.colour(100, 60) == Self.green } == DamageRegion.tiles([place]))
        #expect(with.shows(painted: [(place, Self.green)]))
        let next = PixelRect(x: 203, y: 61, width: 8, height: 8)
        try compositor.send("pointer DP-1 203 61 00ff00")
        try with.follow { $0.colour(203, 61) == Self.green && $0.colour(100, 60) != Self.green }
        #expect(with.shows(painted: [(next, Self.green)]))
        #expect(try without.wait(until: MonotonicClock.now() + 50_000_000) == .deadline)
        #expect(without.shows())
    }

    @Test(arguments: [
        ("34324258", PackedPixels.rgba), ("34324752", .bgr), ("34324742", .rgb), ("30335258", .bgr30),
        ("30334258", .rgb30), ("36314752", .bgr565),
    ])
    func `any known kind of pixels is read in the right colours`(format: String, packing: PackedPixels) throws {
        #expect(PackedPixels(shmFormat: UInt32(format, radix: 16)!) == packing)
        // Odd, so that rows of three bytes do not end where words do; and colours that five bits can say.
        try compositor.send("resize DP-1 123 45")
        try compositor.send("formats DP-1 \(format)")
        let places: [(PixelRect, UInt32)] = [
            (PixelRect(x: 0, y: 0, width: 41, height: 45), 0xff_0000),
            (PixelRect(x: 41, y: 0, width: 41, height: 45), Self.green),
            (PixelRect(x: 82, y: 0, width: 41, height: 45), 0x00_00ff),
            (PixelRect(x: 122, y: 44, width: 1, height: 1), Self.white),
        ]
        for (place, colour) in places { try compositor.paint(place, colour) }
        let watcher = try compositor.watch()
        #expect(watcher.size == PixelSize(width: 123, height: 45))
        #expect(watcher.shows(painted: places))
    }

    @Test func `of several kinds of pixels the frames' own are taken, in whatever order they come`() throws {
        for formats in ["36314752 34324742 1 30335258", "0 34324258", "36314752 30335258 0"] {
            try compositor.send("formats DP-1 \(formats)")
            #expect(try compositor.watch().shows())
        }
        // No error: another kind in the middle of a take.
        let watcher = try compositor.watch()
        try compositor.send("formats DP-1 34324258")
        try compositor.paint(PixelRect(x: 9, y: 9, width: 9, height: 9), Self.red)
        try watcher.follow { $0.colour(9, 9) == Self.red }
        #expect(watcher.shows(painted: [(PixelRect(x: 9, y: 9, width: 9, height: 9), Self.red)]))
    }

    // MARK: Regions

    @Test func `a region has its own pixels and is followed, and what is outside of it makes no frame`() throws {
        let region = PixelRect(x: 90, y: 45, width: 61, height: 43)
        let watcher = try compositor.watch(.region(region))
        #expect(watcher.size == region.size)
        func isRight(_ painted: [(PixelRect, UInt32)] = []) -> Bool { watcher.shows(painted: painted, from: (90, 45)) }
        #expect(isRight())
        let before = try compositor.counts()
        for number in 0..<5 {
            try compositor.paint(PixelRect(x: number * 10, y: 0, width: 9, height: 45), Self.red)
            #expect(try watcher.wait(until: MonotonicClock.now() + 20_000_000) == .deadline)
        }
        #expect(try compositor.counts().ready == before.ready + 5)
        // Across its corner.
        let corner = PixelRect(x: 80, y: 40, width: 20, height: 10)
        try compositor.paint(corner, Self.red)
        #expect(try watcher.wait(until: Watcher.timeout) == .changed)
        #expect(
            try watcher.look() == DamageRegion.tiles([PixelRect(x: 0, y: 0, width: 10, height: 5)], of: region.size))
        #expect(isRight([(corner, Self.red)]))
        // Outside once more, then inside: nothing is lost on the way.
        try compositor.paint(PixelRect(x: 0, y: 200, width: 320, height: 40), 0x00_00ff)
        _ = try watcher.wait(until: MonotonicClock.now() + 20_000_000)
        let dot = PixelRect(x: 150, y: 87, width: 1, height: 1)
        try compositor.paint(dot, Self.white)
        try watcher.follow { $0.colour(60, 42) == Self.white }
        #expect(isRight([(corner, Self.red), (dot, Self.white)]))
        let outside = try compositor.opening(.region(PixelRect(x: 400, y: 0, width: 10, height: 10)))
        #expect(
            throws: VideoSourceError.outsideScreen(PixelRect(x: 400, y: 0, width: 10, height: 10), screen: Self.size)
        ) { try Watcher(opening: outside) }
    }

    @Test func `a region of a dense output has the pixels that its logical ones touch`() throws {
        try compositor.send("place DP-1 0 0 160 120")
        let twice = try compositor.watch(.region(PixelRect(x: 5, y: 10, width: 50, height: 60)))
        #expect(twice.size == PixelSize(width: 100, height: 120))
        #expect(
            twice.colour(0, 0) == CaptureCompositor.pattern(1, 10, 20)
                && twice.colour(99, 119) == CaptureCompositor.pattern(1, 109, 139))
        // 1.25: a logical pixel is one and a quarter.
        try compositor.send("place DP-1 0 0 256 192")
        let denser = try compositor.watch(.region(PixelRect(x: 2, y: 4, width: 2, height: 4)))
        #expect(denser.size == PixelSize(width: 3, height: 5))
        #expect(
            denser.colour(0, 0) == CaptureCompositor.pattern(1, 2, 5)
                && denser.colour(2, 4) == CaptureCompositor.pattern(1, 4, 9))
    }

    /// By hand: the picture of a monitor that is turned by 90° has its upper left corner at the lower left of the monitor's pixels.
    @Test func `a region of a turned output is the one that is seen there`() throws {
        try compositor.send("transform DP-1 1")
        try compositor.send("place DP-1 0 0 240 320")
        let watcher = try compositor.watch(.region(PixelRect(x: 10, y: 20, width: 30, height: 50)))
        #expect(watcher.size == PixelSize(width: 50, height: 30))
        let orientation = watcher.source.orientation
        #expect(orientation.turned(watcher.size) == PixelSize(width: 30, height: 50))
        // x of the desktop is upwards in the monitor's pixels, and y is to the right.
        #expect(watcher.colour(0, 29) == CaptureCompositor.pattern(1, 20, 240 - 1 - 10))
        #expect(watcher.colour(49, 0) == CaptureCompositor.pattern(1, 69, 240 - 1 - 39))
        let corner = orientation.turnedBack(PixelRect(x: 0, y: 0, width: 1, height: 1), of: watcher.size)
        #expect(corner == PixelRect(x: 0, y: 29, width: 1, height: 1))
    }

    // MARK: Several outputs

    @Test func `two outputs are one desktop, and a region on both is refused`() throws {
        try compositor.send("output DP-2 200 150 330 40")
        try compositor.paint(PixelRect(x: 0, y: 0, width: 200, height: 150), 0x80_0010, on: "DP-2")
        let watcher = try compositor.watch()
        #expect(watcher.size == PixelSize(width: 530, height: 240))
        let second = PixelRect(x: 330, y: 40, width: 200, height: 150)
        let ground: [(PixelRect, UInt32)] = [
            (PixelRect(x: 320, y: 0, width: 210, height: 240), 0), (second, 0x80_0010),
        ]
        func isRight(_ painted: [(PixelRect, UInt32)] = []) -> Bool { watcher.shows(painted: ground + painted) }
        try watcher.follow { _ in isRight() }
        try compositor.paint(PixelRect(x: 3, y: 3, width: 1, height: 1), 0xff_ffff, on: "DP-2")
        try compositor.paint(PixelRect(x: 319, y: 239, width: 1, height: 1), Self.yellow)
        let places = [PixelRect(x: 333, y: 43, width: 1, height: 1), PixelRect(x: 319, y: 239, width: 1, height: 1)]
        let damage = try watcher.follow { $0.colour(333, 43) == Self.white && $0.colour(319, 239) == Self.yellow }
        #expect(damage == DamageRegion.tiles(places, of: watcher.size))
        #expect(isRight([(places[0], Self.white), (places[1], Self.yellow)]))
        let both = try compositor.opening(.region(PixelRect(x: 300, y: 50, width: 60, height: 10)))
        #expect(throws: VideoSourceError.regionOnSeveralMonitors(["DP-1", "DP-2"])) { try Watcher(opening: both) }
        let beside = try compositor.watch(.region(PixelRect(x: 331, y: 41, width: 20, height: 10)))
        #expect(beside.colour(2, 2) == Self.white && beside.colour(1, 2) == 0x80_0010)
        #expect(try compositor.watch(.monitor("dp-2")).size == PixelSize(width: 200, height: 150))
        let absent = try compositor.opening(.monitor("DP-9"))
        #expect(throws: VideoSourceError.noMonitor("DP-9", existing: ["DP-1", "DP-2"])) { try Watcher(opening: absent) }
    }

    // MARK: Changes of an output

    @Test(arguments: 0..<8)
    func `a turned output says how it comes upright`(transform: Int) throws {
        try compositor.send("transform DP-1 \(transform)")
        let watcher = try compositor.watch()
        #expect(watcher.size == Self.size && watcher.shows(), "the monitor's own pixels")
        #expect(watcher.source.orientation == Orientation(undoingWaylandTransform: Int32(transform)))
        // And is followed: all of the picture is another one, though no pixel is.
        let next = (transform + 3) % 8
        try compositor.send("transform DP-1 \(next)")
        let turn = Orientation(undoingWaylandTransform: Int32(next))
        #expect(try watcher.follow { $0.source.orientation == turn }.isFull)
        #expect(watcher.shows())
    }

    @Test func `an output that goes leaves its last frame, and is recorded again when it comes back`() throws {
        let watcher = try compositor.watch(.monitor("DP-1"))
        try compositor.send("output DP-2 64 64 320 0")
        try compositor.send("remove DP-1")
        #expect(try watcher.wait(until: MonotonicClock.now() + 50_000_000) == .deadline)
        #expect(watcher.size == Self.size && watcher.shows(), "the last frame stays")
        #expect(watcher.source.deadline == nil, "nothing is tried meanwhile")
        #expect(watcher.source.interruption == SourceInterruption(.monitorGone, monitor: "DP-1"))
        try compositor.send("output DP-1 100 80 0 0")
        try compositor.send("pattern DP-1 5")
        try watcher.follow {
            $0.size == PixelSize(width: 100, height: 80) && $0.colour(0, 0) == CaptureCompositor.pattern(5, 0, 0)
        }
        #expect(watcher.shows(pattern: 5))
        #expect(watcher.source.interruption == nil)
    }

    @Test func `an output at the same place under a new name is the recorded one, if it was not there before`()
        throws
    {
        try compositor.send("output DP-2 64 64 320 0")
        let watcher = try compositor.watch(.monitor("DP-1"))
        try compositor.send("remove DP-1")
        try compositor.send("remove DP-2")
        try compositor.send("output DP-2 \(Self.size.width) \(Self.size.height) 0 0")
        try compositor.send("pattern DP-2 3")
        #expect(try watcher.wait(until: MonotonicClock.now() + 50_000_000) == .deadline)
        #expect(watcher.source.interruption?.monitor == "DP-1" && watcher.shows())
        try compositor.send("output DP-3 \(Self.size.width) \(Self.size.height) 0 0")
        try compositor.send("pattern DP-3 5")
        try watcher.follow { $0.colour(0, 0) == CaptureCompositor.pattern(5, 0, 0) }
        #expect(watcher.source.interruption == nil && watcher.shows(pattern: 5))
    }

    @Test func `an output that goes while it is opened is waited for`() throws {
        try compositor.send("output DP-2 64 64 320 0")
        try compositor.send("told DP-1 0 0")
        let opening = try compositor.opening(.monitor("DP-1"))
        func go(until isDone: () throws -> Bool) throws {
            var waiter = SourceWaiter(wake: WakeSignal(), descriptors: [opening.descriptor])
            while try !isDone() {
                #expect(try opening.processEvents() == nil)
                waiter.wait(until: MonotonicClock.now() + 10_000_000, for: .sources)
            }
        }
        try go { try compositor.counts().sessions == 1 }
        try compositor.send("remove DP-1")
        // Longer than until a session that has stopped is followed by another.
        let end = MonotonicClock.now() + ImageCaptureStateMachine.stopInterval * 3 / 2
        try go { MonotonicClock.now() > end }
        try compositor.send("output DP-1 40 30 0 0")
        try compositor.send("pattern DP-1 4")
        let watcher = try Watcher(opening: opening)
        #expect(watcher.size == PixelSize(width: 40, height: 30) && watcher.shows(pattern: 4))
    }

    @Test func `what was to be seen no more is in no frame, and nothing is read until there is a new one`() throws {
        let watcher = try compositor.watch()
        try compositor.paint(PixelRect(size: Self.size), Self.red)
        #expect(try watcher.wait(until: Watcher.timeout) == .changed)
        try compositor.send("pattern DP-1 2")
        watcher.source.discardFrames()
        #expect(try !watcher.source.read(.full(size: Self.size)) { _ in Issue.record("an old frame") })
        #expect(try watcher.wait(until: Watcher.timeout) == .changed)
        #expect(try watcher.look().isFull)
        #expect(watcher.shows(pattern: 2))
        // The last frame of an output that has gone can still be read.
        try compositor.send("remove DP-1")
        _ = try watcher.wait(until: MonotonicClock.now() + 10_000_000)
        watcher.source.discardFrames()
        var parts = 0
        #expect(try watcher.source.read(.full(size: Self.size)) { _ in parts += 1 })
        #expect(parts > 0)
    }

    @Test func `the protocol is named`() throws {
        let inventory = try WaylandInventory(display: compositor.display)
        #expect(inventory.copyProtocol == .imageCapture && inventory.outputs.map(\.name) == ["DP-1"])
    }
}
