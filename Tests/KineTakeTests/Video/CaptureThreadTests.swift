// The loop between a screen and the encoder, on a screen that the test paints.
import CoreTesting
import KineCapture
import KineCodecs
import KineMedia
import KinePlatform
import KineX11
import Testing

@testable import KineTake

@Suite(.tags(.margins)) struct CaptureThreadTests {
    private static let size = PixelSize(width: 128, height: 96)

    /// A capture thread with an encoder behind it.
    private final class Fixture: Sendable {
        let screen = ScriptedSource.Screen(size: CaptureThreadTests.size)
        let clock = TakeClock()
        let frames: FrameCollector
        let capture: CaptureThread
        var seen: Monitor<FrameCollector.Seen> { frames.seen }

        init(
            _ change: (inout TakeConfiguration) -> Void = { _ in },
            screen prepare: (ScriptedSource.Screen) -> Void = { _ in }
        ) {
            prepare(screen)
            var configuration = TakeConfiguration(source: .screen(monitor: nil), output: "")
            configuration.video.framesPerSecond = 100
            change(&configuration)
            frames = FrameCollector(configuration)
            capture = CaptureThread(
                configuration: configuration, clock: clock, delegate: frames, observer: TakeEvents()
            ) { [screen] in ScriptedSource.opening(screen) }
        }

        /// Waits until so many frames were encoded.
        func expect(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) {
            let deadline = WaitLimit.deadline()
            let isThere = seen.wait(until: deadline) { $0.samples.count >= count ? true : nil }
            if isThere == nil {
                Issue.record("frame \(count) never came", sourceLocation: sourceLocation)
            }
        }

        var samples: [EncodedSample] { frames.samples }

        typealias Open = @Sendable () throws(VideoSourceError) -> any VideoSourceOpening

        /// The result comes when the source is shown, or cannot be.
        func beginSwitch(_ open: @escaping Open) -> Monitor<Result<PixelSize, VideoSourceError>?> {
            let answer = Monitor<Result<PixelSize, VideoSourceError>?>(nil)
            capture.switchSource(CaptureThread.Switch(open: open) { result in answer.signal { $0 = result } })
            return answer
        }

        func finish(_ answer: Monitor<Result<PixelSize, VideoSourceError>?>) throws {
            _ = try #require(answer.wait(until: WaitLimit.deadline()) { $0 }).get()
        }

        /// Shows another source, and waits for it.
        func switchSource(_ open: @escaping Open) throws { try finish(beginSwitch(open)) }

        func stop() { frames.stop(capture) }
    }

    private func tile(_ column: Int, _ row: Int) -> PixelRect {
        PixelRect(x: column * 16, y: row * 16, width: 16, height: 16)
    }

    @Test func `a still screen gives one frame and is read once`() {
        let fixture = Fixture()
        fixture.expect(1)
        let reads = fixture.screen.reads
        #expect(reads == Self.size.area)
        fixture.screen.fill(tile(3, 2), 0xff_ffff)
        fixture.expect(2)
        #expect(fixture.screen.reads == reads + 256)
        // Reported, but as it was.
        fixture.screen.fill(tile(3, 2), 0xff_ffff)
        let deadline = WaitLimit.deadline()
        while fixture.capture.counts.unchanged == 0, MonotonicClock.now() < deadline {
            _ = WakeSignal.poll([], until: MonotonicClock.now() + 2_000_000)
        }
        fixture.stop()
        #expect(fixture.capture.counts == CaptureThread.Counts(drawn: 2, unchanged: 1, dropped: 0))
        #expect(fixture.samples.count == 2)
    }

    @Test(arguments: [true, false])
    func `a pointer beside the pixels is in the next frame, or left out where the take shows none`(isShown: Bool) {
        let fixture = Fixture { $0.video.showsCursor = isShown }
        fixture.expect(1)
        let reads = fixture.screen.reads
        let white = OverlayImage(size: PixelSize(width: 4, height: 4), pixels: Array(repeating: 0xffff_ffff, count: 16))
        let image = PointerState.Image(white, hotSpot: (0, 0))
        fixture.screen.point(PointerState(image: image, place: PixelPoint(x: 40, y: 40)))
        if isShown {
            fixture.expect(2)
        } else {
            let deadline = WaitLimit.deadline()
            while fixture.capture.counts.unchanged == 0, MonotonicClock.now() < deadline {
                _ = WakeSignal.poll([], until: MonotonicClock.now() + 2_000_000)
            }
        }
        fixture.stop()
        #expect(fixture.screen.reads == reads + (isShown ? 256 : 0))
        #expect(fixture.samples.count == (isShown ? 2 : 1))
    }

    @Test(.tags(.slow)) func `a change that nobody reports is found, and then everything is read for a while`() {
        let fixture = Fixture()
        fixture.expect(1)
        // Six rows of tiles: the first look sees them all.
        fixture.screen.fill(tile(5, 4), 0x00_ff00, isReported: false)
        fixture.expect(2)
        fixture.screen.fill(tile(1, 1), 0x00_ff00, isReported: false)
        let before = MonotonicClock.now()
        fixture.expect(3)
        Margin.atMost(2, Double(MonotonicClock.now() - before) / 1e9, "s", "until a second unreported change is found")
        fixture.stop()
    }

    @Test(.tags(.slow)) func `reported damage, however much, is no reason for suspicion`() {
        let begun = MonotonicClock.now()
        let fixture = Fixture()
        fixture.expect(1)
        var colour: UInt32 = 1
        let end = MonotonicClock.now() + DamageVerification.interval * 5 / 4
        while MonotonicClock.now() < end {
            fixture.screen.fill(tile(Int(colour) % 8, Int(colour / 8) % 6), colour &* 0x3_0507 & 0xff_ffff)
            colour += 1
            _ = WakeSignal.poll([], until: MonotonicClock.now() + 5_000_000)
        }
        let drawn = fixture.capture.counts.drawn
        let reads = fixture.screen.reads
        fixture.stop()
        // The whole frame at the beginning and at each look, and a tile or a few for each frame after it.
        let looks = Int((MonotonicClock.now() - begun) / DamageVerification.interval)
        #expect(reads < Self.size.area * (1 + looks) + drawn * 16 * 256)
        #expect(reads - Self.size.area * (1 + looks) < drawn * Self.size.area / 4)
    }

    @Test func `while the encoder holds every slot frames are dropped, and the newest comes afterwards`() throws {
        let fixture = Fixture()
        fixture.expect(1)
        fixture.seen.signal { $0.isHeld = true }
        let deadline = WaitLimit.deadline()
        var colour: UInt32 = 0
        while fixture.capture.counts.dropped < 3, MonotonicClock.now() < deadline {
            colour += 0x05_0505
            fixture.screen.fill(PixelRect(size: Self.size), colour)
            _ = WakeSignal.poll([], until: MonotonicClock.now() + 5_000_000)
        }
        #expect(fixture.capture.counts.dropped >= 3)
        let drawn = fixture.capture.counts.drawn
        fixture.screen.fill(PixelRect(size: Self.size), 0xff_ffff)
        fixture.seen.signal { $0.isHeld = false }
        fixture.expect(drawn + 1)
        fixture.stop()
        // All that was drawn has been encoded, in order.
        let times = fixture.samples.map(\.presentationTime)
        #expect(times.count == fixture.capture.counts.drawn)
        #expect(times == times.sorted())
    }

    @Test func `nothing is captured after the take's time, however late its end comes`() {
        let limit = MediaTime(nanoseconds: 200_000_000)
        let fixture = Fixture { $0.durationLimit = limit }
        fixture.expect(1)
        let end = MonotonicClock.now() + 2 * limit.nanoseconds
        var colour: UInt32 = 0
        while MonotonicClock.now() < end {
            colour += 0x01_0101
            fixture.screen.fill(PixelRect(size: Self.size), colour)
            _ = WakeSignal.poll([], until: MonotonicClock.now() + 5_000_000)
        }
        fixture.stop()
        #expect(fixture.clock.mediaTime(at: MonotonicClock.now()) > limit)
        #expect(fixture.samples.allSatisfy { $0.presentationTime < limit })
    }

    @Test func `another source is shown in the same stream, and the one before is let go`() throws {
        let fixture = Fixture()
        fixture.expect(1)
        let second = ScriptedSource.Screen(size: PixelSize(width: 90, height: 120))
        second.fill(PixelRect(x: 0, y: 0, width: 90, height: 120), 0x80_4020)
        try fixture.switchSource { ScriptedSource.opening(second) }
        fixture.expect(2)
        // A part of it is damage as that of any source.
        let reads = second.reads
        #expect(reads == 90 * 120)
        second.fill(PixelRect(x: 0, y: 0, width: 16, height: 16), 0x00_ff00)
        fixture.expect(3)
        #expect(second.reads == reads + 256)
        // What the first one does concerns nobody any more.
        let before = fixture.screen.reads
        fixture.screen.fail(.windowClosed)
        fixture.screen.fill(tile(1, 1), 0xff_ffff)
        second.fill(PixelRect(x: 32, y: 32, width: 16, height: 16), 0x00_ff00)
        fixture.expect(4)
        #expect(fixture.screen.reads == before)
        fixture.stop()
        #expect(fixture.seen.withLock { $0.ended } == .some(nil))
        let times = fixture.samples.map(\.presentationTime)
        #expect(times == times.sorted() && Set(times).count == times.count)
    }

    @Test func `a source that cannot be opened leaves the one before`() throws {
        let fixture = Fixture { $0.video.crop = .part(PixelRect(x: 100, y: 0, width: 28, height: 96)) }
        fixture.expect(1)
        #expect(throws: VideoSourceError.noWindow(7)) {
            try fixture.switchSource { () throws(VideoSourceError) in
                throw .noWindow(7)
            }
        }
        #expect(throws: VideoSourceError.windowNotShown(7)) {
            try fixture.switchSource { ImmediateOpening { () throws(VideoSourceError) in throw .windowNotShown(7) } }
        }
        let narrow = ScriptedSource.Screen(size: PixelSize(width: 90, height: 96))
        #expect(throws: VideoSourceError.self) { try fixture.switchSource { ScriptedSource.opening(narrow) } }
        #expect(narrow.reads == 0)
        fixture.screen.fill(tile(7, 1), 0xff_ffff)
        fixture.expect(2)
        fixture.stop()
    }

    @Test func `a switch that cannot begin leaves another one opening`() {
        let failure = Monitor<VideoSourceError?>(nil)
        let screen = ScriptedSource.Screen(size: Self.size)
        var next = SourceSwitch()
        let isOpening = next.begin(CaptureThread.Switch(open: { ScriptedSource.opening(screen) }, done: { _ in }))
        let refused = CaptureThread.Switch(open: { () throws(VideoSourceError) in throw .noWindow(7) }) { result in
            if case .failure(let error) = result { failure.withLock { $0 = error } }
        }
        let isRefusedOpening = next.begin(refused)
        var shown: PixelSize?
        let isOver = next.advance(SourceFraming(TakeConfiguration.Video())) { shown = $0.size }
        #expect(isOpening && !isRefusedOpening && isOver && shown == Self.size)
        #expect(failure.withLock { $0 } == VideoSourceError.noWindow(7))
    }

    @Test func `a source that takes its time to open keeps nothing up, and may be given up`() throws {
        /// Opens once it is told to.
        final class Slow: VideoSourceOpening, @unchecked Sendable {
            let wake = WakeSignal()
            let screen = ScriptedSource.Screen(size: PixelSize(width: 64, height: 64))
            let isOpen = Monitor(false)
            var descriptor: Int32 { wake.descriptor }
            func processEvents() throws(VideoSourceError) -> (any VideoSource)? {
                wake.clear()
                return isOpen.withLock { $0 } ? ScriptedSource(screen) : nil
            }
        }
        let fixture = Fixture()
        fixture.expect(1)
        let slow = Slow()
        let answer = fixture.beginSwitch { slow }
        fixture.screen.fill(tile(2, 2), 0xff_ffff)
        fixture.expect(2)
        #expect(answer.withLock { $0 == nil } && slow.screen.reads == 0)
        slow.isOpen.withLock { $0 = true }
        slow.wake.signal()
        try fixture.finish(answer)
        fixture.expect(3)
        #expect(slow.screen.reads == 64 * 64)
        // Another one is never told that it is open, and the take ends all the same.
        _ = fixture.beginSwitch { Slow() }
        slow.screen.fill(PixelRect(x: 0, y: 0, width: 16, height: 16), 0xff)
        fixture.expect(4)
        fixture.stop()
    }

    @Test func `a paused screen is not drawn, and after it everything that changed meanwhile is`() throws {
        let fixture = Fixture()
        fixture.expect(1)
        let pause = MonotonicClock.now()
        fixture.clock.pause(at: pause)
        fixture.capture.pause()
        fixture.screen.fill(tile(2, 2), 0xff_0000)
        _ = WakeSignal.poll([], until: pause + 200_000_000)
        #expect(fixture.samples.count == 1)
        let resume = MonotonicClock.now()
        fixture.clock.resume(at: resume)
        fixture.capture.resume()
        fixture.expect(2)
        fixture.stop()
        // The pause is not in the times.
        #expect(fixture.samples[1].presentationTime.nanoseconds < MonotonicClock.now() - resume + pause)
        #expect(fixture.samples[1].presentationTime >= fixture.clock.mediaTime(at: pause))
    }

    @Test(.tags(.slow)) func `what a source holds of a pause is in no frame`() throws {
        let fixture = Fixture()
        fixture.expect(1)
        fixture.screen.holdFrame()
        fixture.clock.pause(at: MonotonicClock.now())
        fixture.capture.pause()
        // As it was, twice: what takes over the second has seen the pause.
        for _ in 0..<2 {
            fixture.screen.fill(tile(2, 2), 0)
            try wait("a look in the pause") { fixture.screen.isSeen }
        }
        fixture.screen.fill(tile(2, 2), 0xff_0000)
        fixture.clock.resume(at: MonotonicClock.now())
        fixture.capture.resume()
        try wait("reads that are refused") { fixture.screen.refusals >= 3 }
        #expect(fixture.samples.count == 1)
        fixture.screen.fill(tile(2, 2), 0x00_ff00)
        fixture.expect(2)
        fixture.stop()
        #expect(fixture.samples.count == 2)
    }

    @Test func `pauses of a still screen do not delay what comes after them`() {
        let fixture = Fixture()
        fixture.expect(1)
        for _ in 0..<12 {
            let pause = MonotonicClock.now()
            fixture.clock.pause(at: pause)
            fixture.capture.pause()
            _ = WakeSignal.poll([], until: pause + 60_000_000)
            fixture.clock.resume(at: MonotonicClock.now())
            fixture.capture.resume()
            // Long enough for a look that finds nothing new.
            _ = WakeSignal.poll([], until: MonotonicClock.now() + 25_000_000)
        }
        let before = MonotonicClock.now()
        fixture.screen.fill(tile(0, 0), 0xff_ffff)
        fixture.expect(2)
        // The pauses add up to 0.7 s; what they were added up to anew each time was more than 4.
        Margin.atMost(2, Double(MonotonicClock.now() - before) / 1e9, "s", "a change after twelve pauses")
        fixture.stop()
    }

    @Test func `a repeat is encoded although nothing changed`() {
        let fixture = Fixture()
        fixture.expect(1)
        fixture.capture.repeatFrame()
        fixture.expect(2)
        fixture.stop()
        #expect(fixture.samples[1].data.count < 60)
    }

    @Test(arguments: [false, true], [false, true])
    func `a source that gives nothing for its time ends the take with that reason`(isFirst: Bool, isSwitch: Bool) {
        let limit = ReadLimit(timeout: 20_000_000, error: .unreadable(seconds: 7))
        let fixture = Fixture(screen: { if !isSwitch { $0.refuseReads(limit, isForFirst: isFirst) } })
        if isSwitch {
            fixture.expect(1)
            let second = ScriptedSource.Screen(size: Self.size)
            second.refuseReads(limit, isForFirst: isFirst)
            _ = fixture.beginSwitch { ScriptedSource.opening(second) }
        }
        let deadline = WaitLimit.deadline()
        #expect(fixture.seen.wait(until: deadline) { $0.ended } == .some(limit.error))
        fixture.stop()
    }

    @Test(.tags(.slow), arguments: [VideoSourceError.windowClosed, .serverLost])
    func `an end of the source is passed on, also out of a pause`(error: VideoSourceError) {
        for pauses in [false, true] {
            let fixture = Fixture()
            fixture.expect(1)
            if pauses { fixture.capture.pause() }
            fixture.screen.fail(error)
            let deadline = WaitLimit.deadline()
            #expect(fixture.seen.wait(until: deadline) { $0.ended } == .some(.some(error)))
            fixture.stop()
        }
    }
}
