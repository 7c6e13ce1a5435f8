// The reports of a running publisher.
import KineRTMP

/// A published stream at one moment.
public struct RTMPStatus: Sendable, Equatable {
    /// Named as the phases of a destination are.
    public enum State: String, Sendable {
        /// No server has accepted the stream yet, in the first attempt or a later one.
        case starting
        case live
        /// The stream was live, and its connection is lost; another attempt follows.
        case reconnecting
        case finished
        case failed
    }

    public var state = State.starting
    /// The server's name for itself; nil if it gives none.
    public var server: String?
    /// Seconds for which the current connection has been live; 0 while none is.
    public var uptime = 0.0
    /// Connections after the first that became live.
    public var reconnects = 0
    /// Bytes of samples handed to the connections, headers included.
    public var sentBytes = 0
    /// Bits a second that the server receives.
    public var bitrate = 0
    /// Milliseconds until everything that waits now has been sent.
    public var queueMilliseconds = 0
    /// Milliseconds; nil if the system does not tell.
    public var roundTrip: Double?
    public var droppedFrames = 0
}

/// A publisher's report. Reports come in order, from its event loop's thread.
public enum RTMPEvent: Sendable {
    /// Twice a second while it is live, and whenever the state changes.
    case status(RTMPStatus)
    /// A connection has ended; the next attempt follows after `retryAfter` seconds.
    case interrupted(PublishFailure, retryAfter: Double)
    /// The stream ended although nobody called `finish`. The last event.
    case failed(PublishFailure)
    /// The target to encode with from now on; nil: as the user chose.
    case target(BitrateController.Target?)
    /// At most twice a second.
    case keyframeNeeded
}
