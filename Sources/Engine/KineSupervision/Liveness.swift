// Decides whether a destination is live, from the reports of all processes of an extension in one take. Pure.
import KineMedia
import KineWire

/// An extension that never reports liveness counts as live once its `broadcastStarted` has returned.
struct Liveness: Sendable, Equatable {
    /// The last report of the current process, if any.
    private var said: Bool?
    private var hasStarted = false
    /// The destination was live at some moment of this take.
    private(set) var hasBeenLive = false
    /// A client has removed the destination from the take.
    var isRemoved = false
    /// The reason why it is not live, from the extension.
    private(set) var problem: String?
    /// The code of `problem`, if it has one.
    private(set) var code: ProblemCode?

    mutating func processLaunched() { (said, hasStarted) = (nil, false) }

    mutating func started() {
        hasStarted = true
        note()
    }

    /// A report without a reason keeps the previous reason.
    mutating func update(isLive: Bool, reason: String?, code: ProblemCode? = nil) {
        said = isLive
        if isLive || reason != nil { (problem, self.code) = isLive ? (nil, nil) : (reason, code) }
        note()
    }

    private var isLive: Bool { hasStarted && said ?? true }

    private mutating func note() { if isLive { hasBeenLive = true } }

    /// The phase of a destination that runs and is not paused.
    var phase: DestinationPhase { isLive ? .live : hasBeenLive ? .reconnecting : .starting }

    /// The ending of a destination that ended with the take and without a fault.
    var ending: DestinationEnding {
        if hasBeenLive { return .finished }
        return .failed(
            problem.map { "It was never live; the last reason: \($0)" }
                ?? (isRemoved
                    ? "It was never live: it was removed before the broadcast had begun there."
                    : "It was never live: the take ended before the broadcast had begun there."))
    }
}
