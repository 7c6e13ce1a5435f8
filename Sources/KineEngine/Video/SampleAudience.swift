// Which sinks a sample is for, and the formats they have been told.
import KineMedia

/// For whom a sample is.
public struct SampleAudience: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let recording = SampleAudience(rawValue: 1)
    public static let extensions = SampleAudience(rawValue: 2)
    public static let all: SampleAudience = [.recording, .extensions]
}

/// The format that each audience was told last. Pure.
struct AnnouncedFormats {
    private var recording: VideoParameterSets?
    private var extensions: VideoParameterSets?

    /// The part of `audience` that was told another format, or none.
    func audience(_ audience: SampleAudience, lacking sets: VideoParameterSets) -> SampleAudience {
        var lacking = audience
        if recording == sets { lacking.remove(.recording) }
        if extensions == sets { lacking.remove(.extensions) }
        return lacking
    }

    mutating func note(_ sets: VideoParameterSets, for audience: SampleAudience) {
        if audience.contains(.recording) { recording = sets }
        if audience.contains(.extensions) { extensions = sets }
    }
}
