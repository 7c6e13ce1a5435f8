// The messages of an engine to its clients: answers to their requests, and events.
import FoundationEssentials
import KineMedia
import KinePlatform

/// A message from an engine to a client, which skips unknown ones. In JSON: `{"id":3,"reply":…}`,
/// `{"id":3,"refusal":…}`, or an event's object, which has no id.
public enum EngineMessage: Codable, ControlMessage, Equatable {
    /// `id`: the request's number.
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
    case marked(Chapter)

    /// The answer to a program that may not see what the take captures.
    ///
    /// - Parameter reason: why links and words are omitted, for `TakeStatus.withheld`.
    func withoutLinks(_ reason: String) -> EngineReply {
        switch self {
        case .done, .destinationAdded, .destinationRemoved, .clip, .marked: return self
        case .status(var status):
            let progress = status.progress.withoutLinks
            if progress != status.progress { status.withheld = reason }
            (status.progress, status.sourceName) = (progress, nil)
            return .status(status)
        }
    }
}

/// The reason why a request was not carried out. The take goes on.
public struct Refusal: Error, Codable, Sendable, Equatable {
    /// The kind of a refusal. Its name never changes, so logs and programs can rely on it.
    public enum Code: String, Codable, Sendable, CaseIterable {
        /// The request is not possible now, or something required is missing. Codes of later versions are also decoded
        /// as this.
        case unavailable
        /// The program needs a person's permission.
        case notPermitted
        /// The request is invalid: a path that is not absolute, a value out of range …
        case invalidRequest
        /// Client and engine are of different versions.
        case otherVersion
        /// No destination of the take runs.
        case noDestination
        /// The take has no clip buffer.
        case notBuffering
        /// Another clip of this take is being written.
        case exportInProgress
        /// There is nothing to put into a clip, or it cannot be written now.
        case noClip
        /// The file cannot be created there, or exists already.
        case cannotCreate
        /// The disk is full or failed. No file is left.
        case storageFailed

        public init(from decoder: any Decoder) throws {
            self = Code(rawValue: try String(from: decoder)) ?? .unavailable
        }

        /// The command's exit status, as in docs/exit-statuses.
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
    /// The sentence's own code, if it has one.
    public var problem: ProblemCode?
    /// An alternative for the person.
    public var alternative: Alternative?

    public init(_ code: Code, _ message: String, problem: ProblemCode? = nil, alternative: Alternative? = nil) {
        self.code = code
        self.message = message
        self.problem = problem
        self.alternative = alternative
    }
}

/// An event of a take.
public enum EngineEvent: Codable, Sendable, Equatable {
    /// The take runs: its first frame has been captured. Sent to the client that started it, and to those that follow.
    case started(TakeStarted)
    /// The take waits for a window of a program: start the program now with these `NAME=value` in its environment. Sent
    /// to the client that started the engine; `started` follows when the window exists.
    case commandNeeded(environment: [String])
    /// Sent once a second, if the client requested it and has read the previous one.
    case progress(TakeProgress)
    case paused
    case resumed
    /// The microphone was turned on or off.
    case microphone(on: Bool)
    /// The audio that is played was turned on or off.
    case appAudio(on: Bool)
    /// The audio of the output of this name is recorded from now on, instead of another output's.
    case appAudioOutput(String)
    /// The levels of the audio as it is recorded: 0 in a pause and of a source that is off, nil of a source that the take does not have.
    /// Sent after a change to clients that requested it and have read the previous message, ten times a second at most; less often in a
    /// take that fetches audio in large pieces.
    case audioLevels(AudioLevels)
    /// The take now shows this source; `name` as in `TakeStatus.sourceName`.
    case sourceSwitched(TakeConfiguration.Source, name: String? = nil)
    /// This camera is now shown over the picture, while it gives frames; nil: none.
    case camera(TakeConfiguration.Camera?)
    /// The camera's own frames have this size in pixels, from the first one on.
    case cameraShown(PixelSize)
    /// The recorded screen was locked or unlocked. `paused` or `resumed` follows if the take pauses meanwhile;
    /// otherwise it shows a card while the screen is locked.
    case screenLocked(Bool)
    /// An application plays on an output which the take does not record, while the recorded output is silent.
    /// A `warning` with the sentence comes before.
    case audioUnrecorded(UnrecordedAudio)
    /// The source stands still, and the take shows its last picture; nil: the source works again.
    case sourceInterrupted(SourceInterruption?)
    /// A question for the person at the client's terminal whether the app may capture; one sentence. Sent only to a
    /// client that can ask.
    case permissionQuestion(String)
    /// The open question to the person; nil: none is open. Sent to clients that show questions. Nil is also sent to the
    /// client that was sent `permissionQuestion`, when the person has answered elsewhere.
    case permissionAsked(PermissionInquiry?)
    /// One sentence for a person about a problem; the take goes on.
    case warning(String, code: ProblemCode? = nil)
    /// An event of one of the destinations; the take goes on.
    case destination(DestinationEvent)
    /// Sent to a client that requested samples.
    case samples(SampleFeedMessage)
    /// Sent to a client that requested frames.
    case frames(FrameFeedMessage)
    /// The engine closes the connection with this client; the take goes on without it.
    case dismissed(Refusal)
    /// The take is over and the file finished. The last message.
    case finished(TakeSummary)
    /// The take could not begin, or ended early; with a summary if something was recorded. The last message.
    case failed(TakeFailure)

    /// The event for a program that may not see what the take captures; nil if nothing of it remains.
    var withoutLinks: EngineEvent? {
        switch self {
        case .progress(let progress): return .progress(progress.withoutLinks)
        case .destination(var event):
            event.status = event.status?.withoutLinks
            switch event.kind {
            case .link, .playerLink, .state, .log, .serviceInfo: return nil
            case .phase, .warning, .memoryWarning, .restarting, .ended: return .destination(event)
            }
        case .started(var take):
            take.sourceName = nil
            return .started(take)
        case .sourceSwitched(let source, _): return .sourceSwitched(source)
        case .finished(var summary):
            summary.progress = summary.progress.withoutLinks
            return .finished(summary)
        case .failed(var failure):
            if let progress = failure.summary?.progress { failure.summary?.progress = progress.withoutLinks }
            return .failed(failure)
        // Clients get the levels of each kind by `AudioLevels.without` instead.
        case .audioLevels: return nil
        case .commandNeeded, .paused, .resumed, .microphone, .appAudio, .appAudioOutput, .camera, .cameraShown,
            .screenLocked, .sourceInterrupted, .audioUnrecorded, .permissionQuestion, .permissionAsked, .warning,
            .samples, .frames, .dismissed:
            return self
        }
    }
}

/// A take that has begun. `output` is nil without a recording, and `TakeConfiguration.standardOutput` if it is written
/// to that; the same below.
public struct TakeStarted: Codable, Sendable, Equatable {
    public var id: String
    public var output: String?
    /// The path of the file, if there is one.
    public var file: String? { output == TakeConfiguration.standardOutput ? nil : output }
    /// As in `TakeStatus`.
    public var sourceName: String?
    /// The frame size in pixels.
    public var size: PixelSize
    /// `NAME=value` for a COMMAND to appear on the private screen; empty without one.
    public var environment: [String]
    /// The highest bitrate for the destinations in bits a second; nil: no limit.
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

/// An alternative for a person after a failure. Each client describes it in its own words, the command line by its
/// option.
public enum Alternative: String, Codable, Sendable, CaseIterable {
    case replaceFile, recordVirtualScreen, recordSilently, giveRegion, chooseWindow, nameWindow
}

extension KeyedDecodingContainer {
    /// Omits an alternative of a later version. The synthesized decoding of failures and refusals calls this.
    func decodeIfPresent(_ type: Alternative.Type, forKey key: Key) throws -> Alternative? {
        try decodeIfPresent(String.self, forKey: key).flatMap { Alternative(rawValue: $0) }
    }
}

/// The client's end: engine messages come in, requests go out.
public typealias ClientConnection = ControlConnection<EngineMessage, ClientMessage>
/// The engine's end: requests come in, engine messages go out.
public typealias EngineConnection = ControlConnection<ClientMessage, EngineMessage>

extension ControlConnection<EngineMessage, ClientMessage> {
    /// Sends a request like `send`. The answer repeats `id`, which is 0 if the client ignores the answer.
    public func send(_ request: ClientRequest, id: Int = 0) throws(ControlError) {
        try send(ClientMessage(id: id, request))
    }
}

extension ControlConnection<ClientMessage, EngineMessage> {
    /// Whether the client's messages have the meaning defined here. Otherwise only the promises of `ControlProtocol`
    /// hold.
    public var isSameProtocol: Bool { peerHello?.protocolNumber == ControlProtocol.number }
}

extension TakeStatus {
    /// Changes the status as an event reports it. The time of `progress` stays: a follower counts it by its own clock.
    package mutating func apply(_ event: EngineEvent) {
        switch event {
        case .started(let take):
            (output, sourceName) = (take.output, take.sourceName ?? sourceName)
            if phase == .starting { phase = .recording }
        case .paused: phase = .paused
        case .resumed: phase = .recording
        case .microphone(let isOn): isMicrophoneOn = isOn
        case .appAudio(let isOn): isAppAudioOn = isOn
        case .appAudioOutput: unrecordedAudio = nil
        case .audioUnrecorded(let audio): unrecordedAudio = audio
        case .camera(let camera): self.camera = camera
        case .cameraShown(let size): cameraSize = size
        case .sourceSwitched(let source, let name):
            (self.source, sourceName) = (source.description, name ?? source.name)
            (interruption, interruptedSince) = (nil, nil)
        case .sourceInterrupted(let reason):
            (interruption, interruptedSince) = (reason, reason.map { _ in Date().timeIntervalSince1970 })
        case .destination(let event):
            guard let status = event.status else { return }
            destinations.removeAll { $0.destination == status.destination }
            destinations.append(status)
            destinations.sort { $0.destination < $1.destination }
        case .finished(let summary): end(with: summary)
        case .failed(let failure): end(with: failure.summary)
        default: break
        }
    }

    private mutating func end(with summary: TakeSummary?) {
        (phase, output) = (.ended, summary?.output)
        (unrecordedAudio, interruption, interruptedSince) = (nil, nil, nil)
    }
}

extension EngineEvent {
    /// The name in JSON of the audio that was turned on or off, and whether it is on.
    package var audioSwitch: (name: String, isOn: Bool)? {
        switch self {
        case .microphone(let isOn): ("microphone", isOn)
        case .appAudio(let isOn): ("appAudio", isOn)
        default: nil
        }
    }
}
