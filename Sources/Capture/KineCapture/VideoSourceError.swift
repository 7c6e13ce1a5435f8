// The reason why a source cannot be opened or cannot go on. Each kind of source makes its own errors.
import KineMedia
import KinePlatform
import SystemPackage

public struct VideoSourceError: Error, Equatable, Sendable {
    /// The kinds that callers distinguish.
    public enum Kind: Equatable, Sendable {
        case windowClosed
        /// The desktop has ended its screen cast, as the person may have asked it to.
        case castClosed
        /// The desktop sends nothing any more.
        case castStopped
        /// No X server can be reached.
        case noDisplay
        /// There is no such window, or not yet.
        case noWindow
        case windowNotShown
        /// The session does not list its windows to programs.
        case noWindowsOnWayland
        /// No dialog shows a person the windows.
        case noWindowDialog
        /// The person cannot draw a region here, or did not.
        case noRegion
        /// The connection with PipeWire was lost.
        case castLost
        /// The recorded monitor or region is gone, and the take was to end then.
        case interrupted(SourceInterruption)
        case other
    }

    public let kind: Kind
    /// One sentence: what happened, on what, and what to do.
    public let sentence: String

    public init(_ kind: Kind, _ sentence: String) {
        self.kind = kind
        self.sentence = sentence
    }

    public init(_ sentence: String) { self.init(.other, sentence) }

    /// The end of a take that is to end where its monitor is unplugged; nil if something else has happened.
    public init?(ending interruption: SourceInterruption) {
        guard let sentence = interruption.endSentence else { return nil }
        self.init(.interrupted(interruption), sentence)
    }

    /// The sentence's code, if it has one.
    package var problem: ProblemCode? {
        switch kind {
        case .windowClosed, .noWindow, .windowNotShown: ProblemCode(.windowGone)
        case .castLost: ProblemCode(.castLost)
        case .interrupted(let interruption): interruption.problem
        default: nil
        }
    }

    /// A clause for the middle of a sentence, if the recording is whole; nil if the source has failed.
    public var naturalEnd: String? {
        switch kind {
        case .windowClosed: "the window was closed"
        case .castClosed, .castStopped: "the desktop has ended its screen cast"
        case .interrupted(let interruption): interruption.phrase
        default: nil
        }
    }
}

// Errors of several sources.
extension VideoSourceError {
    public static func noMonitor(_ name: String, existing: [String]) -> Self {
        Self("There is no monitor \(name) on this display; it has \(existing.joined(separator: ", ")).")
    }

    public static func outsideScreen(_ area: PixelRect, screen: PixelSize) -> Self {
        Self(
            "The region \(text(area)) lies outside the screen, which is \(text(screen)); choose one inside it.")
    }

    /// The crop lies outside of the upright source.
    public static func outsideSource(_ area: PixelRect, source: PixelSize) -> Self {
        Self(
            "The crop \(text(area)) lies outside the source, which is \(text(source)); choose one inside it.")
    }

    /// The person did not want to draw a region.
    public static let regionCancelled = Self(.noRegion, "Drawing the region was cancelled; draw one.")
    /// The person was asked to draw a region, and did nothing for a minute.
    public static let regionNotDrawn = Self(.noRegion, "No region was drawn for a minute; draw one.")

    /// Keys cannot be shown without that Debian package.
    public static func missingLibrary(package: String) -> Self {
        Self("Showing keys needs Debian's \(package), which is not installed; install it.")
    }

    public static func noDescriptor(_ error: Errno) -> Self {
        Self("No file descriptor can be had for the source (\(error)); raise the limit with ulimit -n.")
    }

    public static func noThread(name: String, _ error: Errno) -> Self {
        Self(DedicatedThread.explanation(of: error, thread: name))
    }

    /// There is no memory for frames that several processes share; `call` failed.
    public static func noSharedMemory(call: String, _ error: Errno) -> Self {
        Self("Shared memory for frames failed in \(call): \(error); free some memory and try again.")
    }

    private static func text(_ size: PixelSize) -> String { "\(size.width)x\(size.height)" }
    private static func text(_ area: PixelRect) -> String { "\(text(area.size))+\(area.x)+\(area.y)" }
}
