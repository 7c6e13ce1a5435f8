// Messages about the destinations of a take. Each destination has an extension.
import KineMedia
import KinePlatform

/// The phase of a destination.
public enum DestinationPhase: String, Codable, Sendable, CaseIterable {
    /// The process has been started.
    case launching
    /// `broadcastStarted` runs, or has returned and the server does not receive the broadcast yet.
    case starting
    case live
    /// The destination was live, and the server does not receive the broadcast now.
    case reconnecting
    case paused
    case finishing
    case ended
}

/// How far the link of a destination leads that serves at this machine.
public enum LinkReach: String, Codable, Sendable, CaseIterable {
    /// To this machine alone.
    case computer
    /// To the machines of its networks.
    case network
    /// As far as the name, the proxy or the tunnel in front of it.
    case `public`
}

/// The end of a destination.
public enum DestinationEnding: Codable, Sendable, Equatable {
    /// The destination finished with the take.
    case finished
    /// The extension ended the broadcast; its sentence.
    case failed(String)
    /// The process ended unexpectedly: "exit status 1", "signal 11" …
    case crashed(String)
    /// The process used more memory than its limit; both in bytes.
    case memoryLimitExceeded(peak: Int, limit: Int)
    /// The extension stopped working: "held a sample for 5 s", "no heartbeat for 30 s", "did not finish within 5 s" …
    case stalled(String)
}

extension DestinationEnding {
    /// In JSON.
    public var name: String {
        switch self {
        case .finished: "finished"
        case .failed: "failed"
        case .crashed: "crashed"
        case .memoryLimitExceeded: "memoryLimitExceeded"
        case .stalled: "stalled"
        }
    }

    /// The words of those endings that have some.
    public var message: String? {
        switch self {
        case .finished, .memoryLimitExceeded: nil
        case .failed(let text), .crashed(let text), .stalled(let text): text
        }
    }
}

/// An event of a destination.
public struct DestinationEvent: Codable, Sendable, Equatable {
    public enum Kind: Codable, Sendable, Equatable {
        case phase(DestinationPhase)
        /// The address at which the broadcast can be watched.
        case link(String)
        /// A plain address for players.
        case playerLink(String)
        /// The state in the extension's words.
        case state(String)
        case warning(String)
        /// A line of the extension's log.
        case log(ExtensionLogLine)
        /// The service's information for the app, which replaces the previous one.
        case serviceInfo([String: String])
        /// The extension uses 80 % of its memory limit; both in bytes.
        case memoryWarning(resident: Int, limit: Int)
        /// The extension is being restarted after this ending.
        case restarting(after: DestinationEnding)
        /// The destination has ended for good.
        case ended(DestinationEnding)
    }

    /// The destination's number: its place in `TakeConfiguration.destinations`; added ones get the next numbers.
    public var destination: Int
    /// The destination's name for a person: service and address, without secrets.
    public var label: String
    public var kind: Kind
    /// The code of a warning's sentence, if it has one.
    public var code: ProblemCode?
    /// The destination after this event; nil for a line of its log, which changes nothing.
    public var status: DestinationStatus?

    public init(
        destination: Int, label: String, kind: Kind, code: ProblemCode? = nil, status: DestinationStatus? = nil
    ) {
        self.destination = destination
        self.label = label
        self.kind = kind
        self.code = code
        self.status = status
    }
}

/// The state of a destination, for `kinecast status`, `--json` and the last summary.
public struct DestinationStatus: Codable, Sendable, Equatable {
    public var destination: Int
    /// The service's id.
    public var service: String
    public var label: String
    public var phase: DestinationPhase
    public var link: String?
    /// Nil: it does not serve at this machine.
    public var reach: LinkReach?
    /// A plain address for players; nil if none was requested.
    public var playerLink: String?
    /// The state in the extension's words.
    public var state: String?
    /// The service's information for the app, if there is any.
    public var serviceInfo: [String: String]?
    /// The reason why the destination is not live, in the extension's words.
    public var problem: String?
    /// The code of `problem`, or of why it failed.
    public var code: ProblemCode?
    public var pid: Int32?
    /// In bytes, like the next two.
    public var residentMemory = 0
    public var peakMemory = 0
    public var memoryLimit = 0
    public var statistics = ExtensionStatistics()
    /// Seconds since the extension's last heartbeat, or since its start; nil while none runs.
    public var secondsSinceHeartbeat: Double?
    /// The extension's request to the encoder.
    public var encoding = EncodingRequest.none
    /// Frames dropped or replaced by newer ones because the extension was too slow or was being restarted.
    public var framesSkipped = 0
    /// Seconds of audio lost for the same reasons, all streams together.
    public var audioLost: Double = 0
    public var restarts = 0
    /// The layers of confinement in effect for its process.
    public var confinement: Set<Sandbox.Layer>?
    public var ending: DestinationEnding?
    /// Whether a client has removed it from the take; its ending then does not affect the take's.
    public var isRemoved = false

    public init(destination: Int, service: String, label: String, phase: DestinationPhase) {
        self.destination = destination
        self.service = service
        self.label = label
        self.phase = phase
    }
}

extension KeyedDecodingContainer {
    /// Omits layers of a later version. The synthesized decoding of `DestinationStatus` calls this.
    func decodeIfPresent(_ type: Set<Sandbox.Layer>.Type, forKey key: Key) throws -> Set<Sandbox.Layer>? {
        try decodeIfPresent([String].self, forKey: key).map { Set($0.compactMap(Sandbox.Layer.init)) }
    }
}
