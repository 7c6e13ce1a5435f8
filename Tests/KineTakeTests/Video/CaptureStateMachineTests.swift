// The decisions of capture, on a clock that only the test moves.
import CoreTesting
import KineCapture
import KineMedia
import Testing

@testable import KineTake

@Suite struct CaptureStateMachineTests {
    private static let limit = ReadLimit(timeout: 10_000_000_000, error: .regionNotDrawn)

    /// Calls `body` with a simulation after each sequence of `depth` events.
    private func forEachHistory(
        of depth: Int, _ events: [CaptureSimulation.Event] = CaptureSimulation.Event.allCases,
        from start: CaptureSimulation,
        _ history: [CaptureSimulation.Event] = [], _ body: (CaptureSimulation, [CaptureSimulation.Event]) -> Void
    ) {
        guard depth > 0 else { return body(start, history) }
        for event in events {
            var simulation = start
            simulation.handle(event)
            forEachHistory(of: depth - 1, events, from: simulation, history + [event], body)
        }
    }

    private func begun(_ change: (inout TakeConfiguration) -> Void = { _ in }) -> CaptureSimulation {
        var simulation = CaptureSimulation(change)
        simulation.run(for: 0)
        return simulation
    }

    /// Everything that keeps capture back is taken away, and time goes by.
    private func settled(_ simulation: CaptureSimulation) -> CaptureSimulation {
        var simulation = simulation
        if simulation.isPaused { simulation.handle(.pause) }
        if simulation.isCovered { simulation.handle(.cover) }
        if simulation.areSlotsLent { simulation.handle(.holdSlots) }
        simulation.run(for: 3 * simulation.interval)
        return simulation
    }

    private func expectNone(_ failed: [[CaptureSimulation.Event]], sourceLocation: SourceLocation = #_sourceLocation) {
        guard let first = failed.first else { return }
        Issue.record("\(failed.count) histories, first \(first.map { "\($0)" })", sourceLocation: sourceLocation)
    }

    // MARK: All histories

    @Test func `no change is lost, whatever happens`() {
        var failed: [[CaptureSimulation.Event]] = []
        forEachHistory(of: 5, from: begun()) { simulation, history in
            let end = settled(simulation)
            if !end.isUpToDate { failed.append(history) }
        }
        expectNone(failed)
    }

    @Test func `under the card there is nothing of the screen, whatever happens`() {
        var failed: [[CaptureSimulation.Event]] = []
        forEachHistory(of: 4, from: begun()) { simulation, history in
            var end = settled(simulation)
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
        var simulation = begun()
        simulation.failures = 3
        simulation.handle(.newSource)
        simulation.run(for: 2 * simulation.interval)
        #expect(simulation.frames.count == 1 && !simulation.isTrue)
        simulation.run(for: 3 * simulation.interval)
        #expect(simulation.frames.count == 2 && simulation.isTrue)
        // The attempts were an interval apart.
        #expect(simulation.reads.count == 5)
    }

    @Test(arguments: [false, true])
    func `a source that cannot be read for its time ends the take, also before the first frame`(hasBegun: Bool) {
        var simulation = CaptureSimulation()
        if hasBegun { simulation.run(for: simulation.interval) }
        (simulation.readLimit, simulation.failures) = (Self.limit, .max)
        let start = simulation.now
        // The source says after a failed read that all of it has changed.
        while simulation.end == nil, simulation.now < start + 60_000_000_000 {
            simulation.machine.noteSourceChanged()
            simulation.run(for: simulation.interval)
        }
        #expect(simulation.end == Self.limit.error)
        #expect((10_000_000_000...10_000_000_000 + 2 * simulation.interval).contains(simulation.now - start))
    }

    @Test func `a pause, a card, another source or one good read begins the time anew`() {
        let changes: [(inout CaptureSimulation) -> Void] = [
            { simulation in
                simulation.handle(.pause)
                simulation.run(for: 60_000_000_000)
                simulation.handle(.pause)
            },
            { simulation in
                simulation.handle(.cover)
                simulation.run(for: 60_000_000_000)
                simulation.handle(.cover)
            }, { $0.handle(.newSource) },
            { simulation in
                simulation.isScreenTaken = true
                simulation.run(for: 60_000_000_000)
                simulation.isScreenTaken = false
            },
            { simulation in
                simulation.failures = 0
                simulation.handle(.paint)
                simulation.run(for: 2 * simulation.interval)
                simulation.failures = .max
            },
        ]
        func fail(_ simulation: inout CaptureSimulation, for duration: Int64) {
            let end = simulation.now + duration
            while simulation.end == nil, simulation.now < end {
                simulation.machine.noteSourceChanged()
                simulation.run(for: simulation.interval)
            }
        }
        for (index, change) in changes.enumerated() {
            var simulation = begun()
            (simulation.readLimit, simulation.failures) = (Self.limit, .max)
            fail(&simulation, for: 9_000_000_000)
            change(&simulation)
            fail(&simulation, for: 9_000_000_000)
            #expect(simulation.end == nil, "\(index)")
            fail(&simulation, for: 2_000_000_000)
            #expect(simulation.end != nil, "\(index)")
        }
        // A monitor that is unplugged may stay away.
        var simulation = begun()
        simulation.failures = .max
        fail(&simulation, for: 60_000_000_000)
        #expect(simulation.end == nil)
    }

    @Test func `after a pause nothing is shown before all of it was read`() {
        var simulation = begun()
        simulation.handle(.pause)
        simulation.handle(.paint)
        simulation.failures = 3
        simulation.handle(.pause)
        simulation.run(for: 2 * simulation.interval)
        #expect(simulation.frames.count == 1 && !simulation.isTrue)
        simulation.run(for: 3 * simulation.interval)
        #expect(simulation.frames.count == 2 && simulation.isTrue)
    }

    @Test func `an unreported change is found with the next look, whatever happens`() {
        var failed: [[CaptureSimulation.Event]] = []
        forEachHistory(of: 4, from: begun()) { simulation, history in
            var end = settled(simulation)
            end.run(for: DamageVerification.interval + end.interval)
            if !end.isTrue { failed.append(history) }
        }
        expectNone(failed)
    }

    @Test func `two frames are never closer than half an interval, unless one was asked for`() {
        var failed: [[CaptureSimulation.Event]] = []
        forEachHistory(of: 5, from: begun()) { simulation, history in
            let frames = settled(simulation).frames
            let isFar = zip(frames, frames.dropFirst()).allSatisfy { earlier, later in
                later.isAskedFor || later.at - earlier.at >= simulation.interval / 2
            }
            let times = frames.map(\.delivery.time)
            if !isFar || times != times.sorted() { failed.append(history) }
        }
        expectNone(failed)
    }

    @Test func `a reported change waits no longer than one and a half intervals`() {
        var longest: Int64 = 0
        forEachHistory(of: 5, from: begun()) { simulation, _ in
            longest = max(longest, settled(simulation).waits.max() ?? 0)
        }
        #expect(longest <= 3 * begun().interval / 2)
    }

    @Test func `only what was reported is read, and a still screen never is`() {
        var failed: [[CaptureSimulation.Event]] = []
        let events: [CaptureSimulation.Event] = [.paint, .paintAgain, .repeatFrame, .holdSlots, .moment]
        // Too short for a look at unreported strips.
        forEachHistory(of: 6, events, from: begun()) { simulation, history in
            let reads = settled(simulation).reads.dropFirst()
            if !reads.allSatisfy({ $0.region == $0.reported }) { failed.append(history) }
        }
        expectNone(failed)
    }

    @Test func `in a pause nothing is read or handed on, and its time is in no frame`() {
        var failed: [[CaptureSimulation.Event]] = []
        forEachHistory(of: 3, from: begun()) { simulation, history in
            var simulation = simulation
            if !simulation.isPaused { simulation.handle(.pause) }
            let (reads, frames) = (simulation.reads.count, simulation.frames.count)
            forEachHistory(of: 2, [.paint, .repeatFrame, .holdSlots, .moment, .rest], from: simulation) {
                paused, more in
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
        var simulation = begun()
        simulation.run(for: simulation.interval)
        simulation.handle(.holdSlots)
        simulation.handle(.paint)
        let before = simulation.machine.counts.dropped
        simulation.run(for: 10 * simulation.interval)
        #expect(simulation.reads.count == 1)
        #expect((10...11).contains(simulation.machine.counts.dropped - before))
        simulation.handle(.holdSlots)
        simulation.run(for: simulation.interval)
        #expect(simulation.isTrue && simulation.frames.count == 2)
    }

    @Test(.tags(.slow)) func `a constant rate fills exactly its grid, whatever happens`() {
        var failed: [[CaptureSimulation.Event]] = []
        forEachHistory(of: 5, from: begun { $0.video.constantFrameRate = true }) { simulation, history in
            let end = settled(simulation)
            let times = end.frames.flatMap { [$0.delivery.time] + $0.delivery.repeats }
            let isWhole = times.indices.allSatisfy { times[$0] == .milliseconds(Int64($0) * 100) }
            if !isWhole || end.machine.counts.drawn != times.count || !end.isUpToDate { failed.append(history) }
        }
        expectNone(failed)
    }

    @Test(arguments: [false, true]) func `no frame is shown at the take's limit or later`(isConstant: Bool) {
        let limit = MediaTime.milliseconds(450)
        var failed: [[CaptureSimulation.Event]] = []
        let start = begun {
            $0.durationLimit = limit
            $0.video.constantFrameRate = isConstant
        }
        forEachHistory(of: 4, [.paint, .pause, .repeatFrame, .moment], from: start) { simulation, history in
            var end = settled(simulation)
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
        var simulation = CaptureSimulation()
        simulation.failures = 3
        simulation.run(for: 10 * simulation.interval)
        #expect(simulation.reads.map { ($0.at - simulation.reads[0].at) / simulation.interval } == [0, 1, 2, 3])
        #expect(simulation.frames.count == 1 && simulation.isTrue)
        #expect(simulation.frames[0].delivery.time == .zero)
    }

    @Test func `however many repeats are asked for, a change waits an interval at most`() {
        var simulation = begun()
        for _ in 0..<50 { simulation.handle(.repeatFrame) }
        simulation.handle(.paint)
        simulation.run(for: simulation.interval)
        #expect(simulation.isTrue && simulation.frames.count == 52)
    }

    @Test func `a source of another size is read as a whole`() {
        var simulation = begun()
        let size = PixelSize(width: 64, height: 48)
        simulation.machine.reported = .full(size: size)
        #expect(
            simulation.machine.beginReading(at: simulation.now + simulation.interval, time: .milliseconds(100)) == .read
        )
        #expect(simulation.machine.pending == .full(size: size))
    }

    // MARK: Cover, switch and waiting

    @Test func `while a person is shown something over the screen nothing is read, and what came of it is discarded`() {
        var simulation = begun()
        let (reads, discards) = (simulation.reads.count, simulation.discards)
        simulation.isScreenTaken = true
        simulation.handle(.paint)
        simulation.handle(.repeatFrame)
        simulation.run(for: 60_000_000_000)
        #expect(simulation.reads.count == reads && simulation.discards == discards)
        simulation.isScreenTaken = false
        let frames = simulation.frames.count
        simulation.run(for: 2 * simulation.interval)
        #expect(simulation.discards == discards + 1)
        #expect(simulation.isUpToDate)
        #expect(simulation.frames.count > frames)
    }

    @Test func `a frame that was asked for while the screen was taken comes after it`() {
        var simulation = begun()
        simulation.isScreenTaken = true
        simulation.handle(.repeatFrame)
        simulation.run(for: 1_000_000_000)
        let frames = simulation.frames.count
        simulation.isScreenTaken = false
        simulation.run(for: 2 * simulation.interval)
        #expect(simulation.frames.count == frames + 1)
    }

    @Test func `a switch is confirmed with the first frame of the source, once, and in a pause at once`() {
        for isPaused in [false, true] {
            var simulation = begun()
            if isPaused { simulation.handle(.pause) }
            simulation.failures = isPaused ? 0 : 2
            simulation.handle(.newSource)
            #expect(simulation.confirmations == (isPaused ? 1 : 0), "a source that cannot be read yet is not shown")
            simulation.run(for: 5 * simulation.interval)
            #expect(simulation.confirmations == 1)
            #expect(simulation.isUpToDate != isPaused)
        }
    }

    @Test func `a screen that was locked just now gives no frame, nor does the card, until that is decided`() {
        var simulation = begun()
        let frames = simulation.frames.count
        simulation.isHeld = true
        simulation.handle(.paint)
        simulation.run(for: 60_000_000_000)
        #expect(simulation.frames.count == frames && simulation.isCameraHidden)
        simulation.isHeld = false
        simulation.handle(.cover)
        simulation.run(for: 2 * simulation.interval)
        #expect(simulation.frames.count == frames + 1 && simulation.isCardShown)
    }

    @Test func `a take whose screen is locked before its first frame begins with the card`() {
        var simulation = CaptureSimulation()
        simulation.isHeld = true
        simulation.run(for: 0)
        simulation.isHeld = false
        simulation.handle(.cover)
        simulation.run(for: 0)
        #expect(simulation.frames.count == 1 && simulation.isCardShown)
    }

    @Test func `what is painted while a strip is read does not count as unreported`() {
        let simulation = begun()
        let now = simulation.now + DamageVerification.interval
        var changed = DamageRegion(size: CaptureSimulation.size)
        changed.insert(column: 0, row: 0)
        for isReportedNow in [true, false] {
            var machine = simulation.machine
            machine.reported.removeAll()
            #expect(machine.next(at: now, .init()) == .beginFrame)
            #expect(machine.beginReading(at: now, time: .seconds(4)) == .read)
            #expect(machine.finishReading(isComplete: true, limit: nil, at: now) == .commit(evenIfUnchanged: false))
            #expect(machine.committed(changed: changed, layers: DamageRegion(size: changed.size)) == .checkSource)
            machine.checked(sourceHasChanged: isReportedNow)
            _ = machine.deliver(at: .seconds(4))
            // Suspicion has the whole frame read with the next look.
            #expect(machine.beginReading(at: now + simulation.interval, time: .seconds(5)) == .read)
            #expect(machine.pending.isFull != isReportedNow)
        }
    }

    @Test func `a change after a rest is read at once`() {
        var simulation = begun()
        simulation.run(for: 20 * simulation.interval)
        simulation.handle(.paint)
        #expect(simulation.isTrue)
        #expect(simulation.waits.last == 0)
    }

    @Test func `a repeat of a still screen is shown at once and reads nothing`() {
        var simulation = begun()
        simulation.run(for: 20 * simulation.interval)
        simulation.handle(.repeatFrame)
        #expect(simulation.frames.count == 2 && simulation.reads.count == 1)
        #expect(simulation.frames[1].at == simulation.now)
        simulation.run(for: 20 * simulation.interval)
        #expect(simulation.frames.count == 2)
    }

    @Test func `a repeat that is asked for while a change waits is that change's frame`() {
        var simulation = begun()
        simulation.run(for: 20 * simulation.interval)
        for _ in 0..<4 { simulation.handle(.paint) }
        simulation.handle(.repeatFrame)
        let frames = simulation.frames.count
        simulation.run(for: simulation.interval)
        #expect(simulation.frames.count == frames + 1)
        simulation.run(for: 20 * simulation.interval)
        #expect(simulation.frames.count == frames + 1)
    }

    @Test func `a still screen is shown again as often as viewers need it`() {
        var simulation = begun()
        simulation.stillInterval = 950_000_000
        simulation.run(for: 3_000_000_000)
        #expect(simulation.frames.map { $0.at - simulation.frames[0].at } == [0, 1, 2, 3].map { $0 * 950_000_000 })
        #expect(simulation.reads.count == 1)
    }

    @Test func `an unreported change has everything read at the frame rate for a while`() {
        var simulation = begun()
        simulation.handle(.paintSecretly)
        simulation.run(for: DamageVerification.interval)
        #expect(simulation.isTrue)
        let reads = simulation.reads.count
        simulation.run(for: DamageVerification.fullReadInterval)
        let expected = Int(DamageVerification.fullReadInterval / simulation.interval)
        #expect((expected - 1...expected + 3).contains(simulation.reads.count - reads))
        simulation.run(for: simulation.interval)
        let after = simulation.reads.count
        simulation.run(for: DamageVerification.interval / 2)
        #expect(simulation.reads.count == after)
    }

    @Test func `what is painted over and over as it was is not read more often than the rate says`() {
        var simulation = begun()
        simulation.run(for: 20 * simulation.interval)
        let reads = simulation.reads.count
        for _ in 0..<1000 {
            simulation.handle(.paintAgain)
            simulation.run(for: simulation.interval / 10)
        }
        #expect((99...103).contains(simulation.reads.count - reads))
        #expect(simulation.frames.count == 1)
        #expect(simulation.machine.counts.unchanged == simulation.reads.count - reads)
    }

    @Test func `what is painted without rest is captured at the rate, and read not much more often`() {
        var simulation = begun()
        for _ in 0..<6000 {
            simulation.handle(.paint)
            simulation.run(for: simulation.interval / 10)
        }
        #expect((600...604).contains(simulation.frames.count))
        #expect(simulation.reads.count == simulation.frames.count)
    }

    // MARK: From the screen to the handler

    /// The waits of a minute's frames, of a source that draws as fast as the limit.
    private func waits(framesPerSecond: Int, seed: UInt64, reportsTwice share: Int) -> [Int64] {
        var generator = SeededGenerator(seed: seed)
        var simulation = begun { $0.video.framesPerSecond = framesPerSecond }
        simulation.readTime = simulation.interval / 30
        let start = simulation.now
        for frame in 1...Int64(60 * framesPerSecond) {
            let jitter = Int64.random(in: 0...simulation.interval / 50, using: &generator)
            simulation.run(for: max(0, start + frame * simulation.interval + jitter - simulation.now))
            simulation.handle(.paint)
            guard Int.random(in: 0..<100, using: &generator) < share else { continue }
            // The pixels were read already; the report comes behind.
            simulation.run(for: simulation.interval / 20)
            simulation.handle(.paintAgain)
        }
        #expect(simulation.frames.count > 60 * framesPerSecond)
        return simulation.waits
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
