// One poll for several sources.
import CoreTesting
import KineMedia
import KinePlatform
import Testing

@testable import KineCapture

@Suite struct SourceWaiterTests {
    private let timeout = WaitLimit.deadline()

    @Test func `each source says for itself whether it has events`() {
        let sources = (0..<3).map { _ in WakeSignal() }
        var waiter = SourceWaiter(wake: WakeSignal(), descriptors: sources.map(\.descriptor))
        for ready: Set<Int> in [[0], [2], [0, 1], [0, 1, 2]] {
            for index in ready { sources[index].signal() }
            waiter.wait(until: timeout, for: .sources)
            #expect(Set((0..<3).filter { waiter.isReady($0) }) == ready)
            for source in sources { source.clear() }
        }
    }

    @Test(arguments: [SourceWaiter.Interest.sources, .drained, .nothing])
    func `a signal from another thread ends a wait, once`(interest: SourceWaiter.Interest) {
        let (wake, source) = (WakeSignal(), WakeSignal())
        var waiter = SourceWaiter(wake: wake, descriptors: [source.descriptor])
        let thread = DedicatedThread(name: "signal") { wake.signal() }
        waiter.wait(until: nil, for: interest)
        thread.join()
        #expect(!WakeSignal.poll([wake.descriptor], until: 0)[0])
    }

    @Test func `between two frames no event of a source ends the wait`() {
        let source = WakeSignal()
        var waiter = SourceWaiter(wake: WakeSignal(), descriptors: [source.descriptor])
        source.signal()
        let deadline = MonotonicClock.now() + 1_000_000
        waiter.wait(until: deadline, for: .nothing)
        #expect(MonotonicClock.now() >= deadline)
        #expect(!waiter.isReady(0))
        waiter.wait(until: timeout, for: .sources)
        #expect(waiter.isReady(0))
    }

    @Test func `while nothing is read, only a source that would lose something ends the wait`() {
        let sources = [WakeSignal(), WakeSignal()]
        var waiter = SourceWaiter(
            wake: WakeSignal(), descriptors: sources.map(\.descriptor), drained: [sources[1].descriptor])
        sources[0].signal()
        let deadline = MonotonicClock.now() + 1_000_000
        waiter.wait(until: deadline, for: .drained)
        #expect(MonotonicClock.now() >= deadline && !waiter.isReady(0))
        sources[1].signal()
        waiter.wait(until: timeout, for: .drained)
        #expect(!waiter.isReady(0) && waiter.isReady(1))
    }

    @Test func `a source without a descriptor is never ready, and holds up no other`() {
        let source = WakeSignal()
        var waiter = SourceWaiter(wake: WakeSignal(), descriptors: [-1, source.descriptor])
        source.signal()
        waiter.wait(until: timeout, for: .sources)
        #expect(!waiter.isReady(0) && waiter.isReady(1))
    }

    @Test func `two patterns of different rates are read in one loop`() throws {
        let size = PixelSize(width: 64, height: 64)
        let sources = try [50, 200].map { try PatternSource(size: size, framesPerSecond: $0) }
        var waiter = SourceWaiter(wake: WakeSignal(), descriptors: sources.map(\.descriptor))
        var frames = [0, 0]
        while frames.contains(where: { $0 < 3 }), MonotonicClock.now() < timeout {
            var hasChanged = false
            for (index, source) in sources.enumerated() where try source.processEvents() {
                hasChanged = true
                var damage = DamageRegion(size: size)
                try source.addDamage(to: &damage)
                #expect(!damage.isEmpty)
                var area = 0
                let isComplete = try source.read(damage) { area += $0.rect.size.area }
                #expect(isComplete && area == damage.rectangles().reduce(0) { $0 + $1.size.area })
                frames[index] += 1
            }
            if !hasChanged { waiter.wait(until: timeout, for: .sources) }
        }
        #expect(frames.allSatisfy { $0 >= 3 })
    }
}
