// Decides when a screen cast is open, and when it has ended: compositors that end or crash say nothing, and PipeWire only that the cast
// pauses. Pure, without a clock; `PipeWireSource` tells it what happens.

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

    private enum State {
        /// The first frame has not come.
        case opening(deadline: Int64)
        case running
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

        static let standard = Limits(opening: 10_000_000_000, pause: 5_000_000_000)
        /// For a cast that takes another's place, and is open when the compositor sends.
        static let continuing = Limits(opening: 5_000_000_000, pause: 5_000_000_000)
    }

    private let limits: Limits
    private var state: State

    init(now: Int64, limits: Limits) {
        self.limits = limits
        state = .opening(deadline: now + limits.opening)
    }

    /// When `advance` has to be called at the latest; nil: no such instant.
    var deadline: Int64? {
        switch state {
        case .opening(let deadline), .paused(let deadline): deadline
        case .running, .ended: nil
        }
    }

    /// A frame has come.
    mutating func noteFrame() {
        if case .opening = state { state = .running }
    }

    /// Goes on to `now`, at which the stream is in that state. Throws when the cast has ended, and ever after.
    mutating func advance(_ stream: Stream, at now: Int64) throws(VideoSourceError) {
        switch (state, stream) {
        case (.ended, _): break
        case (.opening, .refused(let reason)): state = .ended(.castRefused(reason))
        case (.opening, .nodeGone), (.opening, .unconnected("")): state = .ended(.castRefused(""))
        case (_, .unconnected("")), (_, .nodeGone): state = .ended(.screenCastClosed)
        case (_, .unconnected(let reason)), (_, .refused(let reason)): state = .ended(.castLost(reason))
        case (.opening(let deadline), _) where now >= deadline:
            state = .ended(.castGaveNoFrame(seconds: Int(limits.opening / 1_000_000_000)))
        case (.running, .paused), (.running, .connecting): state = .paused(deadline: now + limits.pause)
        case (.paused, .streaming): state = .running
        case (.paused(let deadline), _) where now >= deadline: state = .ended(.castStopped)
        case (.opening, _), (.running, _), (.paused, _): break
        }
        if case .ended(let error) = state { throw error }
    }
}
