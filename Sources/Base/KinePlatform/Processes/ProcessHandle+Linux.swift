// A process by a descriptor: a signal never reaches another process that later got the same number. Linux.
import CLinux
import Glibc

public final class ProcessHandle: Sendable {
    public let pid: Int32
    /// For poll: readable when the process has ended. Owned by this object. -1, which poll ignores, if the kernel has
    /// no such descriptors (before Linux 5.3) or none is left; the process number is used then.
    public let descriptor: Int32

    public convenience init?(_ pid: Int32) {
        let descriptor = kine_open_process(pid)
        if descriptor < 0, errno == ESRCH { return nil }
        self.init(pid: pid, descriptor: descriptor)
    }

    /// Takes ownership of the descriptor.
    init(pid: Int32, descriptor: Int32) {
        self.pid = pid
        self.descriptor = descriptor
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    public func signal(_ number: Int32) {
        if descriptor < 0 { kill(pid, number) } else { _ = kine_signal_process(descriptor, number) }
    }

    /// Reaps a child of this process that has ended; nil while it runs.
    public func reap() -> ChildProcess.Ending? {
        var status: Int32 = 0
        return switch kine_reap(descriptor, pid, &status) {
        case 0: nil
        case 1: status < 0 ? .killed(signal: -status) : .exited(status: status)
        default: .unknown
        }
    }

    /// Sleeps until the process has ended or CLOCK_MONOTONIC reaches `deadline` (nanoseconds; nil: no deadline). May
    /// return earlier. Returns whether the process has ended.
    @discardableResult
    public func waitForEnd(until deadline: Int64? = nil) -> Bool {
        guard descriptor < 0 else { return WakeSignal.poll([descriptor], until: deadline)[0] }
        // Without a descriptor, the end is polled for every 5 ms.
        _ = WakeSignal.poll([], until: min(deadline ?? .max, MonotonicClock.now() + 5_000_000))
        return kill(pid, 0) != 0 && errno == ESRCH
    }
}
