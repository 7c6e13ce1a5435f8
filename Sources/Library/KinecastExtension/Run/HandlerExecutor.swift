// The thread of handlers: it runs their callbacks and all other code isolated to `BroadcastActor`. It sleeps in poll,
// so that a sample wakes it directly, without another thread in between.
import CLinux
import Glibc
import KinePlatform
import Synchronization

/// Runs all code of a handler on one thread, which is neither the main thread nor one of Swift's shared pool.
///
/// Handlers are isolated to this actor: their stored properties are safe without locks, and their `Task`s run here too.
@globalActor
public actor BroadcastActor {
    public static let shared = BroadcastActor()
    package static let executor = HandlerExecutor()

    public nonisolated var unownedExecutor: UnownedSerialExecutor { Self.executor.asUnownedSerialExecutor() }
}

/// A serial executor with its own thread. It is also the preferred executor of the broadcast's task: otherwise
/// continuations would resume on Swift's pool, and one of its threads would wake for every sample.
package final class HandlerExecutor: SerialExecutor, TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isSleeping = false
        var isRunning = false
        /// Wake points that wait for a readable descriptor or a deadline.
        var armed: [WakePoint] = []
    }

    private let state = Mutex(State())
    private let signal = WakeSignal()

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let (starts, wakes) = state.withLock { state in
            defer { state.isRunning = true }
            state.jobs.append(job)
            return (!state.isRunning, state.isSleeping)
        }
        // The thread and the executor live as long as the process.
        if starts { _ = DedicatedThread(name: "handler") { [self] in run() } }
        if wakes { signal.signal() }
    }

    /// Wakes `point` once when its descriptor is readable. Call on this executor's thread.
    func arm(_ point: WakePoint) {
        state.withLock { state in
            if !state.armed.contains(where: { $0 === point }) { state.armed.append(point) }
        }
    }

    private func run() {
        var jobs: [UnownedJob] = []
        var points: [WakePoint] = []
        var entries: [pollfd] = []
        while true {
            state.withLock { state in
                swap(&state.jobs, &jobs)
                state.isSleeping = jobs.isEmpty
                if jobs.isEmpty { swap(&state.armed, &points) }
            }
            for job in jobs {
                job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            }
            guard jobs.isEmpty else {
                jobs.removeAll(keepingCapacity: true)
                continue
            }
            entries.append(pollfd(fd: signal.descriptor, events: Int16(POLLIN), revents: 0))
            for point in points { entries.append(pollfd(fd: point.descriptor, events: Int16(POLLIN), revents: 0)) }
            WakeSignal.poll(&entries, until: points.lazy.compactMap(\.deadline).min())
            state.withLock { $0.isSleeping = false }
            if entries[0].revents != 0 { signal.clear() }
            let now = MonotonicClock.now()
            var kept = 0
            for (index, point) in points.enumerated() {
                if entries[index + 1].revents != 0 || point.deadline.map({ $0 <= now }) ?? false {
                    point.wake()
                } else if point.isWaiting {
                    points[kept] = point
                    kept += 1
                }
            }
            points.removeSubrange(kept...)
            if !points.isEmpty { state.withLock { $0.armed.append(contentsOf: points) } }
            points.removeAll(keepingCapacity: true)
            entries.removeAll(keepingCapacity: true)
        }
    }
}

/// Lets one function on `BroadcastActor` wait for a descriptor to become readable, for a call of `wake`, or for a time.
package final class WakePoint: Sendable {
    private struct State {
        var continuation: UnsafeContinuation<Void, Never>?
        var isWoken = false
        var deadline: Int64?
    }

    let descriptor: Int32
    private let state = Mutex(State())

    /// `descriptor` is borrowed: the caller keeps it open during a wait. -1: none.
    package init(descriptor: Int32) { self.descriptor = descriptor }

    var isWaiting: Bool { state.withLock { $0.continuation != nil } }
    var deadline: Int64? { state.withLock { $0.continuation == nil ? nil : $0.deadline } }

    /// Ends the current wait, or else the next one at once. Call from any thread.
    package func wake() {
        let continuation = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            state.isWoken = state.continuation == nil
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume()
    }

    /// Waits, at most until CLOCK_MONOTONIC reaches `deadline` (nanoseconds). Only one caller at a time.
    @BroadcastActor
    package func wait(until deadline: Int64? = nil) async {
        await withUnsafeContinuation { continuation in
            let isWoken = state.withLock { state -> Bool in
                if state.isWoken {
                    state.isWoken = false
                    return true
                }
                state.continuation = continuation
                state.deadline = deadline
                return false
            }
            if isWoken { continuation.resume() } else { BroadcastActor.executor.arm(self) }
        }
    }
}
