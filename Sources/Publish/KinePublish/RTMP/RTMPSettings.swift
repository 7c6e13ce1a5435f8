// The settings with which a stream is published, read from the setup info.
import KineMedia
import KineRTMP

/// The settings of one destination.
public struct RTMPSettings: Sendable {
    /// A setting that cannot be used.
    public enum Error: Swift.Error, Equatable, CustomStringConvertible {
        case noAddress
        case address(RTMPURL.Error)
        case retries(String)
        case minimumBitrate(String)

        /// A sentence for a person, without secrets.
        public var description: String {
            switch self {
            case .noAddress: "No address to publish at is given; give one, such as rtmp://HOST/APPLICATION/STREAM."
            case .address(let error): error.description
            case .retries(let text): "The setting “max-reconnects” is “\(text)”; give a number of attempts, 0 or more."
            case .minimumBitrate(let text): "The setting “min-bitrate” is “\(text)”; give bits a second, such as 500k."
            }
        }
    }

    public var url: RTMPURL
    /// A PEM file with certificates that are trusted beside the system's.
    public var certificateAuthority: String?
    /// The contents of `certificateAuthority` if it was read already; nil: it is read by its path.
    public var certificateAuthorityContents: [UInt8]?
    /// The limit of attempts in a row to connect again; nil: they go on for as long as the broadcast runs.
    public var retries: Int?
    /// Bits a second below which adaptation to a slow network does not go.
    public var minimumBitrate = 400_000

    /// Nanoseconds without an acknowledgement, while something waits, after which the connection is lost.
    var stallDeadline: Int64 = 8_000_000_000
    /// Nanoseconds before the first attempt to connect again.
    var firstDelay = ReconnectPolicy.firstDelay
    /// Nanoseconds that a connection has to be live before it counts as one that lasts.
    var provingTime: Int64 = 3_000_000_000

    var resolver: any NameResolver = SystemResolver()
    var times = Dialer.Times()

    /// Reads the setup fields `url`, `ca-file`, `max-reconnects` and `min-bitrate` (bits a second, or with `k` or `M`).
    public init(setupInfo: [String: String]) throws(Error) {
        guard let address = setupInfo["url"] else { throw .noAddress }
        do {
            url = try RTMPURL(address)
        } catch {
            throw .address(error)
        }
        // With a slash behind it, the key would be read as part of the application, which is no secret.
        guard !url.streamName.isEmpty || url.hasOnePart else { throw .address(.streamName) }
        certificateAuthority = setupInfo["ca-file"]
        if let text = setupInfo["max-reconnects"] {
            guard let number = Int(text), number >= 0 else { throw .retries(text) }
            retries = number
        }
        if let text = setupInfo["min-bitrate"] {
            guard let bitrate = Bitrate(text) else { throw .minimumBitrate(text) }
            minimumBitrate = bitrate.bitsPerSecond
        }
    }
}

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
