// Messages between the studio and an engine that makes pictures of what can be recorded.
import FoundationEssentials
import KineMedia

/// A request to `kinecast-engine --survey`.
public enum SurveyRequest: Codable, ControlMessage, Equatable {
    /// Whether a person looks at the pictures. Otherwise none are made.
    case look(Bool)

    public static var protocolNumber: Int? { ControlProtocol.number }
}

/// A message of `kinecast-engine --survey`.
public enum SurveyEvent: Codable, ControlMessage, Equatable {
    /// The monitors and windows, at first and after each change, without audio and cameras.
    case sources(SourceList)
    case picture(SurveyPicture)
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

    public var subject: Subject
    /// A JPEG file.
    public var jpeg: Data

    public init(_ subject: Subject, jpeg: Data) { (self.subject, self.jpeg) = (subject, jpeg) }
}
