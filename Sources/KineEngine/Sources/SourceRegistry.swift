// The kinds of video source. Survey, doctor, annotation and the take ask here, and name no kind themselves.
import KineCapture
import KineControl
import KinePlatform

/// One kind of source. A value stands for what one take records; what is static stands for the kind.
protocol SourceKind: Sendable {
    /// Nil where `source` is of another kind.
    init?(_ source: TakeConfiguration.Source)

    /// Begins to open the source. Called on the capture thread, which then owns it. `cancellation` ends what it waits for.
    func open(
        _ video: TakeConfiguration.Video, _ cancellation: Cancellation
    ) throws(VideoSourceError) -> any VideoSourceOpening

    /// Starts what must run for as long as the take, and before any source is opened. Nil: nothing. Blocks; called in a thread
    /// that lives as long as the process. `directory` is the take's own.
    func startSession(
        in directory: String, withAudio: Bool, _ cancellation: Cancellation
    ) throws(TakeError) -> (any SourceSession)?

    /// What extensions are told of it, by the keys of `SourceAnnotation`. May block for some milliseconds.
    var annotation: [String: String] { get }

    /// It makes the app's audio itself, and what the machine plays is not recorded.
    var makesAudio: Bool { get }

    /// Adds what there is of this kind now.
    static func survey(_ list: inout SourceList)

    /// Whether this kind works here; nil: it needs nothing.
    static func check() -> DoctorCheck?
}

extension SourceKind {
    func startSession(
        in directory: String, withAudio: Bool, _ cancellation: Cancellation
    ) throws(TakeError) -> (any SourceSession)? { nil }
    var makesAudio: Bool { false }
    static func survey(_ list: inout SourceList) {}
    static func check() -> DoctorCheck? { nil }
}

/// What a source needs beside it for the length of a take.
protocol SourceSession: Sendable {
    /// `NAME=value` for programs that are to be recorded.
    var environment: [String] { get }
    func end()
}

enum SourceRegistry {
    static let kinds: [any SourceKind.Type] = [X11Kind.self, VirtualKind.self, PatternKind.self]

    static func kind(of source: TakeConfiguration.Source) -> (any SourceKind)? {
        for kind in kinds {
            if let kind = kind.init(source) { return kind }
        }
        return nil
    }

    static func open(
        _ configuration: TakeConfiguration, _ cancellation: Cancellation
    ) throws(VideoSourceError) -> any VideoSourceOpening {
        guard let kind = kind(of: configuration.source) else {
            throw .unknownSource(configuration.source.description)
        }
        return try kind.open(configuration.video, cancellation)
    }
}
