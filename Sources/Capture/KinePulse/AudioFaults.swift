// The error codes of audio servers. KineTake makes the sentences.
import CPulse
import KineMedia

/// libpulse's number for an error. The description is libpulse's own.
public struct PulseError: RawRepresentable, Equatable, Sendable, CustomStringConvertible {
    public let rawValue: Int32

    public init(rawValue: Int32) { self.rawValue = rawValue }

    public var description: String { String(cString: pa_strerror(rawValue)) }
}

/// Why no audio server answers.
public enum AudioServerFault: Error, Equatable, Sendable {
    /// libpulse is not installed.
    case noLibrary
    /// The server refused the connection, or has gone.
    case pulse(PulseError)
    case outOfMemory
    case noAnswer(seconds: Int)
    case cancelled
}

/// A target with nothing to record.
public struct MissingAudio: Equatable, Sendable {
    public var target: AudioTarget
    /// The outputs, microphones or applications that exist instead; empty if the target names none.
    public var existing: [String] = []
    /// Where there are microphones, the description of the output whose monitor is the default one: it is recorded as that output already.
    public var monitoredOutput: String?
}

/// An output or an application that is recorded as silence, whatever it plays.
public struct InaudibleAudio: Equatable, Sendable {
    public var target: AudioTarget
    /// The output's description, or the application.
    public var name: String
    /// Muted or faint.
    public var level: AudioLevel
}

/// A fault that the recording survives but that a person should know.
public enum AudioWarning: Equatable, Sendable {
    case serverLost(AudioServerFault)
    /// The recording is silent until the target exists.
    case missing(MissingAudio)
    /// A recorded device was unplugged. The recording is silent until it is back.
    case gone(AudioTarget)
    /// Another microphone, of this description, is recorded from now on.
    case microphoneReplaced(by: String)
    /// At the end: the microphone went away or was replaced so often, more than once.
    case microphoneChanges(Int)
    case inaudible(InaudibleAudio)
    /// An application plays on an output which the take does not record, while the recorded output is silent.
    case unrecorded(UnrecordedAudio)
    /// A microphone has sent only zeros for this long.
    case silentMicrophone(seconds: Int)
}
