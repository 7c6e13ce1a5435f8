// Threads for work that blocks: capture, encoding, audio, file writing. Such work never runs on Swift's cooperative
// pool, where a blocked thread occupies a core.
import CLinux
import Glibc
import Synchronization
import SystemPackage

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

    /// Starts `body` at once. `name` is at most 15 bytes, for `top -H`. The thread blocks all signals: the main thread
    /// reads them from a descriptor. Throws if the process may have no more threads.
    public init(starting name: String, body: @escaping @Sendable () -> Void) throws(Errno) {
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
        guard status == 0 else {
            start.release()
            throw Errno(rawValue: status)
        }
        handle = thread
    }

    /// For a thread that starts before there is anything to lose: if it cannot start, the process ends with a message
    /// on standard error and `ExitStatus.unavailable`.
    public convenience init(name: String, body: @escaping @Sendable () -> Void) {
        do throws(Errno) {
            try self.init(starting: name, body: body)
        } catch {
            _ = try? FileDescriptor.standardError.writeAll((Self.explanation(of: error, thread: name) + "\n").utf8)
            _exit(ExitStatus.unavailable)
        }
    }

    /// One sentence: why the thread could not be started, and what to do.
    public static func explanation(of failure: Errno, thread name: String) -> String {
        "The thread “\(name)” cannot be started (\(failure)); end other programs, or raise the limits of processes "
            + "and memory that “ulimit -u” and “ulimit -v” show."
    }

    deinit { if !isJoined.withLock({ $0 }) { pthread_detach(handle) } }

    /// Waits until the closure has returned. Call once.
    public func join() {
        isJoined.withLock { $0 = true }
        pthread_join(handle, nil)
    }
}

/// An error type for blocking calls of asynchronous code: it has a case for a thread that could not be started.
public protocol ThreadError: Error {
    static func noThread(name: String, _ errno: Errno) -> Self
}

public enum BlockingCall {
    /// Runs `body` on a thread called `name` (15 bytes at most) and suspends the task until it returns. `onCancel` is called
    /// if the task is cancelled meanwhile, or was before.
    public static func run<Value: Sendable, Failure: ThreadError>(
        _ name: String, _ body: @escaping @Sendable () throws(Failure) -> Value, onCancel: @Sendable () -> Void = {}
    ) async throws(Failure) -> Value {
        try await start(name) { (reply: (Result<Value, Failure>) -> Void) in
            reply(Result { () throws(Failure) in try body() })
        } onCancel: {
            onCancel()
        }
    }

    /// As `run`, for a body that continues after its result: it calls `reply` exactly once.
    public static func start<Value: Sendable, Failure: ThreadError>(
        _ name: String, _ body: @escaping @Sendable (_ reply: (Result<Value, Failure>) -> Void) -> Void,
        onCancel: @Sendable () -> Void = {}
    ) async throws(Failure) -> Value {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, Failure>, Never>) in
                do throws(Errno) {
                    _ = try DedicatedThread(starting: name) { body { continuation.resume(returning: $0) } }
                } catch {
                    continuation.resume(returning: .failure(.noThread(name: name, error)))
                }
            }
        } onCancel: {
            onCancel()
        }
        return try result.get()
    }
}
