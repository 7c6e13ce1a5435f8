// Remembers which recording each cut or copy was made from. A window of one recording also shows the recordings that were made from it.
import Synchronization

/// Any thread may call.
final class RecordingFamilies: Sendable {
    private static let most = 4096

    /// For the ID of a recording, the ID of the recording that it was made from.
    private let origins = Mutex<[String: String]>([:])

    /// - Parameters:
    ///   - made: the ID of a new recording, or the new ID of one that was moved.
    ///   - id: the ID of the original, or the old ID of the one that was moved.
    func add(_ made: String, madeOf id: String) {
        guard made != id else { return }
        origins.withLock { origins in
            if origins.count == Self.most { origins = [:] }
            origins[made] = id
        }
    }

    /// Whether a window shows the recording with that ID: the window's own, or one that was made from it.
    func has(_ id: String, in window: String) -> Bool {
        origins.withLock { origins in
            var next: String? = id
            // A recording that was renamed there and back is its own origin.
            for _ in 0..<origins.count + 1 where next != nil && next != window { next = origins[next ?? ""] }
            return next == window
        }
    }
}
