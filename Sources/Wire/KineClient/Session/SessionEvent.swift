// The events of a session. The last one tells how the take ended.
import KineContainers
import KineMedia
import KinePlatform
import KineWire

/// An event of a session. The last one is `ended`, unless the session is closed before.
public enum SessionEvent: Sendable, Equatable {
    /// The take waits for a window of a program, which is to be started now, with these `NAME=value` in its environment. Answered by
    /// `EngineSession.commandStarted`.
    case commandNeeded(environment: [String])
    /// The take runs: its first frame has been captured.
    case started(TakeStarted)
    /// Once a second, where the configuration asked for it.
    case progress(TakeProgress)
    case paused
    case resumed
    /// The microphone is recorded from now on, or no more.
    case microphone(isOn: Bool)
    /// The take shows another source from now on.
    case sourceSwitched(TakeConfiguration.Source)
    /// That camera is shown over the picture from now on, while it gives frames; nil: none.
    case camera(TakeConfiguration.Camera?)
    /// The screen that the take shows was locked or unlocked. `paused` or `resumed` follows where the take pauses meanwhile.
    case screenLocked(Bool)
    /// A sentence of the engine's about a problem; the take goes on.
    case warning(String)
    /// The connection to the engine broke; the session ends after this.
    case connectionFailed(ClientError)
    /// Something happened to one of the destinations; the take goes on.
    case destination(DestinationEvent)
    case ended(TakeOutcome)
}

/// The end of a take.
public enum TakeOutcome: Sendable, Equatable {
    /// It ended as it should; destinations may have failed all the same.
    case finished(TakeSummary)
    /// It could not begin, or it ended early.
    case failed(TakeFailure)
    /// The engine ended without its last message.
    case engineDied(EngineDeath)
}

/// The end of an engine that did not finish its take.
public struct EngineDeath: Sendable, Equatable {
    public enum Cause: Sendable, Equatable {
        case died
        /// `EngineSession.abort` ended it.
        case aborted
    }

    /// The state that the recording was left in.
    public enum File: Sendable, Equatable {
        /// The take had not begun.
        case notBegun
        /// The take was only broadcast.
        case notRecorded
        case recovered(path: String, RecoveredFile)
        case unrecoverable(MP4Recovery.Error)
        /// Nothing of the recording was on the disk yet; the file that it was to replace still has the name.
        case olderKept(path: String)
        /// Left to the session that started the engine, which recovers the file. `path` is nil where nothing was recorded.
        case leftAlone(path: String?)
    }

    public var cause: Cause
    /// The end of the engine's process; nil where another process started it.
    public var ending: ChildProcess.Ending?
    /// The last line of the engine's log.
    public var lastWords: String?
    public var file: File

    public init(cause: Cause, ending: ChildProcess.Ending? = nil, lastWords: String? = nil, file: File) {
        self.cause = cause
        self.ending = ending
        self.lastWords = lastWords
        self.file = file
    }
}
