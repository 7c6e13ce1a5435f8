// The messages between an engine and an extension on the extension's control socket, its descriptor 3. Samples go through the
// rings whose descriptors come with `start`.
import KineMedia
import KineRings

/// From an engine to an extension.
public enum ExtensionRequest: Codable, ControlMessage, Equatable {
    /// The first message, once. Its descriptors, in this order: the memory of the samples, the state page, the pipe that wakes
    /// the extension, and, if `frames` is set, the memory of the uncompressed frames.
    case start(ExtensionStart)
    /// After everything up to that position.
    case pause(after: StreamPosition)
    case resume(after: StreamPosition)
    /// Another application is shown: `broadcastAnnotated(withApplicationInfo:)`.
    case annotate([String: String], after: StreamPosition)
    /// The link is to be replaced: `broadcastLinkRenewalRequested()`. Only if `links` said that it can be.
    case renewLink(after: StreamPosition)
    /// The screen that is shown was locked or unlocked: `broadcastScreenLocked(_:)`. Extensions older than this message skip it.
    case screenLocked(Bool, after: StreamPosition)
    /// A process of that group wants frames: `FrameSender`. The descriptor is one end of a pair of packet sockets; the other end
    /// has that process. Only to extensions whose manifest names the group, and not before `started`.
    case frameReceiver(group: String)
    /// After everything up to that position, finish within so many seconds and end.
    case finish(after: StreamPosition, seconds: Double)
    /// The answer to `ExtensionReport.desktop`, or what the person has done with a notification.
    case desktop(DesktopAnswer)
    /// One of a later version, by its name. Never sent.
    case unknown(String)

    public static func replacement(forUnknown name: String) -> ExtensionRequest? { .unknown(name) }
}

/// Everything an extension has to know before its first sample.
public struct ExtensionStart: Codable, Sendable, Equatable {
    /// The service's id.
    public var service: String
    /// The user's settings, secrets among them.
    public var setupInfo: [String: String]
    /// The streams. Their keys are beside the others in JSON.
    public var stream: StreamDescription
    /// Bytes of resident memory at which the extension is ended.
    public var memoryLimit: Int
    /// Seconds that `broadcastFinished` may take.
    public var finishSeconds: Double
    /// The engine understands `ExtensionReport.live`. Nil from one that is older than that message.
    public var understandsLive: Bool? = true
    /// The containers of the groups that the manifest names. Nil from an engine that is older than groups.
    public var groups: [GroupPlace]?
    /// The engine understands `ExtensionReport.desktop`. Nil from one that is older than that message.
    public var understandsDesktop: Bool? = true

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
        case service, setupInfo, memoryLimit, finishSeconds, understandsLive, groups, understandsDesktop
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        service = try container.decode(String.self, forKey: .service)
        setupInfo = try container.decode([String: String].self, forKey: .setupInfo)
        stream = try StreamDescription(from: decoder)
        memoryLimit = try container.decode(Int.self, forKey: .memoryLimit)
        finishSeconds = try container.decode(Double.self, forKey: .finishSeconds)
        understandsLive = try container.decodeIfPresent(Bool.self, forKey: .understandsLive)
        groups = try container.decodeIfPresent([GroupPlace].self, forKey: .groups)
        understandsDesktop = try container.decodeIfPresent(Bool.self, forKey: .understandsDesktop)
    }

    public func encode(to encoder: any Encoder) throws {
        try stream.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(service, forKey: .service)
        try container.encode(setupInfo, forKey: .setupInfo)
        try container.encode(memoryLimit, forKey: .memoryLimit)
        try container.encode(finishSeconds, forKey: .finishSeconds)
        try container.encodeIfPresent(understandsLive, forKey: .understandsLive)
        try container.encodeIfPresent(groups, forKey: .groups)
        try container.encodeIfPresent(understandsDesktop, forKey: .understandsDesktop)
    }
}

/// From an extension to its engine, which skips those that it does not know.
public enum ExtensionReport: Codable, ControlMessage, Equatable {
    /// `broadcastStarted` has returned.
    case started
    /// Whether the broadcast arrives at its destination; if not, the reason in one sentence, if it is known. Only if `start`
    /// said that the engine understands it. An extension that never sends it is live once it has started.
    case live(Bool, reason: String?)
    /// Every 15 seconds, whatever the handler does.
    case heartbeat
    /// Once a second where they have changed, and at the end.
    case statistics(ExtensionStatistics)
    /// The address of the broadcast's page.
    case link(String)
    /// The same, with more details.
    case links(BroadcastLinks)
    /// A few words on the broadcast's state: "connected", "reconnecting" …
    case state(String)
    /// One sentence that a person should read.
    case warning(String)
    /// A line for the log of the app's developer.
    case log(ExtensionLogLine)
    /// The service's information for the app, in place of what was told before.
    case serviceInfo([String: String])
    /// Decoding has to begin anew: the next frame should be a keyframe.
    case needsKeyframe
    /// The limits of the encoder from now on, until the next of these. Only if `start` said that the encoder is adjustable.
    case encoding(EncodingRequest)
    /// Something to be done on the desktop. Only if `start` said that the engine understands it.
    case desktop(DesktopRequest)
    /// `finishBroadcastWithError`, or `broadcastStarted` threw; one sentence. The extension ends.
    case failed(String)
    /// `broadcastFinished` has returned. The extension ends.
    case finished
}

/// The addresses at which a broadcast can be seen.
public struct BroadcastLinks: Codable, Sendable, Equatable {
    public var page: String
    /// A plain address for players.
    public var player: String?
    /// The extension understands `ExtensionRequest.renewLink`.
    public var isRenewable: Bool

    public init(page: String, player: String? = nil, isRenewable: Bool = false) {
        self.page = page
        self.player = player
        self.isRenewable = isRenewable
    }
}

/// The counters of an extension. The engine counts the first four itself; in an extension's report they are 0.
public struct ExtensionStatistics: Codable, Sendable, Equatable {
    /// Frames that it has taken, in all of its processes.
    public var frames = 0
    /// Audio samples that it has taken.
    public var audioSamples = 0
    /// Bytes of encoded samples that it has taken.
    public var bytes = 0
    /// Bytes that wait in the sample ring.
    public var queuedBytes = 0
    /// Bytes that the handler says it has sent, to all peers together.
    public var sentBytes = 0
    /// Peers that the handler says it serves.
    public var viewers: Int?
    /// The handler's connection, as it reports it.
    public var connection: ConnectionStatistics?

    private enum CodingKeys: String, CodingKey {
        case frames = "pictures"
        case audioSamples = "sounds"
        case bytes, queuedBytes, sentBytes, viewers, connection
    }

    public init() {}
}

/// The engine's end: reports come in, requests go out, `start` with its descriptors.
public typealias SupervisorConnection = ControlConnection<ExtensionReport, ExtensionRequest>
/// The extension's end: requests come in, with descriptors, and reports go out.
public typealias ExtensionConnection = ControlConnection<ExtensionRequest, ExtensionReport>

/// The directory that the members of a group share.
public struct GroupPlace: Codable, Sendable, Equatable {
    public var identifier: String
    /// Absolute.
    public var path: String

    public init(identifier: String, path: String) {
        self.identifier = identifier
        self.path = path
    }
}

/// Their keys are in a variable of the extension's environment; the first is descriptor 4.
///
/// The descriptors that an extension starts with beside its control channel: the socket that the engine listens on for it, and the
/// files that its settings name.
public enum PassedDescriptors {
    /// Holds the keys of their settings, separated by colons.
    public static let variable = "KINECAST_DESCRIPTORS"
    /// Names the extension's own directory, the only one that it may write to.
    public static let dataVariable = "KINECAST_DATA"
    /// Behind the three standard ones and the control channel.
    public static let first: Int32 = 4
    /// The most that one extension gets.
    public static let limit = 16

    public static func entry(_ keys: [String]) -> String { "\(variable)=\(keys.joined(separator: ":"))" }
}
