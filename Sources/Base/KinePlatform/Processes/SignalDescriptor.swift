// Signals as a descriptor for poll: signalfd. Linux.
import CLinux
import Glibc

/// Receives signals in place of their default action, for the whole process. Ignored signals stay ignored, as SIGHUP
/// under nohup: the kernel would queue a blocked one here (signal(7)). Create it in the main thread before any other
/// thread exists, because threads inherit the blocked signals.
public final class SignalDescriptor {
    public let descriptor: Int32

    public init(_ signals: [Int32]) {
        var set = sigset_t()
        sigemptyset(&set)
        let ignored = Self.ignored(among: signals)
        for signal in signals where !ignored.contains(signal) { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        descriptor = signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
    }

    deinit { close(descriptor) }

    /// The number of the next signal, if one is pending.
    public func next() -> Int32? {
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        return read(descriptor, &info, size) == size ? Int32(info.ssi_signo) : nil
    }

    /// Performs a signal's default action. A signal that stops the process returns when the process continues, or at
    /// once in an orphaned process group, which nothing could continue.
    public func takeDefaultAction(of signal: Int32) {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        raise(signal)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// The signals among these that this process ignores.
    public static func ignored(among signals: [Int32]) -> [Int32] {
        signals.filter { signal in
            var action = sigaction()
            guard sigaction(signal, nil, &action) == 0 else { return false }
            // SIG_IGN is a number in the place of a function.
            return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
        }
    }
}
