// Where and how a stream is published, as the user sets it.
import KineMedia
import KineRTMP

/// The settings of one destination.
public struct RTMPSettings: Sendable {
    /// A setting that cannot be used. One sentence, without secrets.
    public struct Error: Swift.Error, Equatable, CustomStringConvertible {
        public let description: String
    }

    public var url: RTMPURL
    /// A PEM file with certificates that are trusted beside the system's.
    public var certificateAuthority: String?
    /// What is in that file, where it was read already; nil: it is read by its path.
    public var certificateAuthorityContents: [UInt8]?
    /// Attempts in a row to connect again; nil: for as long as the broadcast runs.
    public var retries: Int?
    /// The least that adaptation may go down to, in bits a second.
    public var minimumBitrate = 400_000

    /// Nothing was acknowledged for so many nanoseconds although something waits: the peer does not read, or is not there.
    var stallDeadline: Int64 = 8_000_000_000
    /// Nanoseconds before the first attempt to connect again.
    var firstDelay = ReconnectPolicy.firstDelay
    /// Nanoseconds that a connection has to be live before it counts as one that lasts.
    var provingTime: Int64 = 3_000_000_000

    /// Finds the server's addresses.
    var resolver: any NameResolver = SystemResolver()
    var times = Dialer.Times()

    public init(url: RTMPURL) { self.url = url }

    /// Reads the setup fields `url`, `ca-file`, `max-reconnects` and `min-bitrate` (bits a second, or with `k` or `M`).
    public init(setupInfo: [String: String]) throws(Error) {
        guard let address = setupInfo["url"] else {
            throw Error(
                description: "No address to publish at is given; give one with --to rtmp://HOST/APPLICATION/STREAM.")
        }
        do {
            url = try RTMPURL(address)
        } catch {
            throw Error(description: error.description)
        }
        // With a slash behind it, a key would pass for an application, which is no secret.
        guard !url.streamName.isEmpty else { throw Error(description: RTMPURL.Error.streamName.description) }
        certificateAuthority = setupInfo["ca-file"]
        if let text = setupInfo["max-reconnects"] {
            guard let number = Int(text), number >= 0 else {
                throw Error(
                    description: "The setting “max-reconnects” is “\(text)”; give a number of attempts, 0 or more.")
            }
            retries = number
        }
        if let text = setupInfo["min-bitrate"] {
            guard let bitrate = Bitrate(text) else {
                throw Error(description: "The setting “min-bitrate” is “\(text)”; give bits a second, such as 500k.")
            }
            minimumBitrate = bitrate.bitsPerSecond
        }
    }
}
