// The events of a session. The last one has the take's outcome.
import KineContainers
import KineMedia
import KinePlatform
import KineWire

/// An event of a session. The last one is `ended`, unless the session is closed earlier.
public enum SessionEvent: Sendable, Equatable {
    /// The take waits for a window of a program: start the program with these `NAME=value` in its environment, and call
    /// `EngineSession.commandStarted`.
    case commandNeeded(environment: [String])
    /// The take runs: its first frame has been captured.
    case started(TakeStarted)
    /// Sent once a second, if the configuration requests it.
    case progress(TakeProgress)
    case paused
    case resumed
    /// The microphone was turned on or off.
    case microphone(isOn: Bool)
    /// The audio that is played was turned on or off.
    case appAudio(isOn: Bool)
    /// The audio of the output of this name is recorded from now on, instead of another output's.
    case appAudioOutput(String)
    /// The take now shows another source.
    case sourceSwitched(TakeConfiguration.Source)
    /// This camera is now shown over the picture, while it gives frames; nil: none.
    case camera(TakeConfiguration.Camera?)
    /// The recorded screen was locked or unlocked. `paused` or `resumed` follows if the take pauses meanwhile.
    case screenLocked(Bool)
    /// An application plays on an output which the take does not record, while the recorded output is silent.
    /// A `warning` with the sentence comes before.
    case audioUnrecorded(UnrecordedAudio)
    /// The source stands still, and the take shows its last picture; nil: the source works again.
    case sourceInterrupted(SourceInterruption?)
    /// The engine's sentence about a problem; the take goes on.
    case warning(String)
    /// The connection to the engine broke; the session ends afterwards.
    case connectionFailed(ClientError)
    /// An event of one of the destinations; the take goes on.
    case destination(DestinationEvent)
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
