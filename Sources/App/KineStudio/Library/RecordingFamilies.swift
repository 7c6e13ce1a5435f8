// Which recordings were made of which: a window of one recording shows those, too.
import Synchronization

/// Any thread may call.
final class RecordingFamilies: Sendable {
    private static let most = 4096

    /// The IDs of recordings, with that of what each was made of.
    private let origins = Mutex<[String: String]>([:])

    /// - Parameters:
    ///   - made: the ID of a new recording, or the new ID of one that was moved.
    ///   - id: that of the recording before.
    func add(_ made: String, madeOf id: String) {
        guard made != id else { return }
        origins.withLock { origins in
            if origins.count == Self.most { origins = [:] }
            origins[made] = id
        }
    }

    /// Whether a recording is that of the window, or was made of it.
    func has(_ id: String, in window: String) -> Bool {
        origins.withLock { origins in
            var next: String? = id
            // One that was renamed there and back is its own origin.
            for _ in 0..<origins.count + 1 where next != nil && next != window { next = origins[next ?? ""] }
            return next == window
        }
    }
}
