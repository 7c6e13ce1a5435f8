// Decides when a screen cast is open, when it has ended, and when it has to be started again: compositors that end or crash say nothing, and
// PipeWire only that the cast pauses. Pure, without a clock; `PipeWireSource` tells it what happens and does what it says.
import KineCapture
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
        /// `AwaitedFrame` has not come.
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
        /// For an `AwaitedFrame`, before the cast is started again; longer each time.
        var newFormat: Int64 = 100_000_000

        static let standard = Limits(opening: 10_000_000_000, pause: 5_000_000_000)
        /// For a cast that takes another's place, and is open when the compositor sends.
        static let continuing = Limits(opening: 5_000_000_000, pause: 5_000_000_000)
    }

    /// How often a cast is started again for one frame.
    private static let mostRestarts = 3

    private let limits: Limits
    private var state: State
    /// The frame for which the cast was started again, and how often.
    private var restarts: (awaited: AwaitedFrame, count: Int)?

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
    /// - Parameter awaited: nil: the newest frame is right, or the first has not come.
    mutating func advance(
        _ stream: Stream, awaiting awaited: AwaitedFrame? = nil, at now: Int64
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
        return action ?? waitFor(awaited, at: now)
    }

    /// Compositors send a frame once the stream has been paused and resumed.
    private mutating func waitFor(_ awaited: AwaitedFrame?, at now: Int64) -> Action? {
        let hasChanged = restarts?.awaited != awaited
        if hasChanged { restarts = awaited.map { ($0, 0) } }
        switch (state, awaited) {
        case (.awaitingFrame, nil): state = .running
        case (.running, _?): state = wait(at: now)
        // Frames come while the size changes.
        case (.awaitingFrame, .secondOfSize) where hasChanged: state = wait(at: now)
        case (.awaitingFrame(let deadline), _?) where now >= deadline:
            restarts?.count += 1
            state = .pausing(deadline: now + limits.pause)
            return .pause
        default: break
        }
        return nil
    }

    private func wait(at now: Int64) -> State {
        guard let count = restarts?.count, count < Self.mostRestarts else { return .running }
        // 1, 4 and 16 times as long.
        return .awaitingFrame(deadline: now + limits.newFormat << (2 * count))
    }
}
