// The sinks that get a sample.

struct SampleAudience: OptionSet, Sendable {
    let rawValue: Int

    static let recording = SampleAudience(rawValue: 1)
    static let extensions = SampleAudience(rawValue: 2)
    static let all: SampleAudience = [.recording, .extensions]
}
