// Waits for states that send no event, such as those of other processes.
import KinePlatform

package struct WaitedInVain: Error, CustomStringConvertible {
    package let description: String
    package init(description: String) { self.description = description }
}

/// Asks `condition` every few milliseconds until it holds. Only a failure waits to the end.
package func wait(_ what: String, seconds: Double = WaitLimit.seconds, until condition: () throws -> Bool) throws {
    let deadline = MonotonicClock.now() + Int64(seconds * 1e9)
    while try !condition() {
        guard MonotonicClock.now() < deadline else {
            throw WaitedInVain(description: "waited \(seconds) s in vain for \(what)")
        }
        _ = WakeSignal.poll([], until: MonotonicClock.now() + 5_000_000)
    }
}

/// The same without blocking a thread.
package func wait(
    for what: String, seconds: Double = WaitLimit.seconds, isolation: isolated (any Actor)? = #isolation,
    until condition: () async throws -> Bool
) async throws {
    let deadline = MonotonicClock.now() + Int64(seconds * 1e9)
    while try await !condition() {
        guard MonotonicClock.now() < deadline else {
            throw WaitedInVain(description: "waited \(seconds) s in vain for \(what)")
        }
        try await Task.sleep(for: .milliseconds(5))
    }
}
