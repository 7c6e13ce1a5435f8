// Judges whether the broadcast reaches its destination, by what all of an extension's processes have said in one take. Pure.
import KineControl

/// An extension that never says so is live from the moment its `broadcastStarted` has returned.
struct Liveness: Sendable, Equatable {
    /// What the process that runs now has said; nil: nothing.
    private var said: Bool?
    private var hasStarted = false
    /// The destination was live at some moment of this take.
    private(set) var hasBeenLive = false
    /// Why it is not live, in the extension's words.
    private(set) var problem: String?

    /// Another process begins.
    mutating func processLaunched() { (said, hasStarted) = (nil, false) }

    /// `broadcastStarted` has returned.
    mutating func started() {
        hasStarted = true
        note()
    }

    /// Without a reason the one that is known stands.
    mutating func heard(isLive: Bool, reason: String?) {
        said = isLive
        problem = isLive ? nil : reason ?? problem
        note()
    }

    private var isLive: Bool { hasStarted && said ?? true }

    private mutating func note() { if isLive { hasBeenLive = true } }

    /// Of a destination that runs and is not paused.
    var phase: DestinationPhase { isLive ? .live : hasBeenLive ? .reconnecting : .starting }

    /// Of a destination that ended with its take, without a fault of its process.
    var ending: DestinationEnding {
        if hasBeenLive { return .finished }
        return .failed(
            problem.map { "It was never live; the last reason: \($0)" }
                ?? "It was never live: the take ended before the broadcast had begun there.")
    }
}
