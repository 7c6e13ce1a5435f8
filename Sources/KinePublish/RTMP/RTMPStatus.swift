// What can be seen of a destination while it runs.
import KineRTMP

/// A moment of a published stream.
public struct RTMPStatus: Sendable, Equatable {
    /// In the words of the destination's phase.
    public enum State: String, Sendable {
        /// The server has not said yes yet, whether this is the first attempt or a later one.
        case starting
        case live
        /// It was live, and its connection is lost; the next is tried in a moment.
        case reconnecting
        case finished
        case failed
    }

    public var state = State.starting
    /// What the server calls itself; nil where it does not.
    public var server: String?
    /// Seconds since this connection is live; 0 while it is not.
    public var uptime = 0.0
    /// Connections after the first that became live.
    public var reconnects = 0
    /// Bytes of samples handed to the connections, headers included.
    public var sentBytes: Int64 = 0
    /// Bits a second that arrive.
    public var bitrate = 0
    /// Milliseconds until what waits now has been sent.
    public var queueMilliseconds = 0
    /// Milliseconds; nil where the system does not tell.
    public var roundTrip: Double?
    /// Pictures that were left out.
    public var droppedPictures = 0
}

/// What a publisher tells, in order, from its event loop's thread.
public enum RTMPEvent: Sendable {
    /// Twice a second while it is live, and whenever the state changes.
    case status(RTMPStatus)
    /// A connection has ended, and another is tried after so many seconds.
    case interrupted(PublishFailure, retryAfter: Double)
    /// It is over, without having been asked for. The last event.
    case failed(PublishFailure)
    /// What the encoder is to aim at from now on; nil: what the user chose.
    case target(BitrateController.Target?)
}
