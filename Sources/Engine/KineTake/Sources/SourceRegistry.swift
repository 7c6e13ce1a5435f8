// The kinds of video source. Survey, doctor, annotation and the take ask here, and name no kind themselves.
import KineCapture
import KineMedia
import KinePlatform

/// One kind of source. A value is the source of one take; static members are the kind's.
package protocol SourceKind: Sendable {
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
    ) throws(TakeError) -> VirtualSession?

    /// The description for extensions, by the keys of `SourceAnnotation`. May block for some milliseconds.
    var annotation: [String: String] { get }

    /// The source makes the app's audio itself, and the machine's output is not recorded.
    var makesAudio: Bool { get }

    /// The session is the take's own, and so is its audio server.
    var isPrivate: Bool { get }

    /// All monitors of the display that sources of this kind are on; empty where there are none, or it does not say. May block as
    /// `annotation` may.
    static func monitors() -> [SourceList.Monitor]

    /// Adds the sources of this kind that exist now.
    static func survey(_ list: inout SourceList)

    /// Whether this kind works here; nil: it needs nothing.
    static func check() -> DoctorCheck?
}

extension SourceKind {
    package func startSession(
        in directory: String, withAudio: Bool, _ cancellation: Cancellation
    ) throws(TakeError) -> VirtualSession? { nil }
    package var makesAudio: Bool { false }
    package var isPrivate: Bool { false }
    package static func monitors() -> [SourceList.Monitor] { [] }
    package static func survey(_ list: inout SourceList) {}
    package static func check() -> DoctorCheck? { nil }
}

/// A source that a client asks for.
package struct SourceRequest {
    package var source: TakeConfiguration.Source
    package var wantedBackend: TakeConfiguration.Backend?
    /// The program that the desktop's permission is for.
    package var application: String
    /// The desktop asks the person again although they gave permission before.
    package var asksAnew: Bool
    /// Called with a sentence for the person, while the source is opened and later, on any thread.
    package var warn: @Sendable (String) -> Void

    init(_ configuration: TakeConfiguration, warn: @escaping @Sendable (String) -> Void = { _ in }) {
        self.warn = warn
        source = configuration.source
        wantedBackend = configuration.backend
        application = configuration.app?.identifier ?? "kinecast"
        asksAnew = configuration.asksAnew
    }
}

/// The kinds of source that a take can be of. They are tried in order.
package struct SourceRegistry: Sendable {
    package let kinds: [any SourceKind.Type]

    package init(_ kinds: [any SourceKind.Type]) { self.kinds = kinds }

    package func kind(
        of configuration: TakeConfiguration, warn: @escaping @Sendable (String) -> Void = { _ in }
    ) -> (any SourceKind)? {
        let request = SourceRequest(configuration, warn: warn)
        for kind in kinds {
            if let kind = kind.init(request) { return kind }
        }
        return nil
    }

    /// - Parameter warn: called with a sentence for the person, on any thread.
    package func open(
        _ configuration: TakeConfiguration, _ cancellation: Cancellation, warn: @escaping @Sendable (String) -> Void
    ) throws(VideoSourceError) -> any VideoSourceOpening {
        guard let kind = kind(of: configuration, warn: warn) else {
            throw VideoSourceError(
                "This engine cannot record: \(configuration.source.description); install Kinecast completely.")
        }
        var video = configuration.video
        video.recordsInput = configuration.recordsInput
        return try kind.open(video, cancellation)
    }
}

/// The keys of `Take.annotation`, and their values.
///
/// Describes the recorded source to extensions. Values are texts for a person, unless a key says otherwise.
package enum SourceAnnotation {
    /// "screen", "region", "window", "virtual" or "pattern".
    package static let source = "source"
    /// The size to show: "1920x1080".
    static let size = "size"
    /// The monitor's name, if one was chosen.
    package static let monitor = "monitor"
    /// A window's title, when the take began.
    package static let title = "title"
    /// A window's application: its WM_CLASS.
    package static let application = "application"
    /// The process of a window, as the window states it: a decimal number.
    package static let process = "pid"

    /// May ask a display server, and block for some milliseconds. Unknown values are left out.
    static func describe(_ kind: (any SourceKind)?, size: PixelSize) -> [String: String] {
        var result = kind?.annotation ?? [:]
        result[self.size] = "\(size.width)x\(size.height)"
        return result
    }

    /// The source's name for a person, with the title that its window has now. May block as `describe` may.
    ///
    /// - Parameters:
    ///   - annotation: what `describe` says of it.
    ///   - size: the source's own.
    static func name(
        of source: TakeConfiguration.Source, _ kind: (any SourceKind)?, _ annotation: [String: String], size: PixelSize
    ) -> String {
        if annotation[application] != nil || annotation[title] != nil {
            let windowClass = annotation[application] ?? ""
            let program = SourceName.application(windowClass, entry: DesktopEntry.name(ofWindows: windowClass))
            return SourceName.window(title: annotation[title] ?? "", application: program)
        }
        switch source {
        case .screen(.some), .region, .drawnRegion:
            return source.name(on: kind.map { type(of: $0).monitors() } ?? [], drawn: size)
        default: return source.name
        }
    }
}

// The test pattern: needs nothing of the machine.
package struct PatternKind: SourceKind {
    let size: PixelSize

    package init?(_ request: SourceRequest) {
        guard case .pattern(let size) = request.source else { return nil }
        self.size = size
    }

    package func open(
        _ video: TakeConfiguration.Video, _ cancellation: Cancellation
    ) throws(VideoSourceError) -> any VideoSourceOpening {
        ImmediateOpening { () throws(VideoSourceError) in
            try PatternSource(size: size, framesPerSecond: video.framesPerSecond, period: video.framePeriod)
        }
    }

    package var annotation: [String: String] { [SourceAnnotation.source: "pattern"] }
    package var makesAudio: Bool { true }
}
