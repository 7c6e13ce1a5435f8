// Messages between the studio and an engine that shows and measures what can be recorded.
import FoundationEssentials
import KineMedia

/// A request to `kinecast-engine --survey`.
public enum SurveyRequest: Codable, ControlMessage, Equatable {
    /// Make pictures, measure this audio, and show this camera (nil: none). The devices are open until the next request. The pictures
    /// of `shown` are large.
    case survey(
        audio: TakeConfiguration.AppAudio, microphone: TakeConfiguration.Microphone, camera: String?,
        shown: SurveyPicture.Subject?)

    public static var protocolNumber: Int? { ControlProtocol.number }
}

/// A message of `kinecast-engine --survey`.
public enum SurveyEvent: Codable, ControlMessage, Equatable {
    /// The monitors and windows, at first and after each change, without audio and cameras.
    case sources(SourceList)
    case picture(SurveyPicture)
    case levels(SurveyLevels)
    case camera(SurveyCamera)
    /// The screen is locked, so there are no pictures and levels, or it is not any more.
    case locked(Bool)
    /// The survey has ended; one sentence.
    case failed(String)

    public static var protocolNumber: Int? { ControlProtocol.number }
}

/// A picture of a monitor or window.
public struct SurveyPicture: Codable, Sendable, Equatable {
    /// A monitor by its name, or a window by its X id.
    public enum Subject: Codable, Sendable, Hashable {
        case monitor(String)
        case window(UInt32)
    }

    /// The largest size in pixels.
    public static let limit = PixelSize(width: 384, height: 240)
    /// The same for the one that is shown large.
    public static let shownLimit = PixelSize(width: 1280, height: 800)

    public var subject: Subject
    /// A JPEG file.
    public var jpeg: Data

    public init(_ subject: Subject, jpeg: Data) { (self.subject, self.jpeg) = (subject, jpeg) }
}

/// A picture of the chosen camera, or the reason why there is none.
public struct SurveyCamera: Codable, Sendable, Equatable {
    /// The largest size of its picture in pixels.
    public static let limit = PixelSize(width: 320, height: 240)

    /// The size of the camera's own frames.
    public var size: PixelSize?
    /// A JPEG file.
    public var jpeg: Data?
    /// One sentence.
    public var problem: String?

    public init(size: PixelSize? = nil, jpeg: Data? = nil, problem: String? = nil) {
        (self.size, self.jpeg, self.problem) = (size, jpeg, problem)
    }
}

/// The levels of the chosen audio; nil for what is not measured.
public struct SurveyLevels: Codable, Sendable, Equatable {
    public var levels: AudioLevels
    /// One sentence: why there is no level, or none to expect.
    public var problem: String?

    public init(_ levels: AudioLevels = AudioLevels(), problem: String? = nil) {
        (self.levels, self.problem) = (levels, problem)
    }
}
