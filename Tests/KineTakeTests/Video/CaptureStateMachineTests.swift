// The decisions of capture, on a clock that only the test moves.
import CoreTesting
import KineCapture
import KineMedia
import Testing

@testable import KineTake

@Suite struct CaptureStateMachineTests {
    private static let limit = ReadLimit(timeout: 10_000_000_000, error: .regionNotDrawn)

    /// Calls `body` with a world after each sequence of `depth` events.
    private func forEachHistory(
        of depth: Int, _ events: [CaptureWorld.Event] = CaptureWorld.Event.allCases, from start: CaptureWorld,
        _ history: [CaptureWorld.Event] = [], _ body: (CaptureWorld, [CaptureWorld.Event]) -> Void
    ) {
        guard depth > 0 else { return body(start, history) }
        for event in events {
            var world = start
            world.handle(event)
            forEachHistory(of: depth - 1, events, from: world, history + [event], body)
        }
    }

    private func begun(_ change: (inout TakeConfiguration) -> Void = { _ in }) -> CaptureWorld {
        var world = CaptureWorld(change)
        world.run(for: 0)
        return world
    }

    /// Everything that keeps capture back is taken away, and time goes by.
    private func settled(_ world: CaptureWorld) -> CaptureWorld {
        var world = world
        if world.isPaused { world.handle(.pause) }
        if world.isCovered { world.handle(.cover) }
        if world.areSlotsLent { world.handle(.holdSlots) }
        world.run(for: 3 * world.interval)
        return world
    }

    private func expectNone(_ failed: [[CaptureWorld.Event]], sourceLocation: SourceLocation = #_sourceLocation) {
        guard let first = failed.first else { return }
        Issue.record("\(failed.count) histories, first \(first.map { "\($0)" })", sourceLocation: sourceLocation)
    }

    // MARK: All histories

    @Test func `no change is lost, whatever happens`() {
        var failed: [[CaptureWorld.Event]] = []
        forEachHistory(of: 5, from: begun()) { world, history in
            let end = settled(world)
            if !end.isUpToDate { failed.append(history) }
        }
        expectNone(failed)
    }

    @Test func `under the card there is nothing of the screen, whatever happens`() {
        var failed: [[CaptureWorld.Event]] = []
        forEachHistory(of: 4, from: begun()) { world, history in
            var end = settled(world)
            end.handle(.cover)
            end.handle(.paint)
            end.run(for: DamageVerification.interval + 3 * end.interval)
            if !end.isCardShown { failed.append(history) }
            // It stands still, whatever changes below it.
            if end.frames.last.map({ $0.at > end.now - DamageVerification.interval }) == true { failed.append(history) }
        }
        expectNone(failed)
    }

    @Test func `a new source is not shown before all of it was read`() {
        var world = begun()
        world.failures = 3
        world.handle(.newSource)
        world.run(for: 2 * world.interval)
        #expect(world.frames.count == 1 && !world.isTrue)
        world.run(for: 3 * world.interval)
        #expect(world.frames.count == 2 && world.isTrue)
        // The attempts were an interval apart.
        #expect(world.reads.count == 5)
    }

    @Test(arguments: [false, true])
    func `a source that cannot be read for its time ends the take, also before the first frame`(hasBegun: Bool) {
        var world = CaptureWorld()
        if hasBegun { world.run(for: world.interval) }
        (world.readLimit, world.failures) = (Self.limit, .max)
        let start = world.now
        // The source says after a failed read that all of it has changed.
        while world.end == nil, world.now < start + 60_000_000_000 {
            world.machine.noteSourceChanged()
            world.run(for: world.interval)
        }
        #expect(world.end == Self.limit.error)
        #expect((10_000_000_000...10_000_000_000 + 2 * world.interval).contains(world.now - start))
    }

    @Test func `a pause, a card, another source or one good read begins the time anew`() {
        let changes: [(inout CaptureWorld) -> Void] = [
            { world in
                world.handle(.pause)
                world.run(for: 60_000_000_000)
                world.handle(.pause)
            },
            { world in
                world.handle(.cover)
                world.run(for: 60_000_000_000)
                world.handle(.cover)
            }, { $0.handle(.newSource) },
            { world in
                world.isScreenTaken = true
                world.run(for: 60_000_000_000)
                world.isScreenTaken = false
            },
            { world in
                world.failures = 0
                world.handle(.paint)
                world.run(for: 2 * world.interval)
                world.failures = .max
            },
        ]
        func fail(_ world: inout CaptureWorld, for duration: Int64) {
            let end = world.now + duration
            while world.end == nil, world.now < end {
                world.machine.noteSourceChanged()
                world.run(for: world.interval)
            }
        }
        for (index, change) in changes.enumerated() {
            var world = begun()
            (world.readLimit, world.failures) = (Self.limit, .max)
            fail(&world, for: 9_000_000_000)
            change(&world)
            fail(&world, for: 9_000_000_000)
            #expect(world.end == nil, "\(index)")
            fail(&world, for: 2_000_000_000)
            #expect(world.end != nil, "\(index)")
        }
        // A monitor that is unplugged may stay away.
        var world = begun()
        world.failures = .max
        fail(&world, for: 60_000_000_000)
        #expect(world.end == nil)
    }

    @Test func `after a pause nothing is shown before all of it was read`() {
        var world = begun()
        world.handle(.pause)
        world.handle(.paint)
        world.failures = 3
        world.handle(.pause)
        world.run(for: 2 * world.interval)
        #expect(world.frames.count == 1 && !world.isTrue)
        world.run(for: 3 * world.interval)
        #expect(world.frames.count == 2 && world.isTrue)
    }

    @Test func `an unreported change is found with the next look, whatever happens`() {
        var failed: [[CaptureWorld.Event]] = []
        forEachHistory(of: 4, from: begun()) { world, history in
            var end = settled(world)
            end.run(for: DamageVerification.interval + end.interval)
            if !end.isTrue { failed.append(history) }
        }
        expectNone(failed)
    }

    @Test func `two frames are never closer than half an interval, unless one was asked for`() {
        var failed: [[CaptureWorld.Event]] = []
        forEachHistory(of: 5, from: begun()) { world, history in
            let frames = settled(world).frames
            let isFar = zip(frames, frames.dropFirst()).allSatisfy { earlier, later in
                later.isAskedFor || later.at - earlier.at >= world.interval / 2
            }
            let times = frames.map(\.delivery.time)
            if !isFar || times != times.sorted() { failed.append(history) }
        }
        expectNone(failed)
    }

    @Test func `a reported change waits no longer than one and a half intervals`() {
        var longest: Int64 = 0
        forEachHistory(of: 5, from: begun()) { world, _ in
            longest = max(longest, settled(world).waits.max() ?? 0)
        }
        #expect(longest <= 3 * begun().interval / 2)
    }

    @Test func `only what was reported is read, and a still screen never is`() {
        var failed: [[CaptureWorld.Event]] = []
        let events: [CaptureWorld.Event] = [.paint, .paintAgain, .repeatFrame, .holdSlots, .moment]
        // Too short for a look at unreported strips.
        forEachHistory(of: 6, events, from: begun()) { world, history in
            let reads = settled(world).reads.dropFirst()
            if !reads.allSatisfy({ $0.region == $0.reported }) { failed.append(history) }
        }
        expectNone(failed)
    }

    @Test func `in a pause nothing is read or handed on, and its time is in no frame`() {
        var failed: [[CaptureWorld.Event]] = []
        forEachHistory(of: 3, from: begun()) { world, history in
            var world = world
            if !world.isPaused { world.handle(.pause) }
            let (reads, frames) = (world.reads.count, world.frames.count)
            forEachHistory(of: 2, [.paint, .repeatFrame, .holdSlots, .moment, .rest], from: world) { paused, more in
                if paused.reads.count != reads || paused.frames.count != frames { failed.append(history + more) }
                let end = settled(paused)
                let last = end.frames[end.frames.count - 1].delivery.time.nanoseconds
                let recorded = end.frames.map(\.at).last.map { $0 - end.frames[0].at } ?? 0
                // Frames that were asked for at one instant are moved apart.
                if last > recorded + 2 * end.interval { failed.append(history + more) }
            }
        }
        expectNone(failed)
    }

    @Test func `while all slots are lent nothing is read, and each interval counts as a frame lost`() {
        var world = begun()
        world.run(for: world.interval)
        world.handle(.holdSlots)
        world.handle(.paint)
        let before = world.machine.counts.dropped
        world.run(for: 10 * world.interval)
        #expect(world.reads.count == 1)
        #expect((10...11).contains(world.machine.counts.dropped - before))
        world.handle(.holdSlots)
        world.run(for: world.interval)
        #expect(world.isTrue && world.frames.count == 2)
    }

    @Test(.tags(.slow)) func `a constant rate fills exactly its grid, whatever happens`() {
        var failed: [[CaptureWorld.Event]] = []
        forEachHistory(of: 5, from: begun { $0.video.constantFrameRate = true }) { world, history in
            let end = settled(world)
            let times = end.frames.flatMap { [$0.delivery.time] + $0.delivery.repeats }
            let isWhole = times.indices.allSatisfy { times[$0] == .milliseconds(Int64($0) * 100) }
            if !isWhole || end.machine.counts.drawn != times.count || !end.isUpToDate { failed.append(history) }
        }
        expectNone(failed)
    }

    @Test(arguments: [false, true]) func `no frame is shown at the take's limit or later`(isConstant: Bool) {
        let limit = MediaTime.milliseconds(450)
        var failed: [[CaptureWorld.Event]] = []
        let start = begun {
            $0.durationLimit = limit
            $0.video.constantFrameRate = isConstant
        }
        forEachHistory(of: 4, [.paint, .pause, .repeatFrame, .moment], from: start) { world, history in
            var end = settled(world)
            for _ in 0..<40 {
                end.handle(.paint)
                end.run(for: end.interval / 3)
            }
            let times = end.frames.flatMap { [$0.delivery.time] + $0.delivery.repeats }
            if !times.allSatisfy({ $0 < limit }) { failed.append(history) }
        }
        expectNone(failed)
    }

    // MARK: Single promises

    @Test func `the first frame is read until it is whole, at most so often as the rate says`() {
        var world = CaptureWorld()
        world.failures = 3
        world.run(for: 10 * world.interval)
        #expect(world.reads.map { ($0.at - world.reads[0].at) / world.interval } == [0, 1, 2, 3])
        #expect(world.frames.count == 1 && world.isTrue)
        #expect(world.frames[0].delivery.time == .zero)
    }

    @Test func `however many repeats are asked for, a change waits an interval at most`() {
        var world = begun()
        for _ in 0..<50 { world.handle(.repeatFrame) }
        world.handle(.paint)
        world.run(for: world.interval)
        #expect(world.isTrue && world.frames.count == 52)
    }

    @Test func `a source of another size is read as a whole`() {
        var world = begun()
        let size = PixelSize(width: 64, height: 48)
        world.machine.reported = .full(size: size)
        #expect(world.machine.beginReading(at: world.now + world.interval, time: .milliseconds(100)) == .read)
        #expect(world.machine.pending == .full(size: size))
    }

    // MARK: Cover, switch and waiting

    @Test func `while a person is shown something over the screen nothing is read, and what came of it is discarded`() {
        var world = begun()
        let (reads, discards) = (world.reads.count, world.discards)
        world.isScreenTaken = true
        world.handle(.paint)
        world.handle(.repeatFrame)
        world.run(for: 60_000_000_000)
        #expect(world.reads.count == reads && world.discards == discards)
        world.isScreenTaken = false
        let frames = world.frames.count
        world.run(for: 2 * world.interval)
        #expect(world.discards == discards + 1)
        #expect(world.isUpToDate)
        #expect(world.frames.count > frames)
    }

    @Test func `a frame that was asked for while the screen was taken comes after it`() {
        var world = begun()
        world.isScreenTaken = true
        world.handle(.repeatFrame)
        world.run(for: 1_000_000_000)
        let frames = world.frames.count
        world.isScreenTaken = false
        world.run(for: 2 * world.interval)
        #expect(world.frames.count == frames + 1)
    }

    @Test func `a switch is confirmed with the first frame of the source, once, and in a pause at once`() {
        for isPaused in [false, true] {
            var world = begun()
            if isPaused { world.handle(.pause) }
            world.failures = isPaused ? 0 : 2
            world.handle(.newSource)
            #expect(world.confirmations == (isPaused ? 1 : 0), "a source that cannot be read yet is not shown")
            world.run(for: 5 * world.interval)
            #expect(world.confirmations == 1)
            #expect(world.isUpToDate != isPaused)
        }
    }

    @Test func `a screen that was locked just now gives no frame, nor does the card, until that is decided`() {
        var world = begun()
        let frames = world.frames.count
        world.isHeld = true
        world.handle(.paint)
        world.run(for: 60_000_000_000)
        #expect(world.frames.count == frames && world.isCameraHidden)
        world.isHeld = false
        world.handle(.cover)
        world.run(for: 2 * world.interval)
        #expect(world.frames.count == frames + 1 && world.isCardShown)
    }

    @Test func `a take whose screen is locked before its first frame begins with the card`() {
        var world = CaptureWorld()
        world.isHeld = true
        world.run(for: 0)
        world.isHeld = false
        world.handle(.cover)
        world.run(for: 0)
        #expect(world.frames.count == 1 && world.isCardShown)
    }

    @Test func `what is painted while a strip is read does not count as unreported`() {
        let world = begun()
        let now = world.now + DamageVerification.interval
        var changed = DamageRegion(size: CaptureWorld.size)
        changed.insert(column: 0, row: 0)
        for isReportedNow in [true, false] {
            var machine = world.machine
            machine.reported.removeAll()
            #expect(machine.next(at: now, .init()) == .beginFrame)
            #expect(machine.beginReading(at: now, time: .seconds(4)) == .read)
            #expect(machine.finishReading(isComplete: true, limit: nil, at: now) == .commit(evenIfUnchanged: false))
            #expect(machine.committed(changed: changed, layers: DamageRegion(size: changed.size)) == .checkSource)
            machine.checked(sourceHasChanged: isReportedNow)
            _ = machine.deliver(at: .seconds(4))
            // Suspicion has the whole frame read with the next look.
            #expect(machine.beginReading(at: now + world.interval, time: .seconds(5)) == .read)
            #expect(machine.pending.isFull != isReportedNow)
        }
    }

    @Test func `a change after a rest is read at once`() {
        var world = begun()
        world.run(for: 20 * world.interval)
        world.handle(.paint)
        #expect(world.isTrue)
        #expect(world.waits.last == 0)
    }

    @Test func `a repeat of a still screen is shown at once and reads nothing`() {
        var world = begun()
        world.run(for: 20 * world.interval)
        world.handle(.repeatFrame)
        #expect(world.frames.count == 2 && world.reads.count == 1)
        #expect(world.frames[1].at == world.now)
        world.run(for: 20 * world.interval)
        #expect(world.frames.count == 2)
    }

    @Test func `a repeat that is asked for while a change waits is that change's frame`() {
        var world = begun()
        world.run(for: 20 * world.interval)
        for _ in 0..<4 { world.handle(.paint) }
        world.handle(.repeatFrame)
        let frames = world.frames.count
        world.run(for: world.interval)
        #expect(world.frames.count == frames + 1)
        world.run(for: 20 * world.interval)
        #expect(world.frames.count == frames + 1)
    }

    @Test func `a still screen is shown again as often as viewers need it`() {
        var world = begun()
        world.stillInterval = 950_000_000
        world.run(for: 3_000_000_000)
        #expect(world.frames.map { $0.at - world.frames[0].at } == [0, 1, 2, 3].map { $0 * 950_000_000 })
        #expect(world.reads.count == 1)
    }

    @Test func `an unreported change has everything read at the frame rate for a while`() {
        var world = begun()
        world.handle(.paintSecretly)
        world.run(for: DamageVerification.interval)
        #expect(world.isTrue)
        let reads = world.reads.count
        world.run(for: DamageVerification.fullReadInterval)
        let expected = Int(DamageVerification.fullReadInterval / world.interval)
        #expect((expected - 1...expected + 3).contains(world.reads.count - reads))
        world.run(for: world.interval)
        let after = world.reads.count
        world.run(for: DamageVerification.interval / 2)
        #expect(world.reads.count == after)
    }

    @Test func `what is painted over and over as it was is not read more often than the rate says`() {
        var world = begun()
        world.run(for: 20 * world.interval)
        let reads = world.reads.count
        for _ in 0..<1000 {
            world.handle(.paintAgain)
            world.run(for: world.interval / 10)
        }
        #expect((99...103).contains(world.reads.count - reads))
        #expect(world.frames.count == 1)
        #expect(world.machine.counts.unchanged == world.reads.count - reads)
    }

    @Test func `what is painted without rest is captured at the rate, and read not much more often`() {
        var world = begun()
        for _ in 0..<6000 {
            world.handle(.paint)
            world.run(for: world.interval / 10)
        }
        #expect((600...604).contains(world.frames.count))
        #expect(world.reads.count == world.frames.count)
    }

    // MARK: From the screen to the handler

    /// The waits of a minute's frames, of a source that draws as fast as the limit.
    private func waits(framesPerSecond: Int, seed: UInt64, reportsTwice share: Int) -> [Int64] {
        var generator = SeededGenerator(seed: seed)
        var world = begun { $0.video.framesPerSecond = framesPerSecond }
        world.readTime = world.interval / 30
        let start = world.now
        for frame in 1...Int64(60 * framesPerSecond) {
            let jitter = Int64.random(in: 0...world.interval / 50, using: &generator)
            world.run(for: max(0, start + frame * world.interval + jitter - world.now))
            world.handle(.paint)
            guard Int.random(in: 0..<100, using: &generator) < share else { continue }
            // The pixels were read already; the report comes behind.
            world.run(for: world.interval / 20)
            world.handle(.paintAgain)
        }
        #expect(world.frames.count > 60 * framesPerSecond)
        return world.waits
    }

    @Test(arguments: [30, 60], 1...3) func `a look at unreported strips makes no frame of a busy screen wait`(
        rate: Int, seed: UInt64
    ) {
        let waits = waits(framesPerSecond: rate, seed: seed, reportsTwice: 0)
        // By the jitter at most; when each look counted as a frame, whole seconds of frames waited half an interval each.
        #expect(waits.allSatisfy { $0 <= 1_000_000_000 / Int64(rate) / 20 })
    }

    @Test(arguments: [30, 60], [1, 5, 100]) func `a drawing that is reported twice makes no later frame wait`(
        rate: Int, share: Int
    ) {
        let interval = 1_000_000_000 / Int64(rate)
        let waits = waits(framesPerSecond: rate, seed: 7, reportsTwice: share)
        // Only the second report, which shows nothing new, waits half an interval.
        let short = waits.filter { $0 <= interval / 20 }
        #expect(short.count >= 60 * rate)
        #expect(waits.allSatisfy { $0 <= interval / 2 })
    }
}
