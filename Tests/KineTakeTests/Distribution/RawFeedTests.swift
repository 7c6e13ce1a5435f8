// Uncompressed frames on their way to extensions: whole, with the right damage, and at nobody else's cost.
import CoreTesting
import KineMedia
import Testing

@testable import KineTake

@Suite(.serialized, .tags(.margins)) struct RawFeedTests {
    private static let size = PixelSize(width: 128, height: 96)

    private func randomRect(using generator: inout SeededGenerator) -> PixelRect {
        let x = Int.random(in: 0..<Self.size.width - 1, using: &generator)
        let y = Int.random(in: 0..<Self.size.height - 1, using: &generator)
        return PixelRect(
            x: x, y: y, width: Int.random(in: 1...min(40, Self.size.width - x), using: &generator),
            height: Int.random(in: 1...min(40, Self.size.height - y), using: &generator))
    }

    @Test func `the encoder's own frames are read in place, each of them, with what changed`() throws {
        let fixture = try FeedFixture(services: [.raw()], isRecorded: false)
        let reader = try fixture.reader(.raw())
        #expect(reader.feed.stream.frames?.size == Self.size)
        reader.expect("the first picture") { !$0.frames.isEmpty }
        var generator = SeededGenerator(seed: 5)
        for count in 2...60 {
            let time = reader.frames.last?.time ?? .zero
            fixture.screen.fill(randomRect(using: &generator), UInt32.random(in: 1...0xff_ffff, using: &generator))
            reader.expect("picture \(count)") { $0.frames.contains { $0.time > time && !$0.damage.isEmpty } }
            let frame = try #require(reader.frames.last)
            let isWhole = try frame.planes == fixture.converted { $0.planes }
            #expect(isWhole)
            let isPatched = frame.patched == frame.planes
            #expect(isPatched)
            #expect(!frame.damage.isFull)
        }
        fixture.stop()
        reader.end()
        #expect(reader.frames.first?.damage.isFull == true)
        let times = reader.frames.map(\.time)
        #expect(times == times.sorted() && Set(times).count == times.count)
        // Nobody wanted an encoder, so there was none.
        #expect(fixture.frames.samples.isEmpty)
        #expect(reader.feed.sender.counts.bytesCopied == 0)
    }

    @Test(
        .tags(.slow),
        arguments: [
            SampleRequirements.raw(), .raw(framesPerSecond: 20), .raw(.nv12), .raw(.bgra),
            .raw(size: PixelSize(width: 64, height: 64)), .raw(.nv12, size: PixelSize(width: 50, height: 90)),
            .raw(.bgra, size: PixelSize(width: 100, height: 60), framesPerSecond: 30),
            .raw(shape: FrameShape(orientation: .right)),
            .raw(shape: FrameShape(size: PixelSize(width: 54, height: 96), crop: .fill)),
            .raw(.nv12, shape: FrameShape(size: PixelSize(width: 160, height: 120), orientation: .leftMirrored)),
            .raw(shape: FrameShape(crop: .part(PixelRect(x: 13, y: 8, width: 51, height: 43)), orientation: .down)),
            .raw(
                .bgra, size: PixelSize(width: 30, height: 30),
                shape: FrameShape(crop: .part(PixelRect(x: 64, y: 0, width: 64, height: 96)))),
        ])
    func `a slow reader that copies only damage has the whole frame, and the last one comes`(
        samples: SampleRequirements
    ) throws {
        let fixture = try FeedFixture(services: [samples])
        let reader = try fixture.reader(samples)
        reader.expect("the first picture") { !$0.frames.isEmpty }
        var generator = SeededGenerator(seed: 17)
        for round in 0..<15 {
            reader.hold()
            for _ in 0...Int.random(in: 0...5, using: &generator) {
                try fixture.paint(
                    randomRect(using: &generator), UInt32.random(in: 1...0xff_ffff, using: &generator))
            }
            let count = reader.frames.count
            reader.go()
            reader.expect("a picture in round \(round)") { $0.frames.count > count }
        }
        // The end flushes readers that are not due yet.
        fixture.stop()
        let last = try #require(fixture.frames.samples.last?.presentationTime)
        reader.expect("the last picture") { $0.frames.last?.time == last }
        reader.end()
        #expect(reader.frames.allSatisfy { $0.patched == $0.planes })
        #expect(fixture.capture.counts.dropped == 0)
        if case .raw(.i420, nil, _, let shape, _) = samples.video {
            let geometry = (shape ?? FrameShape()).geometry(of: Self.size)
            let isWhole = try reader.frames.last?.planes == fixture.converted { $0.drawn(geometry) }
            #expect(isWhole)
        }
        #expect(reader.feed.violation == nil)
    }

    @Test func `readers that are stuck hold nobody up, and lose only their own`() throws {
        let services = [SampleRequirements.raw(), .raw(), .raw(.nv12), .encoded]
        let fixture = try FeedFixture(services: services)
        let readers = try services.map { try fixture.reader($0) }
        for reader in readers[..<3] { reader.expect("the first picture") { !$0.frames.isEmpty } }
        readers[0].hold()
        readers[2].hold()
        let before = readers[0].frames.count
        for colour: UInt32 in 1...40 {
            try fixture.paint(PixelRect(x: 16, y: 16, width: 32, height: 32), colour * 0x05_0505)
        }
        #expect(fixture.capture.counts.dropped == 0)
        let encoded = fixture.frames.samples.count
        #expect(encoded >= 41)
        readers[1].expect("most pictures") { $0.frames.count > 20 }
        #expect(readers[0].frames.count <= before + 1)
        readers[0].go()
        readers[2].go()
        fixture.stop()
        let last = try #require(fixture.frames.samples.last?.presentationTime)
        for reader in readers[..<3] {
            reader.expect("the last picture") { $0.frames.last?.time == last }
            reader.end()
            #expect(reader.frames.allSatisfy { $0.patched == $0.planes })
        }
        readers[3].expect("the last sample") { $0.samples.last?.time == last }
        readers[3].end()
        #expect(readers[0].feed.sender.counts.framesSkipped > 30)
    }

    @Test func `a reader that may lose its frames has memory that no other reads`() throws {
        let fixture = try FeedFixture(services: [.raw()], isRecorded: false)
        let readers = try [true, false, false].map { try fixture.reader(.raw(), sharesMemory: $0) }
        try fixture.draw(PixelRect(x: 8, y: 8, width: 40, height: 20), 0xff8000)
        for reader in readers {
            let shown = try fixture.converted { $0.planes }
            reader.expect("the picture") { $0.frames.last?.planes == shown }
        }
        let memories = Set(readers.compactMap { $0.feed.frames.map { ObjectIdentifier($0.store) } })
        #expect(memories.count == 3)
        for reader in readers { reader.end() }
        fixture.stop()
    }

    @Test func `a feed that is given up gives its frames back`() throws {
        let fixture = try FeedFixture(services: [.raw()], isRecorded: false)
        for _ in 0..<6 {
            let reader = try fixture.reader(.raw())
            reader.hold()
            reader.expect("a picture") { $0.isHolding }
            try fixture.draw(PixelRect(size: Self.size), UInt32(fixture.capture.counts.drawn + 1) * 0x07_0707)
            fixture.end(reader.feed)
            reader.end()
        }
        let drawn = fixture.capture.counts.drawn
        for colour: UInt32 in 1...10 {
            try fixture.draw(PixelRect(size: Self.size), colour * 0x03_0303)
        }
        #expect(fixture.capture.counts.drawn == drawn + 10)
        #expect(fixture.capture.counts.dropped == 0)
        fixture.stop()
    }

    @Test(.tags(.slow)) func `a frame that stands still is repeated about once a second while somebody watches`() throws
    {
        let fixture = try FeedFixture(services: [.raw()])
        let reader = try fixture.reader(.raw())
        reader.expect("three repeats") { $0.frames.count == 4 }
        fixture.end(reader.feed)
        fixture.stop()
        reader.end()
        let times = reader.frames.map(\.time.seconds)
        // The first frame is repeated at once if the feed began just before it.
        let pauses = zip(times, times.dropFirst()).map { $1 - $0 }.dropFirst()
        #expect(pauses.allSatisfy { $0 >= 0.9 })
        Margin.atMost(1.05, pauses.max() ?? 0, "s", "between repeats of a still picture")
        #expect(reader.frames.dropFirst().allSatisfy { $0.damage.isEmpty })
    }

    @Test(arguments: [
        (PixelSize(width: 1920, height: 1080), nil, PixelSize(width: 1920, height: 1080)),
        (
            PixelSize(width: 1921, height: 1079), PixelSize(width: 4000, height: 1079),
            PixelSize(width: 1921, height: 1079)
        ),
        (
            PixelSize(width: 1920, height: 1080), PixelSize(width: 1280, height: 1280),
            PixelSize(width: 1280, height: 720)
        ),
        (PixelSize(width: 1080, height: 1920), PixelSize(width: 1280, height: 720), PixelSize(width: 404, height: 720)),
        (PixelSize(width: 4000, height: 20), PixelSize(width: 100, height: 100), PixelSize(width: 100, height: 2)),
    ])
    func `frames keep their shape`(size: PixelSize, limit: PixelSize?, expected: PixelSize) {
        let required = FrameRequirements(.raw(size: limit), size: size, framesPerSecond: 30)
        #expect(required?.geometry.size == expected)
        #expect(required?.isNative == (size == expected))
    }

    @Test(arguments: ColourFormat.allCases)
    func `only frames of the standard colours are read in place`(colour: ColourFormat) {
        let required = FrameRequirements(
            .raw(size: nil), size: PixelSize(width: 640, height: 480), colour: colour, framesPerSecond: 30)
        #expect(required?.isNative == (colour == .standard))
    }

    @Test(arguments: [
        (FrameShape(orientation: .left), nil, PixelSize(width: 1079, height: 1921)),
        (FrameShape(orientation: .right), PixelSize(width: 720, height: 720), PixelSize(width: 404, height: 720)),
        (FrameShape(size: PixelSize(width: 540, height: 960), crop: .fill), nil, PixelSize(width: 540, height: 960)),
        (
            FrameShape(crop: .part(PixelRect(x: 1900, y: 0, width: 400, height: 300))), nil,
            PixelSize(width: 21, height: 300)
        ),
        (
            FrameShape(crop: .part(PixelRect(x: 5000, y: 0, width: 4, height: 3))), nil,
            PixelSize(width: 1921, height: 1079)
        ),
    ])
    func `frames have the shape that is wanted`(shape: FrameShape, limit: PixelSize?, expected: PixelSize) {
        let size = PixelSize(width: 1921, height: 1079)
        let required = FrameRequirements(.raw(size: limit, shape: shape), size: size, framesPerSecond: 30)
        #expect(required?.geometry.size == expected)
        #expect(required?.isNative == (size == expected))
    }
}
