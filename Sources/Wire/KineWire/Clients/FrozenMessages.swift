// The messages that clients and engines of all versions understand: an app with an older client uses the installed
// engine, and an update leaves takes running.
import KineMedia
import KinePlatform

/// The protocol of clients and engines.
///
/// Its number changes when a message changes its meaning, and when a reply or an event may have a value that its reader
/// must know. It does not change for a new request, which an older engine refuses; for a new event, which an older
/// client skips; or for a new key, which the other side ignores, and which is optional to its reader.
/// `TakeConfiguration.required(confinement:)` lists the settings that an engine must not ignore.
///
/// Between different numbers, and for ever, only the following is understood (`FrozenMessageTests` has each byte), and
/// every other request is refused:
///
///     both              {"kinecast":1,"protocolNumber":N}
///     client → engine   {"id":1,"request":{"status":{}}}
///                       {"id":2,"request":{"stop":{"immediately":false}}}
///     engine → client   {"id":1,"reply":{"status":{"_0":{"id":…,"phase":…,"source":…,"output":…,"progress":{"duration":…,"bytes":…}}}}}
///                       {"id":3,"refusal":{"code":…,"message":…}}
///                       {"finished":{"_0":{"reason":…,"output":…,"progress":…}}}
///                       {"failed":{"_0":{"exitStatus":…,"message":…}}}
///
/// So the types of this file are frozen: a key keeps its name and its format, a new key is optional, and a changed
/// value gets a new key. Only destinations may change; they are omitted if they cannot be decoded. Recovery needs no
/// message: the file format itself shows how complete the file is.
public enum ControlProtocol {
    public static let number = 1
}

public enum TakePhase: String, Codable, Sendable {
    case starting, recording, paused, finishing, ended
}

/// The progress of a take and of its destinations.
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
    public var destinations: [DestinationStatus] = []

    public init() {}
}

public struct TakeStatus: Codable, Sendable, Equatable {
    public var id: String
    public var phase: TakePhase
    public var output: String?
    public var source: String
    /// The source's name for a person, with a window's title; nil: not known.
    public var sourceName: String?
    public var progress: TakeProgress
    public var destinations: [DestinationStatus] {
        get { progress.destinations }
        set { progress.destinations = newValue }
    }
    /// The camera over the picture, if there is one.
    public var camera: TakeConfiguration.Camera?
    /// The size of the camera's own frames, in pixels; nil: it has given none.
    public var cameraSize: PixelSize?
    /// Whether the microphone is recorded; nil in a take without one.
    public var isMicrophoneOn: Bool?
    /// Whether the audio that is played is recorded; nil in a take without it.
    public var isAppAudioOn: Bool?
    /// The reason why the links and words of destinations are omitted, one sentence; nil if they are not.
    public var withheld: String?
    /// The `--exclude` rules that match no window now.
    public var unmatchedExclusions: [String] = []
    /// The application that was last found to play on an output which the take does not record; nil: none was, or the take records that
    /// output now.
    public var unrecordedAudio: UnrecordedAudio?
    /// Why the source stands still and its last picture is shown; nil: it does not.
    public var interruption: SourceInterruption?
    /// The time since when, in seconds since 1970, UTC.
    public var interruptedSince: Double?

    public init(id: String, phase: TakePhase, output: String?, source: String, progress: TakeProgress) {
        self.id = id
        self.phase = phase
        self.output = output
        self.source = source
        self.progress = progress
    }
}

public struct TakeSummary: Codable, Sendable, Equatable {
    /// The first file of a split recording.
    public var output: String?
    /// All files of a split recording in order; nil if it is not split.
    public var files: [String]?
    public var size: PixelSize
    public var progress: TakeProgress
    public var destinations: [DestinationStatus] {
        get { progress.destinations }
        set { progress.destinations = newValue }
    }
    /// The reason for the end: "stopped", "duration reached", "window closed" …
    public var reason: String
    /// Whether the person stopped the take at the desktop's indicator.
    public var isStoppedAtDesktop = false
    /// Whether the take ended because its source did, such as a closed window; `reason` names it.
    public var isSourceEnded = false
    /// Seconds of pauses that the screen's lock began, and no person took over; nil: there was none.
    public var pausedByLock: Double?

    public init(output: String?, size: PixelSize, progress: TakeProgress, reason: String) {
        self.output = output
        self.size = size
        self.progress = progress
        self.reason = reason
    }

    /// The command's exit status for a take that ended properly: 0, or 75 if a destination ended early. A destination
    /// that a client removed does not count.
    public var exitStatus: Int32 {
        destinations.contains { !$0.isRemoved && $0.ending != nil && $0.ending != .finished }
            ? ExitStatus.destinationFailed : 0
    }
}

public struct TakeFailure: Codable, Sendable, Equatable, Error {
    /// The command's exit status, as in docs/exit-statuses: 69, 73, 74, 77 …
    public var exitStatus: Int32
    /// One sentence: what happened, on what, and what to do.
    public var message: String
    /// The sentence's code, if it has one.
    public var problem: ProblemCode?
    /// An alternative for the person.
    public var alternative: Alternative?
    /// The recording, if anything was recorded and kept.
    public var summary: TakeSummary?

    public init(
        exitStatus: Int32, message: String, problem: ProblemCode? = nil, alternative: Alternative? = nil,
        summary: TakeSummary? = nil
    ) {
        self.exitStatus = exitStatus
        self.message = message
        self.problem = problem
        self.alternative = alternative
        self.summary = summary
    }
}

extension KeyedDecodingContainer {
    /// Omits destinations in another format. The synthesized decoding of `TakeProgress` calls this.
    func decode(_ type: [DestinationStatus].Type, forKey key: Key) throws -> [DestinationStatus] {
        (try? decodeIfPresent(type, forKey: key)) ?? []
    }
}
