// Encoded frames on their way to extensions, and the keyframes they need.
import CoreTesting
import KineMedia
import Testing

@testable import KineTake

@Suite(.serialized) struct EncodedFeedTests {
    @Test func `a reader that joins while the screen stands still gets a keyframe at once, then what the file gets`()
        throws
    {
        let fixture = try FeedFixture(services: [.encoded, .encoded])
        for colour: UInt32 in 1...5 {
            try fixture.draw(PixelRect(x: 0, y: 0, width: 40, height: 40), colour * 0x10_1010)
        }
        let first = try fixture.reader(.encoded)
        first.expect("a keyframe") { !$0.samples.isEmpty }
        let second = try fixture.reader(.encoded)
        second.expect("a keyframe") { !$0.samples.isEmpty }
        for colour: UInt32 in 1...30 {
            try fixture.draw(PixelRect(x: 16, y: 0, width: 40, height: 40), colour * 0x05_0801)
        }
        fixture.stop()
        let file = fixture.frames.samples
        for reader in [first, second] {
            reader.expect("the last sample") { $0.samples.last?.time == file.last?.presentationTime }
            reader.end()
            let part = file.suffix(reader.samples.count)
            #expect(reader.samples.first?.isKeyframe == true)
            #expect(reader.samples.map(\.bytes) == part.map(\.data))
            #expect(reader.samples.map(\.time) == part.map(\.presentationTime))
            #expect(reader.samples.map(\.isKeyframe) == part.map(\.isKeyframe))
        }
        #expect(first.samples.count > second.samples.count)
    }

    @Test func `without a file frames are encoded only while somebody takes them`() throws {
        let fixture = try FeedFixture(services: [.encoded], isRecorded: false)
        func paint(_ colours: ClosedRange<UInt32>) throws {
            for colour in colours {
                try fixture.draw(PixelRect(x: 0, y: 0, width: 40, height: 40), colour * 0x03_0501)
            }
        }
        let feed = try fixture.feed(.encoded)
        try paint(1...5)
        #expect(fixture.frames.samples.isEmpty)
        let reader = try FeedReader(feed)
        fixture.begin(feed)
        reader.expect("a keyframe") { $0.samples.count == 1 }
        fixture.end(feed)
        try paint(6...10)
        #expect(fixture.frames.samples.count == 1)
        reader.end()
        let next = try fixture.reader(.encoded)
        next.expect("a keyframe") { $0.samples.first?.isKeyframe == true }
        fixture.stop()
        next.end()
    }

    @Test(.tags(.slow))
    func `a reader that falls behind goes on at a keyframe, and the others notice nothing but that`() throws {
        let fixture = try FeedFixture(size: PixelSize(width: 640, height: 480), services: [.encoded, .encoded]) {
            $0.video.rateControl = .constantQuality(4)
        }
        let slow = try fixture.reader(.encoded)
        let quick = try fixture.reader(.encoded)
        slow.expect("a keyframe") { !$0.samples.isEmpty }
        slow.hold()
        var generator = SeededGenerator(seed: 3)
        while slow.feed.sender.counts.framesSkipped < 3 {
            try fixture.drawSquares { UInt32.random(in: 0...0xff_ffff, using: &generator) }
        }
        slow.go()
        slow.expect("a keyframe after the gap") { $0.samples.contains { $0.isDiscontinuity } }
        fixture.stop()
        let file = fixture.frames.samples
        for reader in [slow, quick] {
            reader.expect("the last sample") { $0.samples.last?.time == file.last?.presentationTime }
            reader.end()
        }
        let entry = try #require(slow.samples.first { $0.isDiscontinuity })
        #expect(entry.isKeyframe)
        #expect(quick.samples.map(\.bytes) == file.suffix(quick.samples.count).map(\.data))
        #expect(slow.samples.count < quick.samples.count)
    }

    @Test(.tags(.slow))
    func `a frame that is too large for the far end is left out, and what follows up to a keyframe`() throws {
        let limit = 30_000
        let service = SampleRequirements.test(
            .encoded(codecs: [.h264], keyframeInterval: nil, expecting: .init(maximumAccessUnit: limit)))
        let fixture = try FeedFixture(size: PixelSize(width: 640, height: 480), services: [service]) {
            $0.video.rateControl = .constantQuality(4)
        }
        let reader = try fixture.reader(service)
        reader.expect("a keyframe") { !$0.samples.isEmpty }
        var generator = SeededGenerator(seed: 3)
        try fixture.drawSquares { UInt32.random(in: 0...0xff_ffff, using: &generator) }
        func large() -> EncodedSample? { fixture.frames.samples.first { $0.data.count > limit } }
        try wait("the large frame") { large() != nil }
        let gap = try #require(large()?.presentationTime)
        // A small change of it, which nobody could decode, and then a screen whose keyframe is small.
        try fixture.drawSquares(columns: 1) { 0x123456 }
        try fixture.drawSquares { 0x202020 }
        reader.expect("a keyframe after the gap") { $0.samples.contains { $0.isKeyframe && $0.time > gap } }
        fixture.stop()
        let file = fixture.frames.samples
        reader.expect("the last sample") { $0.samples.last?.time == file.last?.presentationTime }
        reader.end()
        #expect(reader.samples.allSatisfy { $0.bytes.count <= limit })
        let next = try #require(reader.samples.first { $0.time > gap })
        #expect(next.isKeyframe)
    }

    @Test func `a screen that stands still is shown as often as the most demanding far end expects`() throws {
        let ingest = SampleRequirements.test(
            .encoded(codecs: [.h264], keyframeInterval: nil, expecting: .init(stillFramesPerSecond: 5)))
        let fixture = try FeedFixture(services: [.encoded, ingest])
        let feeds = [try fixture.feed(.encoded), try fixture.feed(ingest)]
        let distributor = try #require(fixture.factory.distributor)
        #expect(distributor.stillInterval == nil)
        distributor.begin(feeds[0])
        #expect(distributor.stillInterval == 950_000_000)
        distributor.begin(feeds[1])
        #expect(distributor.stillInterval == 200_000_000)
        fixture.end(feeds[1])
        #expect(distributor.stillInterval == 950_000_000)
        fixture.end(feeds[0])
        #expect(distributor.stillInterval == nil)
        fixture.stop()
    }

    @Test func `readers that join get at most two keyframes a second, and none in vain`() {
        var requests = KeyframeRequests()
        func ask(_ now: Int64) -> Int64 { requests.ask(.joined, at: now) }
        func take(_ now: Int64) -> Bool { requests.grant(at: now) }
        #expect(!take(0))
        #expect(ask(10) == 10)
        #expect(take(10) && !take(11))
        #expect(ask(20) == 20)
        #expect(take(20))
        #expect(ask(30) == 1_000_000_010)
        #expect(!take(1_000_000_009))
        #expect(ask(40) == 1_000_000_010)
        #expect(take(1_000_000_010))
        #expect(ask(1_000_000_011) == 1_000_000_020)
        requests.answer()
        #expect(!take(2_000_000_000))
    }

    @Test
    func `readers that lost frames get one keyframe in two seconds, and a reader that joins is served first`() {
        var requests = KeyframeRequests()
        var granted: [Int64] = []
        for now in stride(from: Int64(0), to: 20_000_000_000, by: 33_000_000) {
            for _ in 0..<3 { _ = requests.ask(.lost, at: now) }
            if requests.grant(at: now) { granted.append(now) }
        }
        #expect(granted.count == 10)
        for (before, after) in zip(granted, granted.dropFirst()) { #expect(after - before >= 2_000_000_000) }
        let now = granted[9] + 1
        #expect(requests.ask(.lost, at: now) == granted[9] + 2_000_000_000)
        #expect(requests.ask(.joined, at: now) == now)
        #expect(requests.ask(.lost, at: now) == now, "the keyframe for the one serves the other")
        #expect(requests.grant(at: now) && !requests.grant(at: now + 2_000_000_000))
    }

    @Test func `a file that is behind loses frames up to a keyframe, which it asks for once there is room`() {
        var admission = RecordingAdmission(limit: 100)
        func admits(_ isKeyframe: Bool, _ queued: Int) -> Bool {
            admission.admits(isKeyframe: isKeyframe, queued: queued)
        }
        func asks(_ queued: Int) -> Bool { admission.consumeKeyframeRequest(queued: queued) }
        #expect(admits(true, 0) && admits(false, 99))
        #expect(!admits(false, 100) && !admits(false, 0) && !admits(true, 120))
        #expect(admission.leftOut == 3)
        #expect(!asks(26))
        #expect(asks(25) && !asks(0))
        #expect(!admits(false, 0) && admits(true, 10) && admits(false, 20))
        #expect(!asks(0))
    }
}
