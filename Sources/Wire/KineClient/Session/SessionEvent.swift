// The events of a session. The last one has the take's outcome.
import KineContainers
import KinePlatform
import KineWire

/// An event of a session. The last one is `ended`, unless the session is closed earlier.
public enum SessionEvent: Sendable, Equatable {
    /// An event of the take, but for its end, and for what the session answers itself: questions at the terminal, samples.
    case engine(EngineEvent)
    /// The connection to the engine broke; the session ends afterwards.
    case connectionFailed(ClientError)
    case ended(TakeOutcome)
}

/// The end of a take.
public enum TakeOutcome: Sendable, Equatable {
    /// The take ended properly; destinations may still have failed.
    case finished(TakeSummary)
    /// The take could not begin, or ended early.
    case failed(TakeFailure)
    /// The engine ended without its last message.
    case engineDied(EngineDeath)
}

/// The end of an engine that did not finish its take.
public struct EngineDeath: Sendable, Equatable {
    public enum Cause: Sendable, Equatable {
        case died
        /// Ended by `EngineSession.abort`.
        case aborted
    }

    /// The state of the recording.
    public enum File: Sendable, Equatable {
        /// The take had not begun.
        case notBegun
        /// The take was only broadcast.
        case notRecorded
        case recovered(path: String, RecoveredFile)
        case unrecoverable(MP4Recovery.Error)
        /// Nothing of the recording was on the disk yet; the file to be replaced still has the name.
        case olderKept(path: String)
        /// Left to the session that started the engine, which recovers the file. `path` is nil if nothing was recorded.
        case leftAlone(path: String?)
    }

    public var cause: Cause
    /// The end of the engine's process; nil if another process started it.
    public var ending: ChildProcess.Ending?
    /// The last line of the engine's log.
    public var stderrTail: String?
    public var file: File
}
