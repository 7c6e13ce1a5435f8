// Notices that this process was stopped, or its machine, while CLOCK_MONOTONIC went on: by a signal, a frozen cgroup, a
// virtual machine that was paused. In a real suspend that clock stands still.
import KinePlatform

/// Beats once a second in a thread of its own. A beat that comes late, although its thread did not wait for a processor,
/// means that no thread of the process could run.
final class StopDetector: Sendable {
    /// Nanoseconds. A shorter stop is an interruption like any other.
    static let shortest: Int64 = 5_000_000_000
    private static let interval: Int64 = 1_000_000_000
    /// The longest wait for a late beat, in nanoseconds.
    private static let timeout: Int64 = 2_000_000_000

    private let end = WakeSignal()
    private let lastBeat: Monitor<Int64>

    /// - Parameter report: called with the stretch of CLOCK_MONOTONIC that holds the stop, before `settle` returns.
    init(report: @escaping @Sendable (Range<Int64>) -> Void) {
        let (end, lastBeat) = (end, Monitor(MonotonicClock.now()))
        self.lastBeat = lastBeat
        _ = try? DedicatedThread(starting: "stops") {
            var (last, waited) = (MonotonicClock.now(), Self.timeWaited())
            while !WakeSignal.poll([end.descriptor], until: last + Self.interval)[0] {
                let (now, total) = (MonotonicClock.now(), Self.timeWaited())
                if let waited, let total,
                    Self.wasStopped(lateness: now - last - Self.interval, waiting: total - waited)
                {
                    report(last..<now)
                }
                (last, waited) = (now, total)
                lastBeat.signal { $0 = now }
            }
        }
    }

    deinit { end.signal() }

    /// If the process may have been stopped just now, waits until that is known.
    func settle() {
        let now = MonotonicClock.now()
        let seen = lastBeat.withLock { $0 }
        guard now - seen >= Self.interval + Self.shortest else { return }
        _ = lastBeat.wait(until: now + Self.timeout) { $0 == seen ? nil : true }
    }

    /// - Parameters:
    ///   - lateness: nanoseconds by which a beat is late.
    ///   - waiting: those of them in which the thread was ready to run and had no processor, as on a busy machine.
    static func wasStopped(lateness: Int64, waiting: Int64) -> Bool { lateness - waiting >= shortest }

    /// The nanoseconds that this thread has waited for a processor: the second number of /proc/PID/schedstat
    /// (Linux, Documentation/scheduler/sched-stats.rst); nil: this kernel does not count them.
    private static func timeWaited() -> Int64? {
        let contents = PrivateDirectory.contents(of: "/proc/thread-self/schedstat", limit: 128) ?? []
        return contents.split(separator: UInt8(ascii: " ")).dropFirst().first.flatMap {
            Int64(String(decoding: $0, as: UTF8.self))
        }
    }
}
