// Calls that block, made from asynchronous code: each on a thread of its own, never on Swift's cooperative pool.
import KinePlatform
import SystemPackage

enum BlockingCall {
    /// Runs `body` on a thread called `name` (15 bytes at most) and suspends the task until it returns.
    static func run<Value: Sendable>(
        _ name: String, _ body: @escaping @Sendable () throws(ClientError) -> Value
    ) async throws(ClientError) -> Value {
        try await start(name) { reply in
            reply(Result { () throws(ClientError) in try body() })
        }
    }

    /// The same for a thread that goes on after it has called `reply`, which it does once.
    static func start<Value: Sendable>(
        _ name: String, _ body: @escaping @Sendable (_ reply: (Result<Value, ClientError>) -> Void) -> Void
    ) async throws(ClientError) -> Value {
        let result: Result<Value, ClientError> = await withCheckedContinuation { continuation in
            do throws(Errno) {
                _ = try DedicatedThread(starting: name) { body { continuation.resume(returning: $0) } }
            } catch {
                continuation.resume(returning: .failure(.noThread(name: name, error)))
            }
        }
        return try result.get()
    }
}
