// The kinds of video source. Survey, doctor, annotation and the take ask here, and name no kind themselves.
import KineCapture
import KineMedia
import KinePlatform
import KineWire

/// One kind of source. A value is the source of one take; static members are the kind's.
protocol SourceKind: Sendable {
    /// Nil if the source is of another kind.
    init?(_ request: SourceRequest)

    /// Begins to open the source. Called on the capture thread, which then owns it. `cancellation` ends its waits.
    func open(
        _ video: TakeConfiguration.Video, _ cancellation: Cancellation
    ) throws(VideoSourceError) -> any VideoSourceOpening

    /// Starts the programs that must run before the source is opened and as long as the take; nil: none. Blocks; called in a
    /// thread that lives as long as the process. `directory` is the take's own.
    func startSession(
        in directory: String, withAudio: Bool, _ cancellation: Cancellation
    ) throws(TakeError) -> (any SourceSession)?

    /// The description for extensions, by the keys of `SourceAnnotation`. May block for some milliseconds.
    var annotation: [String: String] { get }

    /// The source makes the app's audio itself, and the machine's output is not recorded.
    var makesAudio: Bool { get }

    /// The session is the take's own, and so is its audio server.
    var isPrivate: Bool { get }

    /// Adds the sources of this kind that exist now.
    static func survey(_ list: inout SourceList)

    /// Whether this kind works here; nil: it needs nothing.
    static func check() -> DoctorCheck?
}

extension SourceKind {
    func startSession(
        in directory: String, withAudio: Bool, _ cancellation: Cancellation
    ) throws(TakeError) -> (any SourceSession)? { nil }
    var makesAudio: Bool { false }
    var isPrivate: Bool { false }
    static func survey(_ list: inout SourceList) {}
    static func check() -> DoctorCheck? { nil }
}

/// The programs that a source needs for the length of a take.
protocol SourceSession: Sendable {
    /// `NAME=value` for programs that are to be recorded.
    var environment: [String] { get }
    func end()
}

enum SourceRegistry {
    static let kinds: [any SourceKind.Type] = [
        X11Kind.self, CommandWindowKind.self, WaylandKind.self, PortalKind.self, VirtualKind.self, PatternKind.self,
    ]

    static func kind(
        of configuration: TakeConfiguration, warn: @escaping @Sendable (String) -> Void = { _ in }
    ) -> (any SourceKind)? {
        let request = SourceRequest(configuration, warn: warn)
        for kind in kinds {
            if let kind = kind.init(request) { return kind }
        }
        return nil
    }

    /// - Parameter warn: tells the person a sentence; called on any thread.
    static func open(
        _ configuration: TakeConfiguration, _ cancellation: Cancellation, warn: @escaping @Sendable (String) -> Void
    ) throws(VideoSourceError) -> any VideoSourceOpening {
        guard let kind = kind(of: configuration, warn: warn) else {
            throw .unknownSource(configuration.source.description)
        }
        return try kind.open(configuration.video, cancellation)
    }
}

/// The keys of `Take.annotation`, and their values.
///
/// Describes to extensions what is recorded. Texts for a person, unless a key says otherwise.
enum SourceAnnotation {
    /// "screen", "region", "window", "virtual" or "pattern".
    static let source = "source"
    /// The size to show: "1920x1080".
    static let size = "size"
    /// The monitor's name, if one was chosen.
    static let monitor = "monitor"
    /// A window's title, when the take began.
    static let title = "title"
    /// A window's application: its WM_CLASS.
    static let application = "application"
    /// The process that a window belongs to, as it says itself: a decimal number.
    static let process = "pid"

    /// May ask a display server, and block for some milliseconds. Unknown values are left out.
    static func describe(_ configuration: TakeConfiguration, size: PixelSize) -> [String: String] {
        var result = SourceRegistry.kind(of: configuration)?.annotation ?? [:]
        result[self.size] = "\(size.width)x\(size.height)"
        return result
    }
}

// The test pattern: needs nothing of the machine.
struct PatternKind: SourceKind {
    let size: PixelSize

    init?(_ request: SourceRequest) {
        guard case .pattern(let size) = request.source else { return nil }
        self.size = size
    }

    func open(
        _ video: TakeConfiguration.Video, _ cancellation: Cancellation
    ) throws(VideoSourceError) -> any VideoSourceOpening {
        ImmediateOpening { () throws(VideoSourceError) in
            try PatternSource(size: size, framesPerSecond: video.framesPerSecond, period: video.framePeriod)
        }
    }

    var annotation: [String: String] { [SourceAnnotation.source: "pattern"] }
    var makesAudio: Bool { true }
}
