// Decides when a screen cast is open, has ended, or must be started again: ending or crashing compositors report
// nothing, and PipeWire only a pause. Pure, without a clock; `PipeWireSource` carries out the actions.
import KineCapture

/// The life of one cast. Instants are nanoseconds of CLOCK_MONOTONIC.
struct CastStateMachine {
    /// The state of the stream in PipeWire.
    enum Stream: Equatable {
        case connecting
        /// No frames are sent for now.
        case paused
        case streaming
        /// The connection with PipeWire has gone. The library's message; empty: only the node has gone.
        case unconnected(String)
        /// PipeWire or the session manager has refused; its message.
        case refused(String)
        /// The session manager finds no such node, or no longer.
        case nodeGone
    }

    /// An action on the stream.
    enum Action: Equatable {
        case pause, resume
    }

    private enum State {
        /// Before the first frame.
        case opening(deadline: Int64)
        case running
        /// `AwaitedFrame` has not come.
        case awaitingFrame(deadline: Int64)
        /// `Action.pause` was returned.
        case pausing(deadline: Int64)
        /// Paused after the first frame.
        case paused(deadline: Int64)
        case ended(VideoSourceError)
    }

    /// Nanoseconds to wait for a cast.
    struct Limits: Sendable {
        /// For the first frame. No person is asked in this time: that was before.
        var opening: Int64
        /// For the end of a pause. A cast pauses briefly when the format changes, and forever when its window is closed
        /// or its compositor dies.
        var pause: Int64
        /// For an `AwaitedFrame`, before the cast is started again; increases each time.
        var newFormat: Int64 = 100_000_000

        static let standard = Limits(opening: 10_000_000_000, pause: 5_000_000_000)
        /// For a cast that replaces another, and is open once the compositor sends.
        static let continuing = Limits(opening: 5_000_000_000, pause: 5_000_000_000)
    }

    private static let mostRestarts = 3

    private let limits: Limits
    private var state: State
    /// The frame for which the cast was started again, and the number of restarts.
    private var restarts: (awaited: AwaitedFrame, count: Int)?

    init(now: Int64, limits: Limits) {
        self.limits = limits
        state = .opening(deadline: now + limits.opening)
    }

    /// The latest instant to call `advance`, if any.
    var deadline: Int64? {
        switch state {
        case .opening(let deadline), .awaitingFrame(let deadline), .pausing(let deadline), .paused(let deadline):
            deadline
        case .running, .ended: nil
        }
    }

    mutating func noteFrame() {
        if case .opening = state { state = .running }
    }

    /// Advances to `now`, with this state of the stream. Throws when the cast has ended, and in each later call.
    /// - Parameter awaited: nil: the newest frame is correct, or the first one has not come.
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

    /// Compositors send a frame after the stream was paused and resumed.
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
