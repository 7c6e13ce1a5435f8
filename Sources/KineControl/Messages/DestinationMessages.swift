// What a client learns of the destinations of a take: one for each extension.
import KinePlatform
import KineRelay

/// How far a destination is.
public enum DestinationPhase: String, Codable, Sendable, CaseIterable {
    /// The process has been started.
    case launching
    /// `broadcastStarted` runs, or has returned and the broadcast does not arrive yet.
    case starting
    case live
    /// It was live, and does not arrive now.
    case reconnecting
    case paused
    case finishing
    case ended
}

/// Why a destination is over: five different things, so that a client can tell them apart.
public enum DestinationEnding: Codable, Sendable, Equatable {
    /// It finished with the take.
    case finished
    /// It ended the broadcast itself; its sentence.
    case failed(String)
    /// Its process ended when it should not have: "exit status 1", "signal 11" …
    case crashed(String)
    /// It used more memory than it may; bytes.
    case memoryLimitExceeded(peak: Int64, limit: Int64)
    /// It stopped working: "held a sample for 5 s", "no heartbeat for 30 s", "did not finish within 5 s" …
    case stalled(String)
}

/// Something happened to a destination.
public struct DestinationEvent: Codable, Sendable, Equatable {
    public enum Kind: Codable, Sendable, Equatable {
        case phase(DestinationPhase)
        /// Where the broadcast can be seen.
        case link(String)
        /// A plain address for players.
        case playerLink(String)
        /// The extension's own words on where it stands.
        case state(String)
        case warning(String)
        /// 80 % of the memory it may use; bytes.
        case memoryWarning(resident: Int64, limit: Int64)
        /// It is started again after this.
        case restarting(after: DestinationEnding)
        /// It is over for good.
        case ended(DestinationEnding)
    }

    /// The destination's place in `TakeConfiguration.destinations`.
    public var destination: Int
    /// How the destination is shown to a person: service and address, without secrets.
    public var label: String
    public var kind: Kind

    public init(destination: Int, label: String, kind: Kind) {
        self.destination = destination
        self.label = label
        self.kind = kind
    }
}

/// Where a destination stands, for `kinecast status`, `--json` and the last summary.
public struct DestinationStatus: Codable, Sendable, Equatable {
    public var destination: Int
    /// The service's id.
    public var service: String
    public var label: String
    public var phase: DestinationPhase
    public var link: String?
    /// A plain address for players; nil where none was asked for.
    public var playerLink: String?
    /// The extension's own words.
    public var state: String?
    /// Why it is not live, in the extension's words.
    public var problem: String?
    public var pid: Int32?
    /// Bytes.
    public var residentMemory: Int64 = 0
    public var peakMemory: Int64 = 0
    public var memoryLimit: Int64 = 0
    public var statistics = ExtensionStatistics()
    /// What it asks of the encoder.
    public var encoding = EncodingRequest.none
    /// Pictures that the extension was too slow for, and that were left out or replaced by newer ones.
    public var picturesSkipped: Int64 = 0
    /// Seconds of sound lost because the extension was too slow.
    public var soundLost: Double = 0
    public var restarts = 0
    /// The layers of confinement that hold for its process.
    public var confinement: Set<Sandbox.Layer>?
    public var ending: DestinationEnding?

    public init(destination: Int, service: String, label: String, phase: DestinationPhase) {
        self.destination = destination
        self.service = service
        self.label = label
        self.phase = phase
    }
}
