// Casts over a real PipeWire, by a producer that does what compositors do, often or rarely. How casts end is in
// PipeWireSourceEndTests.swift.
import CastTesting
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import SystemPackage
import Testing

@testable import KinePipeWire

@Suite(.serialized, .tags(.real)) struct PipeWireSourceTests {
    static let size = PixelSize(width: 160, height: 96)

    private func tiles(_ rects: PixelRect..., in size: PixelSize = size) -> DamageRegion {
        DamageRegion.tiles(rects, of: size)
    }

    // MARK: Pixels

    @Test(arguments: CastProducer.Memory.allCases, ["bgrx", "bgra", "rgbx", "rgba", "bgr", "rgb"])
    func `every pixel of every format arrives, in any memory`(memory: CastProducer.Memory, pixels: String) throws {
        // An odd width, of which rows of three bytes a pixel are no whole words.
        let fixture = try CastFixture(size: PixelSize(width: 157, height: 91), memory: memory, pixels: pixels)
        let watcher = try fixture.watch()
        #expect(fixture.isShown(by: watcher))
        try fixture.producer.setPattern(7)
        let spot = PixelRect(x: 40, y: 20, width: 30, height: 30)
        try fixture.producer.paint(spot, 0x12_34_56)
        #expect(try watcher.damage(of: "frame", by: fixture.producer).isFull)
        #expect(fixture.isShown(by: watcher))
        try fixture.producer.paint(spot, 0xfe_dc_ba)
        let damage = try watcher.damage(of: "frame damage=40,20,30,30", by: fixture.producer)
        #expect(damage == tiles(spot, in: watcher.size))
        #expect(fixture.isShown(by: watcher))
    }

    @Test(arguments: CastProducer.Memory.allCases, ["bgrx", "rgb"])
    func `rows may be packed, longer, or begin later`(memory: CastProducer.Memory, pixels: String) throws {
        let fixture = try CastFixture(memory: memory, pixels: pixels)
        let watcher = try fixture.watch(frame: "frame told-stride=0")
        #expect(fixture.isShown(by: watcher))
        let bytes = pixels == "rgb" ? 3 : 4
        for (index, line) in [
            "stride=\(160 * bytes + 64)", "stride=\(160 * bytes + 7)", "offset=13",
            "offset=64 stride=\(160 * bytes + 4)",
        ].enumerated() {
            try fixture.producer.setPattern(index + 1)
            #expect(try watcher.damage(of: "frame \(line)", by: fixture.producer).isFull)
            #expect(fixture.isShown(by: watcher), "\(line)")
        }
    }

    @Test func `frames of a pause are discarded, until a newer one comes or a moment has passed`() throws {
        let fixture = try CastFixture()
        let watcher = try fixture.watch()
        func canRead() throws -> Bool { try watcher.source.read(.full(size: Self.size)) { _ in } }
        #expect(try canRead())
        try fixture.producer.setPattern(2)
        // Once with a newer frame, and once on a still screen.
        watcher.source.discardFrames()
        _ = try watcher.damage(of: "frame", by: fixture.producer)
        #expect(try canRead())
        watcher.source.discardFrames()
        try wait("the moment's end") { try canRead() }
        #expect(fixture.isShown(by: watcher))
    }

    @Test func `a large frame is read in bands, whatever its memory`() throws {
        let server = try PrivatePipeWire()
        for (memory, pixels) in [(CastProducer.Memory.unsealed, "bgrx"), (.sealed, "rgbx"), (.unsealed, "rgb")] {
            let fixture = try CastFixture(
                size: PixelSize(width: 1920, height: 1080), memory: memory, pixels: pixels, on: server)
            let watcher = try fixture.watch()
            #expect(fixture.isShown(by: watcher) && watcher.reads > 8)
        }
    }

    @Test func `memory that is sealed is handed on as it is, in one part`() throws {
        let watcher = try CastFixture().watch()
        #expect(watcher.reads == 1)
    }

    @Test func `memory of a graphics card is taken where a compositor has nothing else`() throws {
        let fixture = try CastFixture(memory: .graphics)
        let watcher = try fixture.watch()
        // What is called so, and is none, is not mapped: it could shrink.
        try fixture.producer.send("shrink")
        #expect(try !watcher.source.read(.full(size: Self.size)) { _ in })
        try fixture.producer.send("grow")
        try fixture.producer.setPattern(2)
        #expect(try watcher.damage(of: "frame", by: fixture.producer).isFull)
        #expect(fixture.isShown(by: watcher))
    }

    // MARK: Damage

    @Test func `frames that come between two looks are one`() throws {
        let fixture = try CastFixture()
        let watcher = try fixture.watch(frame: "frame time=1")
        let rects = [(0, 0), (64, 32), (128, 80)].map { PixelRect(x: $0.0, y: $0.1, width: 16, height: 16) }
        for (index, rect) in rects.enumerated() {
            try fixture.producer.paint(rect, 0xff_ffff)
            try fixture.producer.send("frame damage=\(rect.x),\(rect.y),16,16 time=\(index + 2)")
        }
        let source = try #require(watcher.source as? PipeWireSource)
        try watcher.wait("the last frame") { source.presentationTime == 4 }
        #expect(try watcher.look() == tiles(rects[0], rects[1], rects[2]))
        #expect(fixture.isShown(by: watcher))
    }

    @Test func `after the compositor has filled every buffer while nobody looked, the next frames arrive`() throws {
        let fixture = try CastFixture()
        let watcher = try fixture.watch()
        let processEvents = fixture.producer.whileWaiting
        for round in 1...3 {
            fixture.producer.whileWaiting = {}
            // One of six is held.
            for number in 1...5 {
                try fixture.producer.setPattern(round * 100 + number)
                try fixture.producer.send("frame")
            }
            fixture.producer.whileWaiting = processEvents
            try watcher.follow { fixture.isShown(by: $0) }
            #expect(watcher.source.deadline == nil, "it counts as paused")
            for number in 6...12 {
                try fixture.producer.setPattern(round * 100 + number)
                #expect(try watcher.damage(of: "frame", by: fixture.producer).isFull)
                #expect(fixture.isShown(by: watcher), "\(number)")
            }
        }
    }

    @Test func `a gap in the numbers, or the same again, is damage as a whole`() throws {
        let fixture = try CastFixture()
        let watcher = try fixture.watch()
        #expect(try !watcher.damage(of: "frame damage=0,0,1,1", by: fixture.producer).isFull)
        #expect(try watcher.damage(of: "frame damage=0,0,1,1 sequence=1000", by: fixture.producer).isFull)
        #expect(try watcher.damage(of: "frame damage=0,0,1,1 sequence=1000", by: fixture.producer).isFull)
        #expect(try !watcher.damage(of: "frame damage=0,0,1,1", by: fixture.producer).isFull)
    }

    @Test(arguments: ["-", "damage", "header", "crop,cursor,transform"])
    func `without some of the metadata, or all, every frame is whole`(metas: String) throws {
        let fixture = try CastFixture(metas: metas)
        let watcher = try fixture.watch()
        for pattern in 1...3 {
            try fixture.producer.setPattern(pattern)
            #expect(try watcher.damage(of: "frame damage=0,0,1,1", by: fixture.producer).isFull)
            #expect(fixture.isShown(by: watcher))
        }
    }

    @Test func `rectangles outside of the picture do no harm`() throws {
        let fixture = try CastFixture()
        let watcher = try fixture.watch()
        let damage = try watcher.damage(
            of:
                "frame damage=-5,-5,10,10;-2147483648,0,4294967295,1;150,90,4294967295,4294967295;2147483647,2147483647,9,9",
            by: fixture.producer)
        #expect(
            damage
                == tiles(
                    PixelRect(x: 0, y: 0, width: 5, height: 5), PixelRect(x: 0, y: 0, width: 160, height: 1),
                    PixelRect(x: 150, y: 90, width: 10, height: 6)))
    }

    @Test func `a still screen is nothing to do`() throws {
        let fixture = try CastFixture()
        let watcher = try fixture.watch()
        #expect(try watcher.wait(until: MonotonicClock.now() + 50_000_000) == .deadline)
        #expect(watcher.source.deadline == nil)
    }

    // MARK: What is no frame

    @Test func `pixels that would lie beyond the buffer are never looked at`() throws {
        for memory in CastProducer.Memory.allCases {
            let fixture = try CastFixture(memory: memory)
            let watcher = try fixture.watch()
            for line in [
                "told-stride=1000000", "told-stride=-640", "told-stride=639", "offset=4294967295",
                "told-stride=2147483647",
                "bytes=100", "stride=100000 bytes=4294967295",
            ] {
                try fixture.producer.send("frame stale=1 \(line)")
            }
            try fixture.producer.setPattern(3)
            try fixture.producer.send("frame damage=0,0,1,1")
            try watcher.follow { fixture.isShown(by: $0) }
        }
    }

    @Test func `a buffer for the cursor alone leaves the picture as it is, however stale its own`() throws {
        let fixture = try CastFixture()
        let watcher = try fixture.watch()
        let first = fixture.producer.picture
        try fixture.producer.setPattern(9)
        for flag in ["corrupted=1", "bytes=0"] {
            try fixture.producer.send("frame \(flag) damage=0,0,160,96 crop=1,1,50,50 transform=3")
        }
        try fixture.producer.send("frame corrupted=1 cursor=1,80,48 bitmap=4x4,ff0000ff")
        let cursor = PixelRect(x: 80, y: 48, width: 4, height: 4)
        var expected = first
        expected.paint(cursor, 0xff_0000)
        let damage = try watcher.follow { $0.pixels == expected.pixels }
        #expect(damage == tiles(cursor) && watcher.size == Self.size && watcher.source.orientation == .up)
    }

    // MARK: The cursor

    @Test func `the pointer is drawn over the picture, wherever it goes, in any memory`() throws {
        for (memory, pixels) in [(CastProducer.Memory.sealed, "bgrx"), (.unsealed, "bgrx"), (.pointer, "rgb")] {
            let fixture = try CastFixture(memory: memory, pixels: pixels)
            let watcher = try fixture.watch(frame: "frame cursor=1,20,20 hot=2,3 bitmap=7x5,00ff00ff,32")
            func expected(_ x: Int, _ y: Int) -> [UInt32] {
                var picture = fixture.producer.picture
                picture.paint(PixelRect(x: x - 2, y: y - 3, width: 7, height: 5), 0x00_ff00)
                return picture.pixels
            }
            #expect(watcher.pixels == expected(20, 20))
            for (x, y) in [(100, 50), (0, 0), (159, 95), (500, 20), (80, 48)] {
                try fixture.producer.send("frame corrupted=1 cursor=1,\(x),\(y)")
                let pixels = expected(x, y)
                try watcher.follow { $0.pixels == pixels }
            }
        }
    }

    @Test(arguments: [(CastProducer.Memory.sealed, "bgrx"), (.unsealed, "bgrx"), (.pointer, "rgb")])
    func `while the pointer alone moves, the frame's buffer takes no other's turn`(
        memory: CastProducer.Memory, pixels: String
    ) throws {
        let fixture = try CastFixture(memory: memory, pixels: pixels)
        let watcher = try fixture.watch(frame: "frame cursor=1,20,20 bitmap=8x8,ff0000ff")
        for round in 0..<2 {
            for step in 0..<20 {
                try fixture.producer.send("frame once=1 corrupted=1 cursor=1,\(5 * step),40")
                try #require(fixture.producer.lostCount == 0)
                var expected = fixture.producer.picture
                expected.paint(PixelRect(x: 5 * step, y: 40, width: 8, height: 8), 0xff_0000)
                try watcher.follow { $0.pixels == expected.pixels }
            }
            #expect(try watcher.source.read(.full(size: Self.size)) { _ in })
            try fixture.producer.setPattern(round + 1)
            #expect(try watcher.damage(of: "frame once=1 cursor=1,95,40", by: fixture.producer).isFull)
        }
        #expect(fixture.producer.lostCount == 0)
    }

    @Test func `a pointer without an id, or without an area, is none`() throws {
        let fixture = try CastFixture()
        let watcher = try fixture.watch(frame: "frame cursor=1,20,20 bitmap=8x8,ff0000ff")
        let shown = watcher.pixels
        #expect(!fixture.isShown(by: watcher))
        try fixture.producer.send("frame corrupted=1")
        try watcher.follow { fixture.isShown(by: $0) }
        try fixture.producer.send("frame corrupted=1 cursor=1,20,20")
        try watcher.follow { $0.pixels == shown }
        try fixture.producer.send("frame corrupted=1 cursor=1,20,20 bitmap=0x0,0,0")
        try watcher.follow { fixture.isShown(by: $0) }
    }

    @Test(arguments: [
        "bitmap=65x65,ff0000ff", "bitmap=64x64,ff0000ff,257", "bitmap=8x8,ff0000ff,-32", "bitmap=4294967295x1,ff0000ff",
    ])
    func `a bitmap that is not all there is no pointer`(bitmap: String) throws {
        let fixture = try CastFixture()
        let watcher = try fixture.watch(frame: "frame cursor=1,20,20 \(bitmap)")
        #expect(fixture.isShown(by: watcher))
    }

    @Test func `colours of a bitmap are multiplied by their opacity already`() throws {
        let fixture = try CastFixture()
        try fixture.producer.paint(PixelRect(size: Self.size), 0x80_8080)
        let watcher = try fixture.watch(frame: "frame cursor=1,16,16 bitmap=2x2,40000080")
        #expect(watcher.colour(16, 16) == 0x80_4040)
    }

    @Test func `without the cursor its motion is no change`() throws {
        let fixture = try CastFixture()
        let watcher = try fixture.watch(frame: "frame cursor=1,20,20 bitmap=8x8,ff0000ff", cursor: false)
        #expect(fixture.isShown(by: watcher))
        try fixture.producer.send("frame corrupted=1 cursor=1,50,50")
        try fixture.producer.setPattern(1)
        #expect(
            try watcher.damage(of: "frame damage=0,0,1,1", by: fixture.producer)
                == tiles(PixelRect(x: 0, y: 0, width: 1, height: 1)))
    }

    @Test func `an enlarged pointer is`() throws {
        let fixture = try CastFixture()
        let watcher = try fixture.watch(frame: "frame cursor=1,20,20 hot=1,1 bitmap=8x8,ff0000ff", scale: 2)
        var picture = fixture.producer.picture
        picture.paint(PixelRect(x: 18, y: 18, width: 16, height: 16), 0xff_0000)
        #expect(watcher.pixels == picture.pixels)
    }

    // MARK: Crop, turn, size, time

    @Test func `a crop is followed, and the cursor is placed in it`() throws {
        let fixture = try CastFixture()
        let first = PixelRect(x: 17, y: 5, width: 99, height: 51)
        let watcher = try fixture.watch(frame: "frame crop=17,5,99,51")
        #expect(fixture.isShown(by: watcher, crop: first))
        let second = PixelRect(x: 3, y: 40, width: 120, height: 33)
        try fixture.producer.send("frame damage=0,0,1,1 crop=3,40,120,33 cursor=1,23,60 bitmap=4x4,ff0000ff")
        var expected = fixture.producer.picture.cropped(second)
        expected.paint(PixelRect(x: 20, y: 20, width: 4, height: 4), 0xff_0000)
        try watcher.follow { $0.size == second.size && $0.pixels == expected.pixels }
        try fixture.producer.send("frame damage=0,0,1,1 crop=100,90,1000,1000")
        try watcher.follow { fixture.isShown(by: $0, crop: PixelRect(x: 100, y: 90, width: 60, height: 6)) }
    }

    @Test(arguments: CastProducer.Memory.allCases)
    func `another size comes with a new format, after frames of the old layout`(memory: CastProducer.Memory) throws {
        let fixture = try CastFixture(memory: memory)
        let watcher = try fixture.watch(frame: "frame cursor=1,20,20 bitmap=8x8,ff0000ff")
        for (width, height) in [(320, 200), (64, 48), (161, 97)] {
            let old = fixture.producer.picture.size
            try fixture.producer.send("frame damage=0,0,1,1")
            try fixture.producer.resize(to: PixelSize(width: width, height: height))
            // In a buffer of the new format or of the old, as it happens to come.
            try fixture.producer.send("frame layout=\(old.width)x\(old.height) bytes=100")
            try fixture.send("frame damage=0,0,1,1", untilShownBy: watcher)
        }
    }

    @Test func `a cast that sends nothing in its new format is started again`() throws {
        let fixture = try CastFixture()
        let watcher = try fixture.watch(
            limits: CastStateMachine.Limits(opening: Tool.timeout, pause: Tool.timeout, newFormat: 10_000_000))
        for (width, height) in [(320, 200), (64, 48)] {
            try fixture.producer.resize(to: PixelSize(width: width, height: height), untilRestart: true)
            #expect(watcher.source.size != fixture.producer.picture.size)
            try fixture.send("frame damage=0,0,1,1", untilShownBy: watcher)
            try watcher.wait("nothing more to do") { watcher.source.deadline == nil }
        }
    }

    @Test func `a window that has another size is asked for once more, where one frame shows it`() throws {
        let fixture = try CastFixture()
        let watcher = try fixture.watch(
            limits: CastStateMachine.Limits(opening: Tool.timeout, pause: Tool.timeout, newFormat: 10_000_000))
        let crop = PixelRect(x: 8, y: 4, width: 96, height: 64)
        try fixture.producer.send("frame crop=8,4,96,64")
        for state in ["paused", "streaming"] {
            try fixture.producer.wait(for: state)
        }
        try fixture.producer.setPattern(3)
        try CoreTesting.wait("the picture") {
            try fixture.producer.send("frame crop=8,4,96,64")
            if try watcher.wait(until: MonotonicClock.now() + 20_000_000) == .changed { try watcher.look() }
            return fixture.isShown(by: watcher, crop: crop)
        }
        try watcher.wait("nothing more to do") { watcher.source.deadline == nil }
    }

    @Test func `old and future times are clamped`() throws {
        let fixture = try CastFixture()
        let before = MonotonicClock.now()
        let watcher = try fixture.watch(frame: "frame time=5000")
        let source = try #require(watcher.source as? PipeWireSource)
        #expect(source.presentationTime == 5000)
        _ = try watcher.damage(of: "frame time=4000", by: fixture.producer)
        #expect(source.presentationTime == 5000)
        _ = try watcher.damage(of: "frame time=\(Int64.max)", by: fixture.producer)
        #expect((before...MonotonicClock.now()).contains(source.presentationTime))
        let last = source.presentationTime
        _ = try watcher.damage(of: "frame time=-1", by: fixture.producer)
        #expect(source.presentationTime == last)
    }

    // MARK: Hostile memory

    @Test func `memory that shrinks is no picture, and kills nobody`() throws {
        let fixture = try CastFixture(memory: .unsealed)
        let watcher = try fixture.watch()
        try fixture.producer.send("shrink")
        #expect(try !watcher.source.read(.full(size: Self.size)) { _ in })
        #expect(
            try watcher.wait(until: MonotonicClock.now()) == .deadline, "there is nothing to read before the next frame"
        )
        try fixture.producer.send("grow")
        try fixture.producer.setPattern(2)
        #expect(try watcher.damage(of: "frame damage=0,0,1,1", by: fixture.producer).isFull)
        #expect(fixture.isShown(by: watcher))
    }
}
