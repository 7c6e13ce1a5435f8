// Signals as something that poll can wait for: signalfd. Linux.
import CLinux
import Glibc

/// Receives signals in place of their default action, for the whole process. A signal that the process ignores stays ignored, as SIGHUP
/// under nohup: the kernel would queue it here once it is blocked (signal(7)). Create it in the main thread before any other thread
/// exists: threads inherit the blocked signals.
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

    /// The number of the next signal that came; nil where there is none.
    public func next() -> Int32? {
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        return read(descriptor, &info, size) == size ? Int32(info.ssi_signo) : nil
    }

    /// Has a signal's default action after all. One that stops the process returns when it continues, and at once where its process
    /// group is orphaned: nothing could continue it.
    public func takeDefaultAction(of signal: Int32) {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        raise(signal)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Those of the signals that this process ignores now.
    public static func ignored(among signals: [Int32]) -> [Int32] {
        signals.filter { signal in
            var action = sigaction()
            guard sigaction(signal, nil, &action) == 0 else { return false }
            // SIG_IGN, a number in the place of a function.
            return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
        }
    }
}
