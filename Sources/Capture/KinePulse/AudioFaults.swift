// The error codes of audio servers. KineTake makes the sentences.
import CPulse

/// libpulse's number for an error. The description is libpulse's own.
public struct PulseError: RawRepresentable, Equatable, Sendable, CustomStringConvertible {
    public let rawValue: Int32

    public init(rawValue: Int32) { self.rawValue = rawValue }

    public var description: String { String(cString: pa_strerror(rawValue)) }
}

/// The reasons why no audio server answers.
public enum AudioServerFault: Error, Equatable, Sendable {
    /// libpulse is not installed.
    case noLibrary
    /// It refused the connection, or is gone.
    case pulse(PulseError)
    case outOfMemory
    case noAnswer(seconds: Int)
    /// The wait was cancelled.
    case cancelled
}

/// A target for which there is nothing to record.
public struct MissingAudio: Equatable, Sendable {
    public var target: AudioTarget
    /// The outputs, microphones or applications that there are instead; empty where the target names none.
    public var existing: [String] = []
}

/// An output or an application that is recorded as silence, whatever it plays.
public struct InaudibleAudio: Equatable, Sendable {
    public var target: AudioTarget
    /// The output's description, or the application.
    public var name: String
    /// Muted or faint.
    public var level: AudioLevel
}

/// A fault that the recording survives. A person should know of it.
public enum AudioWarning: Equatable, Sendable {
    case serverLost(AudioServerFault)
    /// The recording is silent until the target is there.
    case missing(MissingAudio)
    /// A device that was recorded was unplugged. The recording is silent until it is back.
    case gone(AudioTarget)
    case inaudible(InaudibleAudio)
    /// A microphone has given nothing but zeros for so long.
    case silentMicrophone(seconds: Int)
}
