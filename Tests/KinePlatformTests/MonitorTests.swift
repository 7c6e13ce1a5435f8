// State that threads share.
import Glibc
import KinePlatform
import Testing

@Suite struct MonitorTests {
    @Test func `a waiter sees what another thread signals`() {
        let state = Monitor(0)
        let thread = DedicatedThread(name: "signals") {
            for _ in 0..<1000 { state.signal { $0 += 1 } }
        }
        #expect(state.wait { $0 == 1000 ? $0 : nil } == 1000)
        thread.join()
    }

    @Test func `every waiter is woken`() {
        struct Counts {
            var waiting = 0
            var isOpen = false
            var woken = 0
        }
        let state = Monitor(Counts())
        let threads = (0..<5).map { number in
            DedicatedThread(name: "waiter-\(number)") {
                state.signal { $0.waiting += 1 }
                _ = state.wait { $0.isOpen ? true : nil }
                state.signal { $0.woken += 1 }
            }
        }
        _ = state.wait { $0.waiting == 5 ? true : nil }
        state.signal { $0.isOpen = true }
        for thread in threads { thread.join() }
        #expect(state.withLock { $0.woken } == 5)
    }

    @Test func `a deadline that is past asks once and does not sleep`() {
        let state = Monitor(7)
        var asked = 0
        let nothing: Int? = state.wait(until: 0) { _ in
            asked += 1
            return nil
        }
        #expect(nothing == nil && asked == 1)
        #expect(state.wait(until: 0) { $0 } == 7, "what is there is given, however late")
    }

    @Test func `a deadline ends a wait that nobody signals, never too early`() {
        let state = Monitor(false)
        let deadline = MonotonicClock.now() + 20_000_000
        #expect(state.wait(until: deadline) { $0 ? true : nil } == nil)
        #expect(MonotonicClock.now() >= deadline)
    }

    @Test func `an error leaves the lock free`() {
        struct Refused: Error {}
        let state = Monitor(1)
        #expect(throws: Refused.self) { try state.withLock { _ in throw Refused() } }
        #expect(throws: Refused.self) { try state.signal { _ in throw Refused() } }
        #expect(throws: Refused.self) { try state.wait { _ -> Int? in throw Refused() } }
        #expect(state.withLock { $0 } == 1)
    }

    @Test func `a lock is held by one thread at a time`() {
        let state = Monitor(0)
        let threads = (0..<4).map { number in
            DedicatedThread(name: "adds-\(number)") {
                for _ in 0..<10_000 { state.withLock { $0 += 1 } }
            }
        }
        for thread in threads { thread.join() }
        #expect(state.withLock { $0 } == 40_000)
    }
}
