// The settings with which a stream is published, read from the setup info.
import KineMedia
import KineRTMP
import KineText

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
    /// A PEM file with certificates to trust in addition to the system's.
    public var certificateAuthority: String?
    /// The contents of `certificateAuthority`; nil: it is read from its path.
    public var certificateAuthorityContents: [UInt8]?
    /// The most attempts in a row to reconnect; nil: no limit while the broadcast runs.
    public var retries: Int?
    /// The lowest bitrate of the adaptation to a slow network, in bits a second.
    public var minimumBitrate = 400_000

    /// Nanoseconds without an acknowledgement of waiting data after which the connection counts as lost.
    var stallDeadline: Int64 = 8_000_000_000
    /// Nanoseconds before the first attempt to reconnect.
    var firstDelay = ReconnectPolicy.firstDelay
    /// Nanoseconds for which a connection must be live before it counts as lasting.
    var provingTime: Int64 = 3_000_000_000

    var resolver: any NameResolver = SystemResolver()
    var times = Dialer.Times()

    /// Reads the setup fields `url`, or else `server` and `key`; `ca-file`, `max-reconnects` and `min-bitrate` (bits a
    /// second, or with `k` or `M`).
    public init(setupInfo: [String: String]) throws(Error) {
        let server = setupInfo["server"].map { DestinationAddress.text(server: $0, key: setupInfo["key"] ?? "") }
        guard let address = setupInfo["url"].flatMap({ $0.isEmpty ? nil : $0 }) ?? server else { throw .noAddress }
        do {
            url = try RTMPURL(address)
        } catch {
            throw .address(error)
        }
        // With a slash after it, the key would be read as part of the application, which is not secret.
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

/// A published stream at one moment. It is live once the server has acknowledged the first keyframe and is still there half
/// a second later.
public typealias RTMPStatus = PublisherStatus

/// A publisher's report. Reports come in order, on its event loop's thread.
public enum RTMPEvent: Sendable {
    /// Sent twice a second while it is live, when the state changes, and when a server accepts the stream.
    case status(RTMPStatus)
    /// A connection has ended; the next attempt follows after `retryAfter` seconds.
    case interrupted(PublishFailure, retryAfter: Double)
    /// The stream ended without a call of `finish`. The last event.
    case failed(PublishFailure)
    /// The target to encode with from now on; nil: the user's choice.
    case target(BitrateController.Target?)
    /// Sent at most twice a second.
    case keyframeNeeded
}
