// The clipboard's answers, awaited.
import KinePasteboard

extension Clipboard {
    func own(_ text: String, group: String = "org.example.group") async throws {
        try await withCheckedContinuation { continuation in
            own(ClipboardText(text, group: group)) { continuation.resume(returning: $0) }
        }.get()
    }

    func read() async throws -> ClipboardText? {
        try await withCheckedContinuation { continuation in read { continuation.resume(returning: $0) } }.get()
    }
}
