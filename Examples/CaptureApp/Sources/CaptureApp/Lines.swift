// The lines that are typed: commands, and the answers to questions.
import Foundation
import Synchronization

final class Lines: Sendable {
    private let question = Mutex<CheckedContinuation<String?, Never>?>(nil)

    /// The commands, until standard input ends. `readLine` blocks, so it has a thread of its own.
    func commands() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread { [self] in
                while let line = readLine() {
                    if !answer(line) { continuation.yield(line) }
                }
                _ = answer(nil)
                continuation.finish()
            }
        }
    }

    /// Asks a question; nil where input has ended.
    func ask(_ text: String) async -> String? {
        await withCheckedContinuation { continuation in
            question.withLock { $0 = continuation }
            say(text)
        }
    }

    /// Answers the open question. False if there is none.
    private func answer(_ line: String?) -> Bool {
        let continuation = question.withLock { question in
            defer { question = nil }
            return question
        }
        continuation?.resume(returning: line)
        return continuation != nil
    }
}
