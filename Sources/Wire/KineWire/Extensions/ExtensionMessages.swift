// The messages between an engine and an extension on the extension's control socket, its descriptor 3. Samples go through the
// rings whose descriptors come with `start`.
import KineMedia
import KineRings

/// A message from an engine to an extension.
public enum ExtensionRequest: Codable, ControlMessage, Equatable {
    /// The first message, once. Its descriptors, in order: the memory of the samples, the state page, the pipe that
    /// wakes the extension, and, if `frames` is set, the memory of the uncompressed frames.
    case start(ExtensionStart)
    /// The pause comes after all samples up to that position.
    case pause(after: StreamPosition)
    case resume(after: StreamPosition)
    /// Another application is shown: `broadcastAnnotated(withApplicationInfo:)`.
    case annotate([String: String], after: StreamPosition)
    /// Requests another link: `broadcastLinkRenewalRequested()`. Only if `links` said that it is renewable.
    case renewLink(after: StreamPosition)
    /// The recorded screen was locked or unlocked: `broadcastScreenLocked(_:)`.
    case screenLocked(Bool, after: StreamPosition)
    /// A process of that group requests frames: `FrameSender`. The descriptor is one end of a pair of packet sockets;
    /// that process has the other. Only to extensions whose manifest names the group, and only after `started`.
    case frameReceiver(group: String)
    /// Finish after all samples up to that position, within this many seconds, and end.
    case finish(after: StreamPosition, seconds: Double)
    /// The answer to `ExtensionReport.desktop`, or a person's action on a notification.
    case desktop(DesktopAnswer)
    /// A request of a later version, by its name. Never sent.
    case unknown(String)

    public static func replacement(forUnknown name: String) -> ExtensionRequest? { .unknown(name) }
}

/// The data that an extension needs before its first sample.
public struct ExtensionStart: Codable, Sendable, Equatable {
    /// The service's id.
    public var service: String
    /// The user's settings, including secrets.
    public var setupInfo: [String: String]
    /// The streams. In JSON, their keys are on the same level as the others.
    public var stream: StreamDescription
    /// The extension is ended if its resident memory reaches this many bytes.
    public var memoryLimit: Int
    /// The seconds that `broadcastFinished` may take.
    public var finishSeconds: Double
    /// The containers of the manifest's groups.
    public var groups: [GroupPlace] = []

    public init(
        service: String, setupInfo: [String: String], stream: StreamDescription, memoryLimit: Int,
        finishSeconds: Double = 5
    ) {
        self.service = service
        self.setupInfo = setupInfo
        self.stream = stream
        self.memoryLimit = memoryLimit
        self.finishSeconds = finishSeconds
    }

    private enum CodingKeys: CodingKey {
        case service, setupInfo, memoryLimit, finishSeconds, groups
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        service = try container.decode(String.self, forKey: .service)
        setupInfo = try container.decode([String: String].self, forKey: .setupInfo)
        stream = try StreamDescription(from: decoder)
        memoryLimit = try container.decode(Int.self, forKey: .memoryLimit)
        finishSeconds = try container.decode(Double.self, forKey: .finishSeconds)
        groups = try container.decode([GroupPlace].self, forKey: .groups)
    }

    public func encode(to encoder: any Encoder) throws {
        try stream.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(service, forKey: .service)
        try container.encode(setupInfo, forKey: .setupInfo)
        try container.encode(memoryLimit, forKey: .memoryLimit)
        try container.encode(finishSeconds, forKey: .finishSeconds)
        try container.encode(groups, forKey: .groups)
    }
}

/// A message from an extension to its engine, which skips unknown ones.
public enum ExtensionReport: Codable, ControlMessage, Equatable {
    /// `broadcastStarted` has returned.
    case started
    /// Whether the server receives the broadcast; if not, the reason in one sentence, if known. An extension
    /// that never sends this is live once it has started.
    case live(Bool, reason: String?, code: ProblemCode? = nil)
    /// Sent every 15 seconds, whatever the handler does.
    case heartbeat
    /// Sent once a second if they have changed, and at the end.
    case statistics(ExtensionStatistics)
    /// The addresses of the broadcast.
    case links(BroadcastLinks)
    /// The broadcast's state in a few words: "connected", "reconnecting" …
    case state(String)
    /// One sentence for a person.
    case warning(String, code: ProblemCode? = nil)
    /// A line for the log of the app's developer.
    case log(ExtensionLogLine)
    /// The service's information for the app, which replaces the previous one.
    case serviceInfo([String: String])
    /// Decoding has to start again: the next frame should be a keyframe.
    case needsKeyframe
    /// The limits of the encoder until the next such report.
    case encoding(EncodingRequest)
    /// A request to the desktop.
    case desktop(DesktopRequest)
    /// `finishBroadcastWithError`, or `broadcastStarted` threw; one sentence. The extension ends.
    case failed(String, code: ProblemCode? = nil)
    /// `broadcastFinished` has returned. The extension ends.
    case finished
}

/// The addresses at which a broadcast can be watched.
public struct BroadcastLinks: Codable, Sendable, Equatable {
    public var page: String
    /// A plain address for players.
    public var player: String?
    /// Whether the extension supports `ExtensionRequest.renewLink`.
    public var isRenewable: Bool

    public init(page: String, player: String? = nil, isRenewable: Bool = false) {
        self.page = page
        self.player = player
        self.isRenewable = isRenewable
    }
}

/// The counters of an extension. The engine counts the first four itself; in an extension's report they are 0.
public struct ExtensionStatistics: Codable, Sendable, Equatable {
    /// Frames that the extension has taken, in all of its processes.
    public var frames = 0
    /// Audio samples that the extension has taken.
    public var audioSamples = 0
    /// Bytes of encoded samples that the extension has taken.
    public var bytes = 0
    /// Unread bytes in the sample ring.
    public var queuedBytes = 0
    /// Bytes that the handler has sent to all peers together, as it reports.
    public var sentBytes = 0
    /// Peers that the handler serves, as it reports.
    public var viewers: Int?
    /// The handler's connection, as it reports it.
    public var connection: ConnectionStatistics?

    public init() {}
}

/// The engine's end: reports come in, requests go out; `start` has descriptors.
public typealias SupervisorConnection = ControlConnection<ExtensionReport, ExtensionRequest>
/// The extension's end: requests come in, with descriptors, and reports go out.
public typealias ExtensionConnection = ControlConnection<ExtensionRequest, ExtensionReport>

/// The directory that the members of a group share.
public struct GroupPlace: Codable, Sendable, Equatable {
    public var identifier: String
    /// An absolute path.
    public var path: String

    public init(identifier: String, path: String) {
        self.identifier = identifier
        self.path = path
    }
}

/// The descriptors that an extension starts with besides its control channel: the socket that the engine listens on for
/// it, and the files that its settings name. Their keys are in an environment variable; the first is descriptor 4.
public enum PassedDescriptors {
    /// The keys of their settings, separated by colons.
    public static let variable = "KINECAST_DESCRIPTORS"
    /// The path of the extension's data directory, the only one that it may write to.
    public static let dataVariable = "KINECAST_DATA"
    /// After the three standard descriptors and the control channel.
    public static let first: Int32 = 4
    /// The most descriptors for one extension.
    public static let limit = 16

    public static func entry(_ keys: [String]) -> String { "\(variable)=\(keys.joined(separator: ":"))" }
}
