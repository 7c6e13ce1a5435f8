// A delegate is told one thing after the other, whoever tells.
import CoreTesting
import Synchronization
import Testing

@testable import Kinecast

@Suite struct DelegateCallsTests {
    private struct Seen {
        var isInCall = false
        var overlaps = 0
        var events: [Int] = []
    }

    @Test func `events of several tasks come one call at a time, and those of each in its order`() async throws {
        let seen = Mutex(Seen())
        let calls = DelegateCalls<Int>()
        calls.tell(-1)  // to nobody
        calls.begin { event in
            seen.withLock { seen in
                if seen.isInCall { seen.overlaps += 1 }
                seen.isInCall = true
            }
            for _ in 0..<100 { seen.withLock { $0.events.reserveCapacity(200) } }
            seen.withLock { seen in
                seen.isInCall = false
                seen.events.append(event)
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for teller in 0..<4 {
                group.addTask {
                    for number in 0..<50 {
                        calls.tell(teller * 1000 + number)
                        await Task.yield()
                    }
                }
            }
        }
        try await wait(for: "all events") { seen.withLock { $0.events.count == 200 } }
        let (overlaps, events) = seen.withLock { ($0.overlaps, $0.events) }
        #expect(overlaps == 0)
        for teller in 0..<4 {
            #expect(events.filter { $0 / 1000 == teller } == (0..<50).map { teller * 1000 + $0 })
        }
    }
}
