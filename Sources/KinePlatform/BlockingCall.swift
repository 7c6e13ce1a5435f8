// Calls that block, for asynchronous code: each runs on a thread of its own, never on Swift's cooperative pool.
import SystemPackage

/// An error that can also say that there was no thread for a call.
public protocol ThreadError: Error {
    static func noThread(name: String, _ errno: Errno) -> Self
}

public enum BlockingCall {
    /// Runs `body` on a thread called `name` (15 bytes at most) and suspends the task until it returns.
    public static func run<Value: Sendable, Failure: ThreadError>(
        _ name: String, _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await start(name) { (reply: (Result<Value, Failure>) -> Void) in
            reply(Result { () throws(Failure) in try body() })
        }
    }

    /// The same for a body that runs on after its result: it calls `reply` exactly once.
    public static func start<Value: Sendable, Failure: ThreadError>(
        _ name: String, _ body: @escaping @Sendable (_ reply: (Result<Value, Failure>) -> Void) -> Void
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            do throws(Errno) {
                _ = try DedicatedThread(starting: name) { body { continuation.resume(returning: $0) } }
            } catch {
                continuation.resume(returning: .failure(.noThread(name: name, error)))
            }
        }
        return try result.get()
    }
}
