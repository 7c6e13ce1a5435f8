// The messages between a client and an engine on the control socket. Each is one JSON object behind a length.
import KineMedia
import KineRelay

/// From a client to an engine.
public enum ClientMessage: Codable, ControlMessage, Equatable {
    /// Begins the take. Only the client that started the engine sends it, once, as its first message.
    case start(TakeConfiguration)
    /// Asks for one `EngineMessage.status`.
    case status
    case pause
    case resume
    /// Ends the take and finishes the file. `immediately` skips moving the index.
    case stop(immediately: Bool)
    /// Tells the extensions what is being shown: `broadcastAnnotated(withApplicationInfo:)`.
    case annotate([String: String])
    /// Renews the links of the destinations that can do so; the new links come as `EngineMessage.destination`.
    case renewLinks
    /// From a client that came later, which is to be told what the owner is told. Answered by `EngineMessage.status`; then `started`
    /// comes, at once where the take runs, `paused` where it is, and progress once a second if `progress` is set.
    case follow(progress: Bool)
    /// Records the microphone from now on, or no more. Answered by `EngineMessage.microphone`.
    case setMicrophone(on: Bool)
    /// Shows another source from now on, fitted into the take's size. Answered by `EngineMessage.sourceSwitched`.
    case switchSource(TakeConfiguration.Source)
    /// Shows that camera over the picture from now on; nil: none. Answered by `EngineMessage.camera`.
    case setCamera(TakeConfiguration.Camera?)
    /// Has samples of the take sent to this client, one feed at a time. Answered by `EngineMessage.samples`.
    case receiveSamples(SampleRequest)
    /// The samples are not wanted any more.
    case endSamples
    /// Connects this client with the extensions of a group: with those that run, and with each one that starts later. A second request
    /// connects it again with those that run. Answered by `EngineMessage.frames`.
    case receiveFrames(FrameRequest)
    /// Begins to broadcast to a further destination. Answered by `EngineMessage.destinationAdded` with the same reference.
    case addDestination(TakeConfiguration.Destination, reference: Int)
    /// Finishes the broadcast to the destination of that number. Its event `ended` follows.
    case removeDestination(Int)
    /// Writes the last seconds of the take to a file. Answered by `EngineMessage.clip`, to this client alone.
    case exportClip(ClipRequest)
    /// The program of a `CommandWindow` runs as this process. Only the client that started the engine sends it, once, after
    /// `EngineMessage.commandNeeded`.
    case commandStarted(process: Int32)
    /// The person's answer to `EngineMessage.permissionQuestion`; nil: they gave none, or cannot be asked. It counts while that question
    /// is open, from the client that started the engine.
    case permissionAnswer(Bool?)
    /// A request of a later version, by its name, to be refused. Never sent.
    case unknown(String)

    public static func replacement(forUnknown name: String) -> ClientMessage? { .unknown(name) }
}

/// From an engine to its clients, which skip messages that they do not know.
public enum EngineMessage: Codable, ControlMessage, Equatable {
    /// The take runs: its first frame has been captured. To the client that started it, and to those that follow.
    case started(TakeStarted)
    /// The take waits for a window of a program, which is to be started now, with these `NAME=value` in its environment. To the client
    /// that started the engine; `started` follows when the window is there.
    case commandNeeded(environment: [String])
    /// The answer to `status`.
    case status(TakeStatus)
    /// Once a second, if the client asked for it.
    case progress(TakeProgress)
    case paused
    case resumed
    /// The microphone is recorded from now on, or no more.
    case microphone(on: Bool)
    /// The take shows this source from now on; as `TakeStatus.source`.
    case sourceSwitched(TakeConfiguration.Source)
    /// That camera is shown over the picture from now on, while it gives frames; nil: none.
    case camera(TakeConfiguration.Camera?)
    /// The screen that the take shows was locked or unlocked. `paused` or `resumed` follows where the take pauses meanwhile; otherwise
    /// it shows a card while the screen is locked.
    case screenLocked(Bool)
    /// Has the person at the client's terminal asked whether the app may capture; one sentence. Only to a client that said it can.
    case permissionQuestion(String)
    /// One sentence for a person about a problem; the take goes on.
    case warning(String)
    /// Something happened to one of the destinations; the take goes on.
    case destination(DestinationEvent)
    /// To the client that added it: the number of the new destination, whose events follow.
    case destinationAdded(Int, reference: Int)
    /// To a client that asked for samples.
    case samples(SampleFeedMessage)
    /// To a client that asked for frames.
    case frames(FrameFeedMessage)
    /// A clip that this client asked for was written, or could not be.
    case clip(ClipAnswer)
    /// The take is over and the file finished. The last message.
    case finished(TakeSummary)
    /// The take could not begin, or ended early; with a summary if something was recorded. The last message.
    case failed(TakeFailure)
    /// A request that could not be carried out; the take goes on. Engines of earlier versions do not say which one: it is the oldest that
    /// waits.
    case refused(String, request: RequestReference?)
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

public enum TakePhase: String, Codable, Sendable {
    case starting, recording, paused, finishing, ended
    /// A phase of a later version.
    case unknown

    public init(from decoder: any Decoder) throws {
        self = TakePhase(rawValue: try String(from: decoder)) ?? .unknown
    }
}

/// The progress of a take.
public struct TakeProgress: Codable, Sendable, Equatable {
    /// Recorded time without pauses.
    public var duration = MediaTime.zero
    /// Bytes of the file so far.
    public var bytes: Int64 = 0
    /// Frames encoded.
    public var framesDrawn = 0
    /// Frames not encoded because nothing had changed.
    public var framesUnchanged = 0
    /// Frames lost because something behind the capture was too slow.
    public var framesDropped = 0

    public init() {}
}

public struct TakeStatus: Codable, Sendable, Equatable {
    public var id: String
    public var phase: TakePhase
    public var output: String?
    public var source: String
    public var progress: TakeProgress
    public var destinations: [DestinationStatus] = []
    /// The camera over the picture; nil: none, and from older engines.
    public var camera: TakeConfiguration.Camera?
    /// The reason why the links and words of destinations are left out, one sentence; nil: they are not.
    public var withheld: String?
    /// The rules for windows that are to be hidden which no window matches now.
    public var unmatchedExclusions: [TakeConfiguration.WindowRule] {
        get { unmatched ?? [] }
        set { unmatched = newValue.isEmpty ? nil : newValue }
    }
    /// Absent where there are none, as in messages of older engines.
    private var unmatched: [TakeConfiguration.WindowRule]?

    public init(id: String, phase: TakePhase, output: String?, source: String, progress: TakeProgress) {
        self.id = id
        self.phase = phase
        self.output = output
        self.source = source
        self.progress = progress
    }
}

public struct TakeSummary: Codable, Sendable, Equatable {
    public var output: String?
    public var size: PixelSize
    public var progress: TakeProgress
    /// The reason for its end: "stopped", "duration reached", "window closed" …
    public var reason: String
    public var destinations: [DestinationStatus] = []
    /// The person at the screen has stopped it, at the desktop's indicator. Nil where nobody did, and from older engines.
    public var stoppedAtDesktop: Bool?
    /// True where the take ended because its source did, such as a closed window; `reason` names it. Nil otherwise, and from older engines.
    public var sourceEnded: Bool?

    public init(output: String?, size: PixelSize, progress: TakeProgress, reason: String) {
        self.output = output
        self.size = size
        self.progress = progress
        self.reason = reason
    }
}

public struct TakeFailure: Codable, Sendable, Equatable, Error {
    /// The command's exit status, as in docs/exit-statuses: 69, 73, 74, 77 …
    public var exitStatus: Int32
    /// One sentence: what happened, on what, and what to do.
    public var message: String
    /// Another thing that the person can do. Older engines do not send it.
    public var alternative: Alternative?
    /// The recording, if anything was recorded and kept.
    public var summary: TakeSummary?

    public init(
        exitStatus: Int32, message: String, alternative: Alternative? = nil, summary: TakeSummary? = nil
    ) {
        self.exitStatus = exitStatus
        self.message = message
        self.alternative = alternative
        self.summary = summary
    }
}

/// Another thing that a person can do where something failed. Each client says it in its own words, the command line by its option.
public enum Alternative: String, Codable, Sendable, CaseIterable {
    case replaceFile, recordVirtualScreen, recordSilently, giveRegion, chooseWindow, nameWindow
    /// One of a later version.
    case unknown

    public init(from decoder: any Decoder) throws {
        self = Alternative(rawValue: try String(from: decoder)) ?? .unknown
    }
}
