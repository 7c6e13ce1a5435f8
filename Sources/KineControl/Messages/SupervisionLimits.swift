// How much patience an engine has with its extensions.

/// The times that an extension must keep, in seconds. What its manifest says (memory, finishing, restarts) is not here.
///
/// Nothing but a test has a reason to change them: a faulty extension is then known for one sooner.
public struct SupervisionLimits: Codable, Sendable, Equatable {
    /// From the `start` message until `broadcastStarted` has returned.
    public var start = 10.0
    /// Without a heartbeat: two of its periods.
    public var heartbeat = 30.0
    /// That one sample may be held, or may wait unread.
    public var held = 5.0
    /// From the end of a faulty process to the start of the next.
    public var restartDelay = 0.5

    public init() {}
}
