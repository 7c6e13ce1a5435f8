// What a client asks of an engine. A new request gets three lines in this file, its answer in `EngineHost.answer`, and
// a method of `EngineSession` or a command.
import KineMedia

/// From a client to an engine.
public struct ClientMessage: Codable, ControlMessage, Equatable {
    /// The client's own number for the request, which the answer repeats; 0 where the client does not wait for one.
    public var id: Int
    /// Nil: one that this version does not know, or that has a value which it does not know.
    public var request: ClientRequest?

    public init(id: Int, _ request: ClientRequest?) {
        self.id = id
        self.request = request
    }

    public init(from decoder: any Decoder) throws {
        let keys = try decoder.container(keyedBy: CodingKeys.self)
        id = try keys.decode(Int.self, forKey: .id)
        request = try? keys.decode(ClientRequest.self, forKey: .request)
    }

    public static var protocolNumber: Int? { ControlProtocol.number }

    /// The message of a client that is older than numbers of requests.
    public static func replacement(forUnknown name: String) -> ClientMessage? { ClientMessage(id: 0, nil) }
}

/// A request to an engine. Each is answered once by its number, with `EngineReply.done` unless it says otherwise, or
/// refused; `start` and `stop` are answered by events.
public enum ClientRequest: Codable, Sendable, Equatable {
    /// Begins the take: `EngineEvent.started` or `failed` follows. Only the client that started the engine sends it,
    /// once, as its first message. `required`: the settings that must not be ignored, see `TakeConfiguration.required`.
    case start(TakeConfiguration, required: [String] = [])
    /// Answered by `EngineReply.status`.
    case status
    /// Done where the take is paused already.
    case pause
    case resume
    /// Ends the take and finishes the file: `EngineEvent.finished` or `failed` follows. `immediately` skips moving the
    /// index.
    case stop(immediately: Bool)
    /// Tells the extensions what is being shown: `broadcastAnnotated(withApplicationInfo:)`.
    case annotate([String: String])
    /// Renews the links of the destinations that can do so. Answered by `EngineReply.status`, which has them.
    case renewLinks
    /// From a client that came later and wants the owner's events. Answered by `EngineReply.status`; then `started`
    /// comes, at once where the take runs, `paused` where it is, and progress once a second if `progress` is set.
    case follow(progress: Bool)
    /// Records the microphone from now on, or no more.
    case setMicrophone(on: Bool)
    /// Shows another source from now on, fitted into the take's size.
    case switchSource(TakeConfiguration.Source)
    /// Shows that camera over the picture from now on; nil: none.
    case setCamera(TakeConfiguration.Camera?)
    /// Sends samples of the take to this client, one feed at a time. `EngineEvent.samples` follow.
    case receiveSamples(SampleRequest)
    /// The samples are not wanted any more.
    case endSamples
    /// Connects this client with the extensions of a group: with those that run, and with each one that starts later. A
    /// second request connects it again with those that run. `EngineEvent.frames` follow.
    case receiveFrames(FrameRequest)
    /// Begins to broadcast to a further destination. Answered by `EngineReply.destinationAdded`.
    case addDestination(TakeConfiguration.Destination)
    /// Finishes the broadcast to the destination of that number. Answered by `EngineReply.destinationRemoved` when it
    /// has ended.
    case removeDestination(Int)
    /// Writes the last seconds of the take to a file. Answered by `EngineReply.clip` when it is written.
    case exportClip(ClipRequest)
    /// The program of a `CommandWindow` runs as this process. Only the client that started the engine sends it, once,
    /// after `EngineEvent.commandNeeded`.
    case commandStarted(process: Int32)
    /// The person's answer to `EngineEvent.permissionQuestion`; nil: they gave none, or cannot be asked. It counts
    /// while that question is open, from the client that started the engine.
    case permissionAnswer(Bool?)

    /// The permissions that a program needs for this request, where the take captures these kinds.
    public func disclosed(of captured: CapturedKinds) -> Set<PermissionKind> {
        switch self {
        // From the take's owner alone.
        case .start, .commandStarted, .permissionAnswer: []
        // Answered without links: `EngineReply.withoutLinks`.
        case .status, .follow: []
        case .pause, .resume, .stop, .annotate, .removeDestination, .endSamples: []
        case .setMicrophone(let isOn): isOn ? [.microphone] : []
        case .setCamera(let camera): camera?.showsPerson == true ? [.camera] : []
        case .switchSource: captured.now.intersection([.screen])
        case .receiveSamples(let request): request.disclosed(of: captured.now)
        case .receiveFrames, .addDestination, .renewLinks: captured.now
        case .exportClip: captured.ever
        }
    }

    /// Whether an engine carries it out for a client of another protocol number.
    public var isFrozen: Bool {
        switch self {
        case .status, .stop: true
        default: false
        }
    }
}

extension TakeConfiguration {
    /// The settings that an engine must not ignore, each with whether this take has it. An engine that does not know one of
    /// them could record what the person wants hidden. A later setting of that kind gets its line here.
    private var essentials: KeyValuePairs<String, Bool> {
        [
            "excludedWindows": !video.excludedWindows.isEmpty, "isMicrophoneOff": audio.isMicrophoneOff,
            "isOutputPrivate": isOutputPrivate, "confinement": confinement.isRequired,
            "whenLocked": whenLocked == .pause,
        ]
    }

    /// For `ClientRequest.start`: the names of the settings of this take that an engine has to know.
    public var required: [String] { essentials.filter(\.value).map(\.key) }

    /// The names among a client's `required` that this version does not know.
    public func unknown(among required: [String]) -> [String] {
        required.filter { name in !essentials.contains { $0.key == name } }
    }
}
