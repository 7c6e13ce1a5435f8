// The previews of all takes. A take is read while a page shows it, and a little longer: pages connect again.
import KineClient
import KineLive
import KinePlatform
import KinePublish
import KineTakes
import Synchronization

/// Any thread may call.
final class Previews: PollSource, Sendable {
    private static let interval = LiveEdge.tickInterval / 2
    /// Ticks without a page after which a take is read no more.
    private static let mostIdleTicks = 10

    private struct State {
        /// By the ids of their takes.
        var previews: [String: TakePreview] = [:]
        /// The ids of paused takes.
        var paused: Set<String> = []
        var nextTick: Int64 = 0
        /// The number of ticks since a page showed that take.
        var idleTicks: [String: Int] = [:]
    }

    private let state = Mutex(State())
    private let began: @Sendable () -> Void

    /// - Parameter began: called when `nextDeadline` is not nil any more.
    init(began: @escaping @Sendable () -> Void) { self.began = began }

    /// The stream of a take, for a page that shows it from now on.
    ///
    /// - Parameter take: its id.
    func stream(of take: String) async throws(ClientError) -> LiveStream {
        let (preview, isNew) = state.withLock { state in
            if let known = state.previews[take] { return (known, false) }
            let preview = TakePreview(of: take, isPaused: state.paused.contains(take)) { [weak self] in
                self?.state.withLock { ($0.previews[take], $0.idleTicks[take]) = (nil, nil) }
            }
            state.previews[take] = preview
            return (preview, true)
        }
        if isNew {
            Task { await preview.connect() }
            began()
        }
        return try await preview.stream()
    }

    /// Sets which takes are paused, and ends the previews of takes that have ended.
    func show(_ takes: [TakeSnapshot]) {
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

    /// For `tick`; nil while there are no previews.
    var nextDeadline: Int64? { state.withLock { $0.previews.isEmpty ? nil : $0.nextTick } }

    /// Keeps the pages' streams alive, and ends the previews that no page has shown for a while.
    func tick(at now: Int64) {
        let (ticked, idle) = state.withLock { state -> ([TakePreview], [TakePreview]) in
            guard now >= state.nextTick else { return ([], []) }
            state.nextTick = now + Self.interval
            for (take, preview) in state.previews {
                // A take that is starting has no stream yet, and its page waits.
                state.idleTicks[take] = preview.viewers == 0 ? (state.idleTicks[take] ?? 0) + 1 : nil
            }
            let idle = state.previews.filter { (state.idleTicks[$0.key] ?? 0) >= Self.mostIdleTicks }
            return (Array(state.previews.values), Array(idle.values))
        }
        for preview in ticked { preview.tick() }
        for preview in idle { preview.end() }
    }
}
