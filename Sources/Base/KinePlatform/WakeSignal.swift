// Wakes a thread that sleeps in poll: an eventfd. Linux.
import CLinux
import Glibc

/// A descriptor that becomes readable when `signal` is called, from any thread.
public final class WakeSignal: Sendable {
    /// For poll; owned by this object.
    public let descriptor: Int32

    public init() {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        // Fails only if the process has used up its descriptors, and then at its start.
        precondition(descriptor >= 0, "no file descriptor is left; raise the limit with ulimit -n")
    }

    deinit { close(descriptor) }

    public func signal() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    /// Makes the descriptor unreadable until the next `signal`.
    public func clear() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }

    /// Sleeps until one of the descriptors is readable or CLOCK_MONOTONIC reaches `deadline` (nanoseconds; nil: none).
    /// Returns which are readable. Hang-up and error count as readable: the read then reports them.
    public static func poll(_ descriptors: [Int32], until deadline: Int64?) -> [Bool] {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&entries, until: deadline)
        return entries.map { $0.revents != 0 }
    }

    /// Sleeps until one of the entries is ready, as poll, or CLOCK_MONOTONIC reaches `deadline` (nanoseconds; nil:
    /// none). After an error every entry counts as ready, so that its read reports the error.
    public static func poll(_ entries: inout [pollfd], until deadline: Int64?) {
        while true {
            let count: Int32
            if let deadline {
                let left = max(0, deadline - MonotonicClock.now())
                var timeout = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
                count = ppoll(&entries, nfds_t(entries.count), &timeout, nil)
            } else {
                count = ppoll(&entries, nfds_t(entries.count), nil, nil)
            }
            if count >= 0 { return }
            guard errno == EINTR else {
                for index in entries.indices { entries[index].revents = Int16(POLLIN) }
                return
            }
        }
    }
}

// The clock of a take. On Linux it stops while the machine is suspended.
public enum MonotonicClock {
    /// Nanoseconds of CLOCK_MONOTONIC.
    public static func now() -> Int64 { nanoseconds(CLOCK_MONOTONIC) }
}

/// The clock that shows the date.
package enum WallClock {
    /// Nanoseconds since 1970, UTC.
    package static func now() -> Int64 { nanoseconds(CLOCK_REALTIME) }
}

private func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
