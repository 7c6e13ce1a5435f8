// What other threads use of a session of an audio server.
import KinePlatform

extension AudioSession {
    /// The part of a session that other threads use.
    final class Handle: Sendable {
        private struct State {
            var outcome: Result<Void, AudioCapture.Error>?
            var jobs: [@Sendable (AudioSession) -> Void] = []
            var waker: PulseConnection.Waker?
            var isStopped = false
            var wakeups = 0
            var outputs: [String] = []
        }

        private let state = Monitor(State())
        /// Ends the sleep between two fetches of audio.
        private let signal = WakeSignal()

        func outcome(until deadline: Int64) -> Result<Void, AudioCapture.Error> {
            state.wait(until: deadline) { $0.outcome } ?? .failure(.noServer(.noAnswer(seconds: 5)))
        }

        /// Ends the wait for the outcome.
        func giveUp() { settle(.failure(.noServer(.cancelled))) }

        func perform(_ job: @escaping @Sendable (AudioSession) -> Void) {
            state.withLock {
                guard !$0.isStopped else { return }
                $0.jobs.append(job)
                wake($0)
            }
        }

        /// The number of sleeps of a millisecond or more. The messages of one large piece come together and count once.
        var wakeups: Int { state.withLock { $0.wakeups } }

        /// The names of the server's outputs, at the last question.
        var outputs: [String] { state.withLock { $0.outputs } }

        /// False if it was stopped before.
        func stop() -> Bool {
            state.withLock {
                guard !$0.isStopped else { return false }
                $0.isStopped = true
                $0.jobs = []
                wake($0)
                return true
            }
        }

        private func wake(_ state: State) {
            signal.signal()
            state.waker?.wake()
        }

        /// Sleeps until CLOCK_MONOTONIC reaches `deadline`, or there is a job, or the session is stopped.
        func sleep(until deadline: Int64) {
            if WakeSignal.poll([signal.descriptor], until: deadline)[0] { signal.clear() }
        }

        // Called by the loop's own thread. Detaches the waker before the loop is destroyed.
        func attach(_ waker: PulseConnection.Waker?) { state.withLock { $0.waker = waker } }
        func note(outputs: [String]) { state.withLock { $0.outputs = outputs } }
        var isStopped: Bool { state.withLock { $0.isStopped } }
        func settle(_ outcome: Result<Void, AudioCapture.Error>) {
            state.signal { if $0.outcome == nil { $0.outcome = outcome } }
        }
        func removeJobs(afterSleep hasSlept: Bool) -> [@Sendable (AudioSession) -> Void] {
            state.withLock { state in
                if hasSlept { state.wakeups += 1 }
                defer { state.jobs = [] }
                return state.jobs
            }
        }
    }
}
