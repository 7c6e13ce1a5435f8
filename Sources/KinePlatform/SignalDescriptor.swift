// Signals as something that poll can wait for: signalfd. Linux.
import CLinux
import Glibc

/// Receives signals in place of their default action, for the whole process. Create it in the main thread before any other
/// thread exists: threads inherit the blocked signals.
public final class SignalDescriptor {
    public let descriptor: Int32

    public init(_ signals: [Int32]) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
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
}
