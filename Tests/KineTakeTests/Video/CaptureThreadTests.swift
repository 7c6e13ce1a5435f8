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
    private final class Stage: Sendable {
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
            let deadline = MonotonicClock.now() + 300_000_000_000
            let isThere = seen.wait(until: deadline) { $0.samples.count >= count ? true : nil }
            if isThere == nil {
                Issue.record("frame \(count) never came", sourceLocation: sourceLocation)
            }
        }

        var samples: [EncodedSample] { frames.samples }

        typealias Open = @Sendable () throws(VideoSourceError) -> any VideoSourceOpening

        /// The result comes when the source is shown, or cannot be.
        func beginSwitch(_ open: @escaping Open) -> Monitor<Result<Void, VideoSourceError>?> {
            let answer = Monitor<Result<Void, VideoSourceError>?>(nil)
            capture.switchSource(CaptureThread.Switch(open: open) { result in answer.signal { $0 = result } })
            return answer
        }

        func finish(_ answer: Monitor<Result<Void, VideoSourceError>?>) throws {
            try #require(answer.wait(until: MonotonicClock.now() + 300_000_000_000) { $0 }).get()
        }

        /// Shows another source, and waits for it.
        func switchSource(_ open: @escaping Open) throws { try finish(beginSwitch(open)) }

        func stop() { frames.stop(capture) }
    }

    private func tile(_ column: Int, _ row: Int) -> PixelRect {
        PixelRect(x: column * 16, y: row * 16, width: 16, height: 16)
    }

    @Test func `a still screen gives one frame and is read once`() {
        let stage = Stage()
        stage.expect(1)
        let reads = stage.screen.reads
        #expect(reads == Self.size.area)
        stage.screen.fill(tile(3, 2), 0xff_ffff)
        stage.expect(2)
        #expect(stage.screen.reads == reads + 256)
        // Reported, but as it was.
        stage.screen.fill(tile(3, 2), 0xff_ffff)
        let deadline = MonotonicClock.now() + 300_000_000_000
        while stage.capture.counts.unchanged == 0, MonotonicClock.now() < deadline {
            _ = WakeSignal.poll([], until: MonotonicClock.now() + 2_000_000)
        }
        stage.stop()
        #expect(stage.capture.counts == CaptureThread.Counts(drawn: 2, unchanged: 1, dropped: 0))
        #expect(stage.samples.count == 2)
    }

    @Test(.tags(.slow)) func `a change that nobody reports is found, and then everything is read for a while`() {
        let stage = Stage()
        stage.expect(1)
        // Six rows of tiles: the first look sees them all.
        stage.screen.fill(tile(5, 4), 0x00_ff00, isReported: false)
        stage.expect(2)
        stage.screen.fill(tile(1, 1), 0x00_ff00, isReported: false)
        let before = MonotonicClock.now()
        stage.expect(3)
        Margin.atMost(2, Double(MonotonicClock.now() - before) / 1e9, "s", "until a second unreported change is found")
        stage.stop()
    }

    @Test(.tags(.slow)) func `reported damage, however much, is no reason for suspicion`() {
        let begun = MonotonicClock.now()
        let stage = Stage()
        stage.expect(1)
        var colour: UInt32 = 1
        let end = MonotonicClock.now() + DamageVerification.interval * 5 / 4
        while MonotonicClock.now() < end {
            stage.screen.fill(tile(Int(colour) % 8, Int(colour / 8) % 6), colour &* 0x3_0507 & 0xff_ffff)
            colour += 1
            _ = WakeSignal.poll([], until: MonotonicClock.now() + 5_000_000)
        }
        let drawn = stage.capture.counts.drawn
        let reads = stage.screen.reads
        stage.stop()
        // The whole frame at the beginning and at each look, and a tile or a few for each frame after it.
        let looks = Int((MonotonicClock.now() - begun) / DamageVerification.interval)
        #expect(reads < Self.size.area * (1 + looks) + drawn * 16 * 256)
        #expect(reads - Self.size.area * (1 + looks) < drawn * Self.size.area / 4)
    }

    @Test func `while the encoder holds every slot frames are dropped, and the newest comes afterwards`() throws {
        let stage = Stage()
        stage.expect(1)
        stage.seen.signal { $0.isHeld = true }
        let deadline = MonotonicClock.now() + 300_000_000_000
        var colour: UInt32 = 0
        while stage.capture.counts.dropped < 3, MonotonicClock.now() < deadline {
            colour += 0x05_0505
            stage.screen.fill(PixelRect(size: Self.size), colour)
            _ = WakeSignal.poll([], until: MonotonicClock.now() + 5_000_000)
        }
        #expect(stage.capture.counts.dropped >= 3)
        let drawn = stage.capture.counts.drawn
        stage.screen.fill(PixelRect(size: Self.size), 0xff_ffff)
        stage.seen.signal { $0.isHeld = false }
        stage.expect(drawn + 1)
        stage.stop()
        // All that was drawn has been encoded, in order.
        let times = stage.samples.map(\.presentationTime)
        #expect(times.count == stage.capture.counts.drawn)
        #expect(times == times.sorted())
    }

    @Test func `nothing is captured after the take's time, however late its end comes`() {
        let limit = MediaTime(nanoseconds: 200_000_000)
        let stage = Stage { $0.durationLimit = limit }
        stage.expect(1)
        let end = MonotonicClock.now() + 2 * limit.nanoseconds
        var colour: UInt32 = 0
        while MonotonicClock.now() < end {
            colour += 0x01_0101
            stage.screen.fill(PixelRect(size: Self.size), colour)
            _ = WakeSignal.poll([], until: MonotonicClock.now() + 5_000_000)
        }
        stage.stop()
        #expect(stage.clock.mediaTime(at: MonotonicClock.now()) > limit)
        #expect(stage.samples.allSatisfy { $0.presentationTime < limit })
    }

    @Test func `another source is shown in the same stream, and the one before is let go`() throws {
        let stage = Stage()
        stage.expect(1)
        let second = ScriptedSource.Screen(size: PixelSize(width: 90, height: 120))
        second.fill(PixelRect(x: 0, y: 0, width: 90, height: 120), 0x80_4020)
        try stage.switchSource { ScriptedSource.opening(second) }
        stage.expect(2)
        // A part of it is damage as that of any source.
        let reads = second.reads
        #expect(reads == 90 * 120)
        second.fill(PixelRect(x: 0, y: 0, width: 16, height: 16), 0x00_ff00)
        stage.expect(3)
        #expect(second.reads == reads + 256)
        // What the first one does concerns nobody any more.
        let before = stage.screen.reads
        stage.screen.fail(.windowClosed)
        stage.screen.fill(tile(1, 1), 0xff_ffff)
        second.fill(PixelRect(x: 32, y: 32, width: 16, height: 16), 0x00_ff00)
        stage.expect(4)
        #expect(stage.screen.reads == before)
        stage.stop()
        #expect(stage.seen.withLock { $0.ended } == .some(nil))
        let times = stage.samples.map(\.presentationTime)
        #expect(times == times.sorted() && Set(times).count == times.count)
    }

    @Test func `a source that cannot be opened leaves the one before`() throws {
        let stage = Stage { $0.video.crop = .part(PixelRect(x: 100, y: 0, width: 28, height: 96)) }
        stage.expect(1)
        #expect(throws: VideoSourceError.noWindow(7)) {
            try stage.switchSource { () throws(VideoSourceError) in
                throw .noWindow(7)
            }
        }
        #expect(throws: VideoSourceError.windowNotShown(7)) {
            try stage.switchSource { ImmediateOpening { () throws(VideoSourceError) in throw .windowNotShown(7) } }
        }
        let narrow = ScriptedSource.Screen(size: PixelSize(width: 90, height: 96))
        #expect(throws: VideoSourceError.self) { try stage.switchSource { ScriptedSource.opening(narrow) } }
        #expect(narrow.reads == 0)
        stage.screen.fill(tile(7, 1), 0xff_ffff)
        stage.expect(2)
        stage.stop()
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
        let stage = Stage()
        stage.expect(1)
        let slow = Slow()
        let answer = stage.beginSwitch { slow }
        stage.screen.fill(tile(2, 2), 0xff_ffff)
        stage.expect(2)
        #expect(answer.withLock { $0 == nil } && slow.screen.reads == 0)
        slow.isOpen.withLock { $0 = true }
        slow.wake.signal()
        try stage.finish(answer)
        stage.expect(3)
        #expect(slow.screen.reads == 64 * 64)
        // Another one is never told that it is open, and the take ends all the same.
        _ = stage.beginSwitch { Slow() }
        slow.screen.fill(PixelRect(x: 0, y: 0, width: 16, height: 16), 0xff)
        stage.expect(4)
        stage.stop()
    }

    @Test func `a paused screen is not drawn, and after it everything that changed meanwhile is`() throws {
        let stage = Stage()
        stage.expect(1)
        let pause = MonotonicClock.now()
        stage.clock.pause(at: pause)
        stage.capture.pause()
        stage.screen.fill(tile(2, 2), 0xff_0000)
        _ = WakeSignal.poll([], until: pause + 200_000_000)
        #expect(stage.samples.count == 1)
        let resume = MonotonicClock.now()
        stage.clock.resume(at: resume)
        stage.capture.resume()
        stage.expect(2)
        stage.stop()
        // The pause is not in the times.
        #expect(stage.samples[1].presentationTime.nanoseconds < MonotonicClock.now() - resume + pause)
        #expect(stage.samples[1].presentationTime >= stage.clock.mediaTime(at: pause))
    }

    @Test(.tags(.slow)) func `what a source holds of a pause is in no frame`() throws {
        let stage = Stage()
        stage.expect(1)
        stage.screen.holdFrame()
        stage.clock.pause(at: MonotonicClock.now())
        stage.capture.pause()
        // As it was, twice: what takes over the second has seen the pause.
        for _ in 0..<2 {
            stage.screen.fill(tile(2, 2), 0)
            try wait("a look in the pause") { stage.screen.isSeen }
        }
        stage.screen.fill(tile(2, 2), 0xff_0000)
        stage.clock.resume(at: MonotonicClock.now())
        stage.capture.resume()
        try wait("reads that are refused") { stage.screen.refusals >= 3 }
        #expect(stage.samples.count == 1)
        stage.screen.fill(tile(2, 2), 0x00_ff00)
        stage.expect(2)
        stage.stop()
        #expect(stage.samples.count == 2)
    }

    @Test func `pauses of a still screen do not delay what comes after them`() {
        let stage = Stage()
        stage.expect(1)
        for _ in 0..<12 {
            let pause = MonotonicClock.now()
            stage.clock.pause(at: pause)
            stage.capture.pause()
            _ = WakeSignal.poll([], until: pause + 60_000_000)
            stage.clock.resume(at: MonotonicClock.now())
            stage.capture.resume()
            // Long enough for a look that finds nothing new.
            _ = WakeSignal.poll([], until: MonotonicClock.now() + 25_000_000)
        }
        let before = MonotonicClock.now()
        stage.screen.fill(tile(0, 0), 0xff_ffff)
        stage.expect(2)
        // The pauses add up to 0.7 s; what they were added up to anew each time was more than 4.
        Margin.atMost(2, Double(MonotonicClock.now() - before) / 1e9, "s", "a change after twelve pauses")
        stage.stop()
    }

    @Test func `a repeat is encoded although nothing changed`() {
        let stage = Stage()
        stage.expect(1)
        stage.capture.repeatFrame()
        stage.expect(2)
        stage.stop()
        #expect(stage.samples[1].data.count < 60)
    }

    @Test(arguments: [false, true], [false, true])
    func `a source that gives nothing for its time ends the take with that reason`(isFirst: Bool, isSwitch: Bool) {
        let limit = ReadLimit(timeout: 20_000_000, error: .unreadable(seconds: 7))
        let stage = Stage(screen: { if !isSwitch { $0.refuseReads(limit, isForFirst: isFirst) } })
        if isSwitch {
            stage.expect(1)
            let second = ScriptedSource.Screen(size: Self.size)
            second.refuseReads(limit, isForFirst: isFirst)
            _ = stage.beginSwitch { ScriptedSource.opening(second) }
        }
        let deadline = MonotonicClock.now() + 300_000_000_000
        #expect(stage.seen.wait(until: deadline) { $0.ended } == .some(limit.error))
        stage.stop()
    }

    @Test(.tags(.slow), arguments: [VideoSourceError.windowClosed, .serverLost])
    func `an end of the source is passed on, also out of a pause`(error: VideoSourceError) {
        for pauses in [false, true] {
            let stage = Stage()
            stage.expect(1)
            if pauses { stage.capture.pause() }
            stage.screen.fail(error)
            let deadline = MonotonicClock.now() + 300_000_000_000
            #expect(stage.seen.wait(until: deadline) { $0.ended } == .some(.some(error)))
            stage.stop()
        }
    }
}
