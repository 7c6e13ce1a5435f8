// A lock with a condition, for threads that wait for each other; Synchronization's Mutex has no condition.
import CLinux
import Glibc

/// State that several threads share and can wait on.
public final class Monitor<State>: @unchecked Sendable {
    // Sendable: `state` is touched only while `mutex` is held.
    private var state: State
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    public init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` with the state locked. Wakes no waiter.
    public func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// Runs `body` with the state locked, then wakes every waiter.
    public func signal<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer {
            // Unlock first: a waiter that wakes before would have to wait for the lock.
            pthread_mutex_unlock(mutex)
            pthread_cond_broadcast(condition)
        }
        return try body(&state)
    }

    /// Sleeps until `body` returns a value; calls it again after each signal. Returns nil once CLOCK_MONOTONIC reaches
    /// `deadline` (nanoseconds; nil: no deadline).
    public func wait<Result>(until deadline: Int64? = nil, for body: (inout State) throws -> Result?) rethrows
        -> Result?
    {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = try body(&state) { return result }
            if let deadline {
                // The system call would sleep and wake even for an instant in the past.
                guard MonotonicClock.now() < deadline else { return nil }
                var time = timespec(
                    tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
                if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { return try body(&state) }
            } else {
                pthread_cond_wait(condition, mutex)
            }
        }
    }
}
