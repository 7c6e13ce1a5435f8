// Calls that block, for asynchronous code: each runs on a thread of its own, never on Swift's cooperative pool.
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

    /// The same for a body that runs on after its result: it calls `reply` exactly once.
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
