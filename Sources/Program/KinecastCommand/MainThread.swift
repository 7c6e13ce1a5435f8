// Runs asynchronous code in this synchronous program: the main thread runs the tasks' jobs. An async `main` would end
// the main thread, with which COMMAND dies, and would start a thread pool.
import KinePlatform

/// Runs jobs while the main thread waits in `poll` or `wait`.
final class MainThread: TaskExecutor {
    static let shared = MainThread()

    private let jobs = Mailbox<UnownedJob>()

    func enqueue(_ job: consuming ExecutorJob) { jobs.post(UnownedJob(job)) }

    /// Sleeps until a job ran, a descriptor is readable, or CLOCK_MONOTONIC reaches `deadline` (nanoseconds; nil waits
    /// for ever). Returns for each descriptor whether it is readable.
    func poll(_ descriptors: [Int32] = [], until deadline: Int64? = nil) -> [Bool] {
        let ready = WakeSignal.poll([jobs.descriptor] + descriptors, until: deadline)
        if ready[0] {
            for job in jobs.drain() { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
        return Array(ready.dropFirst())
    }

    /// Runs an asynchronous operation until it ends. Call only on the main thread, and never from a job.
    func wait<Success: Sendable, Failure: Error>(
        for operation: @escaping @Sendable () async throws(Failure) -> Success
    ) throws(Failure) -> Success {
        let outcome = Monitor<Result<Success, Failure>?>(nil)
        Task(executorPreference: self) {
            let result: Result<Success, Failure>
            do throws(Failure) {
                result = .success(try await operation())
            } catch {
                result = .failure(error)
            }
            outcome.withLock { $0 = result }
        }
        while true {
            if let result = outcome.withLock({ $0 }) { return try result.get() }
            _ = poll()
        }
    }
}
