// A thread of its own for work that blocks: capture, encoding, sound, file writing. Such work never runs on Swift's
// cooperative pool, where one blocked thread is a core lost.
import CLinux
import Glibc
import Synchronization

/// A named POSIX thread that runs one closure to its end.
public final class DedicatedThread: Sendable {
    private let handle: pthread_t
    private let isJoined = Mutex(false)

    private final class Start {
        let name: String
        let body: @Sendable () -> Void
        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Starts `body` at once. `name` is what `top -H` shows, at most 15 bytes. All signals are blocked in the thread:
    /// the main thread reads them from a descriptor.
    public init(name: String, body: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var thread = pthread_t()
        var all = sigset_t()
        var previous = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &previous)
        let status = pthread_create(
            &thread, nil,
            { argument in
                let start = Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue()
                kine_set_thread_name(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        pthread_sigmask(SIG_SETMASK, &previous, nil)
        // Only a process out of memory or of threads gets here; there is nothing a caller could do instead.
        precondition(status == 0, "cannot start the thread \(name): error \(status)")
        handle = thread
    }

    /// A thread nobody waited for cleans up after itself.
    deinit { if !isJoined.withLock({ $0 }) { pthread_detach(handle) } }

    /// Waits until the closure has returned. Call once.
    public func join() {
        isJoined.withLock { $0 = true }
        pthread_join(handle, nil)
    }
}
