// The times for which an engine waits for its extensions.

/// The times that an extension must keep, in seconds; its manifest has further limits (memory, finishing, restarts). Only tests
/// change them, to recognise a faulty extension sooner.
public struct SupervisionLimits: Codable, Sendable, Equatable {
    /// From the `start` message to the return of `broadcastStarted`.
    public var start = 10.0
    /// Without a heartbeat: two of its periods, so that one may be late.
    public var heartbeat = 30.0
    /// For one sample, unread or held by the handler.
    public var held = 5.0
    /// From the end of a faulty process to the start of the next.
    public var restartDelay = 0.5

    public init() {}
}
