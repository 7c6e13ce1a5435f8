// Decides when a screen cast is open, when it has ended, and when it has to be started again: compositors that end or crash say nothing, and
// PipeWire only that the cast pauses. Pure, without a clock; `PipeWireSource` tells it what happens and does what it says.
import KineMedia

/// The life of one cast. Instants are nanoseconds of CLOCK_MONOTONIC.
struct CastStateMachine {
    /// The state of the stream, as PipeWire has it.
    enum Stream: Equatable {
        case connecting
        /// Nothing is sent for now.
        case paused
        case streaming
        /// The connection with PipeWire is gone. What the library says of it; empty: the node alone has gone.
        case unconnected(String)
        /// PipeWire or the session manager has refused; what it says.
        case refused(String)
        /// The session manager finds no such node, or no longer.
        case nodeGone
    }

    /// What is to be done with the stream.
    enum Action: Equatable {
        case pause, resume
    }

    private enum State {
        /// The first frame has not come.
        case opening(deadline: Int64)
        case running
        /// Another format was agreed upon, in which no frame has come.
        case awaitingFrame(deadline: Int64)
        /// `Action.pause` was returned.
        case pausing(deadline: Int64)
        /// Paused in the midst.
        case paused(deadline: Int64)
        case ended(VideoSourceError)
    }

    /// How long a cast is waited for, in nanoseconds.
    struct Limits: Sendable {
        /// For the first frame. Nobody is asked for anything meanwhile: that was before.
        var opening: Int64
        /// For the end of a pause. A cast pauses for a moment when the format changes, and for ever when its window is closed or its
        /// compositor dies.
        var pause: Int64
        /// For a frame in another format, before the cast is started again; longer each time.
        var newFormat: Int64 = 100_000_000

        static let standard = Limits(opening: 10_000_000_000, pause: 5_000_000_000)
        /// For a cast that takes another's place, and is open when the compositor sends.
        static let continuing = Limits(opening: 5_000_000_000, pause: 5_000_000_000)
    }

    /// How often a cast is started again for one size.
    private static let mostRestarts = 3

    private let limits: Limits
    private var state: State
    /// The size for which the cast was started again, and how often.
    private var restarts: (size: PixelSize, count: Int)?

    init(now: Int64, limits: Limits) {
        self.limits = limits
        state = .opening(deadline: now + limits.opening)
    }

    /// When `advance` has to be called at the latest; nil: no such instant.
    var deadline: Int64? {
        switch state {
        case .opening(let deadline), .awaitingFrame(let deadline), .pausing(let deadline), .paused(let deadline):
            deadline
        case .running, .ended: nil
        }
    }

    /// A frame has come.
    mutating func noteFrame() {
        if case .opening = state { state = .running }
    }

    /// Goes on to `now`, at which the stream is in that state. Throws when the cast has ended, and ever after.
    /// - Parameter awaitedSize: that of a format in which no frame has come yet; nil: the newest format has given one, or there is none.
    mutating func advance(
        _ stream: Stream, awaitedSize: PixelSize? = nil, at now: Int64
    ) throws(VideoSourceError) -> Action? {
        var action: Action?
        switch (state, stream) {
        case (.ended, _): break
        case (.opening, .refused(let reason)): state = .ended(.castRefused(reason))
        case (.opening, .nodeGone), (.opening, .unconnected("")): state = .ended(.castRefused(""))
        case (_, .unconnected("")), (_, .nodeGone): state = .ended(.screenCastClosed)
        case (_, .unconnected(let reason)), (_, .refused(let reason)): state = .ended(.castLost(reason))
        case (.opening(let deadline), _) where now >= deadline:
            state = .ended(.castGaveNoFrame(seconds: Int(limits.opening / 1_000_000_000)))
        case (.running, .paused), (.running, .connecting), (.awaitingFrame, .paused), (.awaitingFrame, .connecting):
            state = .paused(deadline: now + limits.pause)
        case (.pausing, .paused), (.pausing, .connecting):
            state = .paused(deadline: now + limits.pause)
            action = .resume
        case (.paused, .streaming): state = .running
        case (.paused(let deadline), _) where now >= deadline: state = .ended(.castStopped)
        case (.pausing(let deadline), _) where now >= deadline: state = .ended(.castStopped)
        case (.opening, _), (.running, _), (.awaitingFrame, _), (.pausing, _), (.paused, _): break
        }
        if case .ended(let error) = state { throw error }
        return action ?? awaitFrame(ofSize: awaitedSize, at: now)
    }

    /// When a window changes its size, KWin 5.27 agrees upon a new format, but sends no frame in it (PipeWire 0.3.65). It sends frames again
    /// once the stream has been paused and resumed.
    private mutating func awaitFrame(ofSize size: PixelSize?, at now: Int64) -> Action? {
        if size == nil { restarts = nil }
        switch (state, size) {
        case (.awaitingFrame, nil): state = .running
        case (.running, let size?):
            if restarts?.size != size { restarts = (size, 0) }
            guard let count = restarts?.count, count < Self.mostRestarts else { return nil }
            // 1, 4 and 16 times as long.
            state = .awaitingFrame(deadline: now + limits.newFormat << (2 * count))
        case (.awaitingFrame(let deadline), let size?) where now >= deadline:
            restarts = (size, restarts?.size == size ? (restarts?.count ?? 0) + 1 : 1)
            state = .pausing(deadline: now + limits.pause)
            return .pause
        default: break
        }
        return nil
    }
}
