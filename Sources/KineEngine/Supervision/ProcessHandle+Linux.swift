// A process by a descriptor: what is sent to it never reaches another that was given its number since. Linux.
import CLinux
import Glibc

final class ProcessHandle {
    private let pid: Int32
    /// -1 where the kernel has no such descriptors (before Linux 5.3): then the number has to do.
    private let descriptor: Int32

    /// Nil where there is no such process.
    init?(_ pid: Int32) {
        self.pid = pid
        descriptor = kine_open_process(pid)
        if descriptor < 0, errno == ESRCH { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func signal(_ number: Int32) {
        if descriptor < 0 { kill(pid, number) } else { _ = kine_signal_process(descriptor, number) }
    }
}
