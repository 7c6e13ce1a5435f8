// What a client and an engine understand of each other whatever their versions: an app that links an older client finds
// the engine that is installed, and an update leaves takes running.
import KineMedia
import KinePlatform

/// The protocol of clients and engines.
///
/// Its number changes when a message changes its meaning, and when a reply or an event may have a value that its reader
/// has to know. It does not change with a new request, which an older engine refuses; with a new event, which an older
/// client skips; nor with a new key, which the other side ignores, and which is optional to its reader. A setting that
/// an engine must not ignore is listed by `TakeConfiguration.required`.
///
/// Between two numbers, and for ever, this is understood (`FrozenMessageTests` has it byte by byte), and every other
/// request is refused:
///
///     both              {"kinecast":1,"protocolNumber":N}
///     client → engine   {"id":1,"request":{"status":{}}}
///                       {"id":2,"request":{"stop":{"immediately":false}}}
///     engine → client   {"id":1,"reply":{"status":{"_0":{"id":…,"phase":…,"source":…,"output":…,"progress":{"duration":…,"bytes":…}}}}}
///                       {"id":3,"refusal":{"code":…,"message":…}}
///                       {"finished":{"_0":{"reason":…,"output":…,"progress":…}}}
///                       {"failed":{"_0":{"exitStatus":…,"message":…}}}
///
/// So the types of this file are frozen: a key keeps its name and its form, one that comes later is optional, and what
/// has to change gets another key. Destinations alone may change, and are left out where they are not understood.
/// Recovery needs no message: the file's own form says how far it is.
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
    public var progress: TakeProgress
    public var destinations: [DestinationStatus] {
        get { progress.destinations }
        set { progress.destinations = newValue }
    }
    /// The camera over the picture; nil: none.
    public var camera: TakeConfiguration.Camera?
    /// The reason why the links and words of destinations are left out, one sentence; nil: they are not.
    public var withheld: String?
    /// The rules for windows that are to be hidden which no window matches now, as `--exclude` takes them.
    public var unmatchedExclusions: [String] = []

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
    public var destinations: [DestinationStatus] {
        get { progress.destinations }
        set { progress.destinations = newValue }
    }
    /// The reason for its end: "stopped", "duration reached", "window closed" …
    public var reason: String
    /// The person at the screen has stopped it, at the desktop's indicator.
    public var isStoppedAtDesktop = false
    /// The take ended because its source did, such as a closed window; `reason` names it.
    public var isSourceEnded = false

    public init(output: String?, size: PixelSize, progress: TakeProgress, reason: String) {
        self.output = output
        self.size = size
        self.progress = progress
        self.reason = reason
    }

    /// The command's exit status for a take that ended as it should: 0, or 75 if a destination ended for good without
    /// having finished. One that a client removed does not count.
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
    /// Another thing that the person can do.
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

extension KeyedDecodingContainer {
    /// Leaves them out where their form is another. The synthesized decoding of `TakeProgress` calls this.
    func decode(_ type: [DestinationStatus].Type, forKey key: Key) throws -> [DestinationStatus] {
        (try? decodeIfPresent(type, forKey: key)) ?? []
    }
}
