// The previews of all takes. A take is read while a page shows it, and a little longer: pages connect again.
import KineClient
import KinePublish
import Synchronization

/// Any thread may call.
final class Previews: Sendable {
    /// Half seconds without a page after which a take is read no more.
    private static let idleTicks = 10

    private struct State {
        /// By the ids of their takes.
        var previews: [String: TakePreview] = [:]
        /// The ids of paused takes.
        var paused: Set<String> = []
    }

    private let state = Mutex(State())

    /// The stream of a take, for a page that shows it from now on.
    ///
    /// - Parameter take: its id.
    func stream(of take: String) async throws(ClientError) -> LiveStream {
        let (preview, isNew) = state.withLock { state in
            if let known = state.previews[take] { return (known, false) }
            let preview = TakePreview(of: take, isPaused: state.paused.contains(take)) { [weak self] in
                self?.state.withLock { $0.previews[take] = nil }
            }
            state.previews[take] = preview
            return (preview, true)
        }
        if isNew {
            Task { await preview.connect() }
            Task { await Self.watch(preview) }
        }
        return try await preview.stream()
    }

    /// Shows which takes are paused, and ends the previews of those that are over.
    func show(_ takes: [TakeModel]) {
        let open = Set(takes.filter(\.isOpen).map(\.id))
        let paused = Set(takes.filter { $0.phase == "paused" }.map(\.id))
        let previews = state.withLock { state in
            state.paused = paused
            return state.previews
        }
        for (take, preview) in previews {
            if open.contains(take) { preview.set(isPaused: paused.contains(take)) } else { preview.end() }
        }
    }

    /// Ends the preview once no page shows it.
    private static func watch(_ preview: TakePreview) async {
        var idle = 0
        // A take that is starting has no stream yet, and its page waits.
        while idle < idleTicks, !preview.isOver {
            try? await Task.sleep(nanoseconds: UInt64(LiveStream.tickInterval / 2))
            preview.tick()
            idle = preview.viewers == 0 ? idle + 1 : 0
        }
        preview.end()
    }
}
