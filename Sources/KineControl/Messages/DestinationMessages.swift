// Messages about the destinations of a take. Each destination has an extension.
import KinePlatform
import KineRelay

/// The phase of a destination.
public enum DestinationPhase: String, Codable, Sendable, CaseIterable {
    /// The process has been started.
    case launching
    /// `broadcastStarted` runs, or has returned and the broadcast does not arrive at its server yet.
    case starting
    case live
    /// It was live, and the broadcast does not arrive now.
    case reconnecting
    case paused
    case finishing
    case ended
    /// A phase of a later version.
    case unknown

    public init(from decoder: any Decoder) throws {
        self = DestinationPhase(rawValue: try String(from: decoder)) ?? .unknown
    }
}

/// The end of a destination.
public enum DestinationEnding: Codable, Sendable, Equatable {
    /// It finished with the take.
    case finished
    /// It ended the broadcast itself; its sentence.
    case failed(String)
    /// Its process ended unexpectedly: "exit status 1", "signal 11" …
    case crashed(String)
    /// It used more memory than its limit; both in bytes.
    case memoryLimitExceeded(peak: Int, limit: Int)
    /// It stopped working: "held a sample for 5 s", "no heartbeat for 30 s", "did not finish within 5 s" …
    case stalled(String)

    /// Decodes an ending of a later version as a failure: only `finished` is a success.
    public init(from decoder: any Decoder) throws {
        let endings = try decoder.container(keyedBy: CodingKeys.self)
        func reason<Key: CodingKey>(_ ending: CodingKeys, _ key: Key) throws -> String {
            try endings.nestedContainer(keyedBy: Key.self, forKey: ending).decode(String.self, forKey: key)
        }
        switch endings.allKeys.count == 1 ? endings.allKeys.first : nil {
        case .finished: self = .finished
        case .failed: self = .failed(try reason(.failed, FailedCodingKeys._0))
        case .crashed: self = .crashed(try reason(.crashed, CrashedCodingKeys._0))
        case .memoryLimitExceeded:
            let bytes = try endings.nestedContainer(
                keyedBy: MemoryLimitExceededCodingKeys.self, forKey: .memoryLimitExceeded)
            self = .memoryLimitExceeded(
                peak: try bytes.decode(Int.self, forKey: .peak), limit: try bytes.decode(Int.self, forKey: .limit))
        case .stalled: self = .stalled(try reason(.stalled, StalledCodingKeys._0))
        case nil: self = .failed("It ended in a way that only a later version of Kinecast knows.")
        }
    }
}

/// An event of a destination.
public struct DestinationEvent: Codable, Sendable, Equatable {
    public enum Kind: Codable, Sendable, Equatable {
        case phase(DestinationPhase)
        /// The address at which the broadcast can be seen.
        case link(String)
        /// A plain address for players.
        case playerLink(String)
        /// The state in the extension's own words.
        case state(String)
        case warning(String)
        /// A line of the extension's log.
        case log(ExtensionLogLine)
        /// The service's information for the app, in place of what was told before.
        case serviceInfo([String: String])
        /// It uses 80 % of its memory limit; both in bytes.
        case memoryWarning(resident: Int, limit: Int)
        /// It is being restarted after this ending.
        case restarting(after: DestinationEnding)
        /// It is over for good.
        case ended(DestinationEnding)
    }

    /// The destination's number: its place in `TakeConfiguration.destinations`, and the next numbers for those added later.
    public var destination: Int
    /// The destination's name for a person: service and address, without secrets.
    public var label: String
    public var kind: Kind

    public init(destination: Int, label: String, kind: Kind) {
        self.destination = destination
        self.label = label
        self.kind = kind
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
    /// A plain address for players; nil if none was asked for.
    public var playerLink: String?
    /// The state in the extension's own words.
    public var state: String?
    /// The service's information for the app; nil: none.
    public var serviceInfo: [String: String]?
    /// The reason why it is not live, in the extension's words.
    public var problem: String?
    public var pid: Int32?
    /// In bytes, as are the two below.
    public var residentMemory = 0
    public var peakMemory = 0
    public var memoryLimit = 0
    public var statistics = ExtensionStatistics()
    /// Seconds since the extension's last heartbeat, or since its start; nil while none runs, and from older engines.
    public var secondsSinceHeartbeat: Double?
    /// The extension's request to the encoder.
    public var encoding = EncodingRequest.none
    /// Frames dropped or replaced by newer ones because the extension was too slow, and those of the time in which it was started again.
    public var framesSkipped = 0
    /// Seconds of audio lost for the same reasons, all streams together.
    public var audioLost: Double = 0
    public var restarts = 0
    /// The layers of confinement that hold for its process.
    public var confinement: Set<Sandbox.Layer>?
    public var ending: DestinationEnding?
    /// A client has removed it from the take, so its ending says nothing about the take's.
    public var isRemoved: Bool {
        get { removed ?? false }
        set { removed = newValue ? true : nil }
    }
    /// Absent where it is false, as in messages of older engines.
    private var removed: Bool?

    private enum CodingKeys: String, CodingKey {
        case destination, service, label, phase, link, playerLink, state, problem, pid, residentMemory, peakMemory
        case memoryLimit, statistics, encoding, restarts, confinement, ending, removed
        case serviceInfo, secondsSinceHeartbeat
        case framesSkipped = "picturesSkipped"
        case audioLost = "soundLost"
    }

    public init(destination: Int, service: String, label: String, phase: DestinationPhase) {
        self.destination = destination
        self.service = service
        self.label = label
        self.phase = phase
    }
}

extension KeyedDecodingContainer {
    /// Leaves out layers of a later version. The synthesized decoding of `DestinationStatus` calls this.
    func decodeIfPresent(_ type: Set<Sandbox.Layer>.Type, forKey key: Key) throws -> Set<Sandbox.Layer>? {
        try decodeIfPresent([String].self, forKey: key).map { Set($0.compactMap(Sandbox.Layer.init)) }
    }
}
