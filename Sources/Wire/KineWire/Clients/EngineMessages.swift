// What an engine tells its clients: answers to their requests, and events.
import KineMedia
import KinePlatform

/// From an engine to a client, which skips what it does not know. In JSON, `{"id":3,"reply":…}`,
/// `{"id":3,"refusal":…}`, or an event's own object, which has no id.
public enum EngineMessage: Codable, ControlMessage, Equatable {
    /// `id`: the request's.
    case answer(id: Int, Result<EngineReply, Refusal>)
    case event(EngineEvent)

    private enum CodingKeys: CodingKey { case id, reply, refusal }

    public init(from decoder: any Decoder) throws {
        let keys = try decoder.container(keyedBy: CodingKeys.self)
        guard let id = try keys.decodeIfPresent(Int.self, forKey: .id) else {
            self = .event(try EngineEvent(from: decoder))
            return
        }
        if let refusal = try keys.decodeIfPresent(Refusal.self, forKey: .refusal) {
            self = .answer(id: id, .failure(refusal))
        } else {
            self = .answer(id: id, .success(try keys.decode(EngineReply.self, forKey: .reply)))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .event(let event): try event.encode(to: encoder)
        case .answer(let id, let result):
            var keys = encoder.container(keyedBy: CodingKeys.self)
            try keys.encode(id, forKey: .id)
            switch result {
            case .success(let reply): try keys.encode(reply, forKey: .reply)
            case .failure(let refusal): try keys.encode(refusal, forKey: .refusal)
            }
        }
    }

    public static var protocolNumber: Int? { ControlProtocol.number }
}

/// The result of a request that was carried out.
public enum EngineReply: Codable, Sendable, Equatable {
    case done
    case status(TakeStatus)
    /// The number of the new destination, whose events follow.
    case destinationAdded(Int)
    case destinationRemoved(DestinationEnding)
    case clip(ExportedClip)
}

/// The reason why a request was not carried out. The take goes on.
public struct Refusal: Error, Codable, Sendable, Equatable {
    /// The kind of a refusal. Its name stays as it is, for logs and programs.
    public enum Code: String, Codable, Sendable, CaseIterable {
        /// It is not possible now, or something that is needed is missing. What a later version adds is read as this,
        /// too.
        case unavailable
        /// The program may not do it without a person's permission.
        case notPermitted
        /// The request makes no sense: a path that is not absolute, a value out of range …
        case invalidRequest
        /// Client and engine are of different versions.
        case otherVersion
        /// No destination of the take runs.
        case noDestination
        /// The take has no clip buffer.
        case notBuffering
        /// A clip of this take is being written.
        case exportInProgress
        /// There is nothing that a clip could show, or no way to write one now.
        case noClip
        /// The file cannot be made there, or it exists.
        case cannotCreate
        /// The disk is full or failed. Nothing is left of the file.
        case storageFailed

        public init(from decoder: any Decoder) throws {
            self = Code(rawValue: try String(from: decoder)) ?? .unavailable
        }

        /// The command's, as in docs/exit-statuses.
        public var exitStatus: Int32 {
            switch self {
            case .invalidRequest: ExitStatus.usage
            case .notPermitted: ExitStatus.noPermission
            case .cannotCreate: ExitStatus.cannotCreate
            case .storageFailed: ExitStatus.storageFailed
            case .unavailable, .otherVersion, .noDestination, .notBuffering, .exportInProgress, .noClip:
                ExitStatus.unavailable
            }
        }
    }

    public var code: Code
    /// One sentence: what happened, on what, and what to do.
    public var message: String
    /// Another thing that the person can do.
    public var alternative: Alternative?

    public init(_ code: Code, _ message: String, alternative: Alternative? = nil) {
        self.code = code
        self.message = message
        self.alternative = alternative
    }
}

/// Something that happened to a take.
public enum EngineEvent: Codable, Sendable, Equatable {
    /// The take runs: its first frame has been captured. To the client that started it, and to those that follow.
    case started(TakeStarted)
    /// The take waits for a window of a program, which is to be started now, with these `NAME=value` in its
    /// environment. To the client that started the engine; `started` follows when the window is there.
    case commandNeeded(environment: [String])
    /// Once a second, if the client asked for it, and takes the one before.
    case progress(TakeProgress)
    case paused
    case resumed
    /// The microphone is recorded from now on, or no more.
    case microphone(on: Bool)
    /// The take shows this source from now on; as `TakeStatus.source`.
    case sourceSwitched(TakeConfiguration.Source)
    /// That camera is shown over the picture from now on, while it gives frames; nil: none.
    case camera(TakeConfiguration.Camera?)
    /// The screen that the take shows was locked or unlocked. `paused` or `resumed` follows where the take pauses
    /// meanwhile; otherwise it shows a card while the screen is locked.
    case screenLocked(Bool)
    /// Asks the person at the client's terminal whether the app may capture; one sentence. Only to a client that
    /// said it can.
    case permissionQuestion(String)
    /// One sentence for a person about a problem; the take goes on.
    case warning(String)
    /// Something happened to one of the destinations; the take goes on.
    case destination(DestinationEvent)
    /// To a client that asked for samples.
    case samples(SampleFeedMessage)
    /// To a client that asked for frames.
    case frames(FrameFeedMessage)
    /// The engine closes the connection with this client, and the take goes on without it.
    case dismissed(Refusal)
    /// The take is over and the file finished. The last message.
    case finished(TakeSummary)
    /// The take could not begin, or ended early; with a summary if something was recorded. The last message.
    case failed(TakeFailure)
}

/// A take that has begun, and the environment in which a COMMAND appears on a private screen. `output` is nil without a
/// recording, and `TakeConfiguration.standardOutput` where that is written to; here and below.
public struct TakeStarted: Codable, Sendable, Equatable {
    public var id: String
    public var output: String?
    /// The path of its file; nil: there is none.
    public var file: String? { output == TakeConfiguration.standardOutput ? nil : output }
    /// The frame in pixels.
    public var size: PixelSize
    /// `NAME=value` for a COMMAND on a private screen; empty without one.
    public var environment: [String]
    /// The most bits a second for the destinations; nil: no limit.
    public var maximumBitrate: Int?

    public init(
        id: String, output: String?, size: PixelSize, environment: [String], maximumBitrate: Int? = nil
    ) {
        self.id = id
        self.output = output
        self.size = size
        self.environment = environment
        self.maximumBitrate = maximumBitrate
    }
}

/// Another thing that a person can do where something failed. Each client says it in its own words, the command line by
/// its option.
public enum Alternative: String, Codable, Sendable, CaseIterable {
    case replaceFile, recordVirtualScreen, recordSilently, giveRegion, chooseWindow, nameWindow
}

extension KeyedDecodingContainer {
    /// Leaves out one of a later version. The synthesized decoding of failures and refusals calls this.
    func decodeIfPresent(_ type: Alternative.Type, forKey key: Key) throws -> Alternative? {
        try decodeIfPresent(String.self, forKey: key).flatMap { Alternative(rawValue: $0) }
    }
}

/// The client's end: engine messages come in, requests go out.
public typealias ClientConnection = ControlConnection<EngineMessage, ClientMessage>
/// The engine's end: requests come in, engine messages go out.
public typealias EngineConnection = ControlConnection<ClientMessage, EngineMessage>

extension ControlConnection<EngineMessage, ClientMessage> {
    /// Sends a request as `send` does. The answer repeats `id`, which is 0 where the client does not wait for one.
    public func send(_ request: ClientRequest, id: Int = 0) throws(ControlError) {
        try send(ClientMessage(id: id, request))
    }
}

extension ControlConnection<ClientMessage, EngineMessage> {
    /// Whether the client's messages have the meaning that they have here. Otherwise it may have what `ControlProtocol`
    /// promises.
    public var isSameProtocol: Bool { peerHello?.protocolNumber == ControlProtocol.number }
}
