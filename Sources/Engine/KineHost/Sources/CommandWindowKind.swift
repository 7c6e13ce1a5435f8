// A window that COMMAND opens, on the session's X screen or on a private one.
import Glibc
import KineCapture
import KineMedia
import KinePlatform
import KineSupervision
import KineTake
import KineX11

struct CommandWindowKind: SourceKind {
    let window: TakeConfiguration.CommandWindow
    private let wantedBackend: TakeConfiguration.Backend?

    init?(_ request: SourceRequest) {
        guard case .commandWindow(let window) = request.source else { return nil }
        self.window = window
        wantedBackend = request.wantedBackend
    }

    func startSession(
        in directory: String, withAudio: Bool, _ cancellation: Cancellation
    ) throws(TakeError) -> VirtualSession? {
        guard let size = window.privateScreen else { return nil }
        return try VirtualKind(.x11, size).startSession(in: directory, withAudio: withAudio, cancellation)
    }

    func open(
        _ video: TakeConfiguration.Video, _ cancellation: Cancellation
    ) throws(VideoSourceError) -> any VideoSourceOpening {
        let (isPrivate, choice) = (isPrivate, window.choice)
        let failure = VideoSourceError.noWindowOfCommand(
            choice, seconds: window.limit.seconds, isPrivateScreen: isPrivate)
        do throws(VideoSourceError) {
            return try X11CommandWindowOpening(
                choice, limit: window.limit.nanoseconds, failure: onWayland(failure), isPrivate: isPrivate,
                cancellation: cancellation, belongs: Self.belongs
            ) { (target) throws(VideoSourceError) in
                try X11ScreenSource(target, video, isPrivate: isPrivate, cancellation)
            }
        } catch {
            throw onWayland(error)
        }
    }

    /// Whether a process is COMMAND, descends from it, or is in its process group: programs that outlive their parent
    /// descend from it no more.
    private static func belongs(_ process: Int32, to command: Int32) -> Bool {
        process == command || getpgid(process) == command
            || ProcessTree.descendants(of: command).contains(process)
    }

    private func onWayland(_ error: VideoSourceError) -> VideoSourceError {
        guard !isPrivate else { return error }
        let feature: VideoSourceError.Feature = if case .application = window.choice { .application } else { .window }
        return error.onWayland(feature, wantedBackend)
    }

    /// The first window of COMMAND has no name to identify it later.
    var annotation: [String: String] {
        switch window.choice {
        case .first: [SourceAnnotation.source: "window"]
        case .titled(let title): X11ScreenSource.Target.window(.titled(title)).annotation
        case .application(let name, let monitor):
            X11ScreenSource.Target.application(name, monitor: monitor).annotation
        }
    }

    var isPrivate: Bool { window.privateScreen != nil }
}
