// The requests of a client to an engine. A new request gets three lines in this file, its answer in
// `EngineHost.answer`, and its call by `AskedTake.ask` or `EngineSession.send`.
import KineMedia

/// A message from a client to an engine.
public struct ClientMessage: Codable, ControlMessage, Equatable {
    /// The client's number for the request, which the answer repeats; 0 if the client ignores the answer.
    public var id: Int
    /// Nil: a request or a value that this version does not know.
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

    /// A message of a client with another form of messages, whose request is refused.
    public static func replacement(forUnknown name: String) -> ClientMessage? { ClientMessage(id: 0, nil) }
}

/// A request to an engine. Each is answered once by its number, with `EngineReply.done` unless stated otherwise, or
/// refused; `start` and `stop` are answered by events.
public enum ClientRequest: Codable, Sendable, Equatable {
    /// Begins the take: `EngineEvent.started` or `failed` follows. Only the client that started the engine sends this,
    /// once, as its first message. `required`: the settings that must not be ignored; see `TakeConfiguration.required(confinement:)`.
    /// `confinement`: of the take's extensions.
    case start(TakeConfiguration, required: [String] = [], confinement: ConfinementRequest = ConfinementRequest())
    /// Answered by `EngineReply.status`.
    case status
    /// Also done if the take is already paused.
    case pause
    case resume
    /// Ends the take and finishes the file: `EngineEvent.finished` or `failed` follows. `immediately` skips moving the
    /// index.
    case stop(immediately: Bool)
    /// Tells the extensions what is being shown: `broadcastAnnotated(withApplicationInfo:)`.
    case annotate([String: String])
    /// Renews the links of the destinations that support it. Answered by `EngineReply.status` with the new links.
    case renewLinks
    /// Requests the owner's events for a client that attached later. Answered by `EngineReply.status`; then come
    /// `started`, at once if the take runs, `paused` if it is paused, and progress once a second if `progress` is set.
    case follow(progress: Bool)
    /// Turns recording of the microphone on or off.
    case setMicrophone(on: Bool)
    /// Turns recording of the audio that is played on or off.
    case setAppAudio(on: Bool)
    /// Records the audio of the output of this name instead of another output's.
    case setAppAudioOutput(String)
    /// Begins or ends `EngineEvent.audioLevels` for this client, without the levels that it may not have when it asks.
    case showAudioLevels(Bool)
    /// Switches to another source, fitted into the take's size.
    case switchSource(TakeConfiguration.Source)
    /// Shows this camera over the picture; nil: none.
    case setCamera(TakeConfiguration.Camera?)
    /// Requests samples of the take, one feed at a time. `EngineEvent.samples` follow.
    case receiveSamples(SampleRequest)
    /// Ends the feed of samples.
    case endSamples
    /// Connects this client with the extensions of a group: the running ones, and each one that starts later. A second
    /// request reconnects it with the running ones. `EngineEvent.frames` follow.
    case receiveFrames(FrameRequest)
    /// Adds a destination. Answered by `EngineReply.destinationAdded`.
    case addDestination(TakeConfiguration.Destination)
    /// Ends the broadcast to the destination with this number. Answered by `EngineReply.destinationRemoved` when it has
    /// ended.
    case removeDestination(Int)
    /// Writes the last seconds of the take to a file. Answered by `EngineReply.clip` when it is written.
    case exportClip(ClipRequest)
    /// Begins a chapter of the recording, in a pause where it continues; nil: `Chapter` and its number. Refused unless the
    /// take records to a file, and for a title with a `Chapter.problem(ofTitle:)`. Answered by `EngineReply.marked`.
    case mark(title: String?)
    /// Notes in the recording's input track that the pointer is at this pixel of the recorded screen now, and with `isClick` a press and a
    /// release of its left button. Refused if the place is not in the picture, in a pause, and without such a track. For tests of programs,
    /// which move no pointer.
    case notePointer(x: Int, y: Int, isClick: Bool)
    /// Reports that the program of a `CommandWindow` runs as this process. Only the client that started the engine
    /// sends this, once, after `EngineEvent.commandNeeded`.
    case commandStarted(process: Int32)
    /// The person's answer to `EngineEvent.permissionQuestion`; nil: no answer, or they cannot be asked. Valid while
    /// the question is open, from the client that started the engine.
    case permissionAnswer(Bool?)
    /// Begins or ends `EngineEvent.permissionAsked` for a client in whose windows a person can answer. Only for the
    /// `kinecast` and the studio of the engine's installation.
    case showPermissionQuestions(Bool)
    /// The person's answer in such a window to the question of that number; nil: they closed it. Only for the same
    /// programs.
    case answerPermission(question: Int, isAllowed: Bool?)

    /// The permissions that a program needs for this request, if the take captures these kinds.
    public func disclosed(of captured: CapturedKinds) -> Set<PermissionKind> {
        switch self {
        // Only from the take's owner.
        case .start, .commandStarted, .permissionAnswer: []
        // Only from the person's own programs.
        case .showPermissionQuestions, .answerPermission: []
        // Answered without links: `EngineReply.withoutLinks`.
        case .status, .follow: []
        case .pause, .resume, .stop, .annotate, .removeDestination, .endSamples, .mark, .notePointer: []
        case .setMicrophone(let isOn): isOn ? [.microphone] : []
        case .setAppAudio(let isOn): isOn ? captured.now.intersection([.screen]) : []
        // Answered with the levels that the program may have: `AudioLevels.without`.
        case .showAudioLevels: []
        case .setAppAudioOutput: captured.now.intersection([.screen])
        case .setCamera(let camera): camera?.showsPerson == true ? [.camera] : []
        case .switchSource: captured.now.intersection([.screen])
        case .receiveSamples(let request): request.disclosed(of: captured.now)
        case .receiveFrames, .addDestination, .renewLinks: captured.now
        case .exportClip: captured.ever
        }
    }

    /// Whether an engine accepts the request from a client with another protocol number.
    public var isFrozen: Bool {
        switch self {
        case .status, .stop: true
        default: false
        }
    }
}

extension TakeConfiguration {
    /// The settings that an engine must not ignore, and whether this take has them. An engine that does not know one
    /// could record what the person wants hidden. A later setting of that kind gets its line here.
    private func essentials(_ confinement: ConfinementRequest) -> KeyValuePairs<String, Bool> {
        [
            "excludedWindows": !video.excludedWindows.isEmpty, "isMicrophoneOff": audio.isMicrophoneOff,
            "isOutputPrivate": isOutputPrivate, "confinement": confinement.isRequired,
            "whenLocked": whenLocked == .pause,
        ]
    }

    /// For `ClientRequest.start`: the names of this take's settings that an engine must know.
    public func required(confinement: ConfinementRequest = ConfinementRequest()) -> [String] {
        essentials(confinement).filter(\.value).map(\.key)
    }

    /// The names among a client's `required` that this version does not know.
    public func unknown(among required: [String]) -> [String] {
        required.filter { name in !essentials(ConfinementRequest()).contains { $0.key == name } }
    }
}
