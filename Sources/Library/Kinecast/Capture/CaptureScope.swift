// The part of the screen that a recorder captures.
import Glibc
import KineClient
import KineMedia
import KineWire

/// The part of the screen to capture.
public enum CaptureScope: Sendable, Equatable {
    /// The app itself: the largest window whose `_NET_WM_PID` is this process.
    case ownWindow
    /// The whole screen.
    case screen
    /// The monitor with this name. Case does not matter.
    case monitor(String)
    /// A top-level window with this X id.
    case window(UInt32)
    /// The top-level window that has the focus when the take begins.
    case focusedWindow
    /// The window with this title or, if there is none, the one window whose title contains it. Case does not matter.
    case windowTitled(String)
    /// A window that the person chooses in the Wayland desktop's dialog when the take begins; the desktop remembers the
    /// choice. If the person cancels, the take does not begin. On X11, name a window instead.
    case chosenWindow
    /// One application's windows, menus and tooltips, on the screen or the named monitor; the rest is black. Other
    /// windows are not shown, even if they cover these. The name is the WM_CLASS; case does not matter.
    case application(String, monitor: String? = nil)
    /// A rectangle of the screen, in pixels from its upper left corner.
    case region(PixelRect)
    /// A rectangle that the person draws with the mouse when the take begins. If they cancel, it does not begin.
    case drawnRegion
    /// A private screen with its own audio. Programs appear there with `ScreenRecorder.Start.environment`.
    case virtual(PixelSize)
    /// A private screen with its own Wayland compositor, PipeWire and D-Bus session, for programs that use Wayland.
    case virtualWayland(PixelSize)

    /// The source to request from the engine. For `ownWindow`, it looks for the app's window.
    func source(_ locator: EngineLocator) async throws(RecordingError) -> TakeConfiguration.Source {
        switch self {
        case .ownWindow: .window(try await Self.ownWindow(locator))
        case .screen: .screen(monitor: nil)
        case .monitor(let name): .screen(monitor: name)
        case .window(let id): .window(id)
        case .focusedWindow: .focusedWindow
        case .windowTitled(let title): .windowTitled(title)
        case .chosenWindow: .chosenWindow
        case .application(let name, let monitor): .application(name, monitor: monitor)
        case .region(let rect): .region(rect)
        case .drawnRegion: .drawnRegion
        case .virtual(let size): .virtual(size)
        case .virtualWayland(let size): .virtualWayland(size)
        }
    }

    private static func ownWindow(_ locator: EngineLocator) async throws(RecordingError) -> UInt32 {
        let sources = try await RecordingError.translating { () async throws(ClientError) in
            try await EngineReport.sources(locator)
        }
        let area = { (window: SourceList.Window) in window.bounds.width * window.bounds.height }
        let own = sources.windows.filter { $0.processID == getpid() }.max { area($0) < area($1) }
        if let own { return own.id }
        let reason = sources.problems.first.map { " (\($0))" } ?? ""
        throw RecordingError(
            .noWindow,
            "This app has no window on the X screen\(reason); set the recorder's scope to .screen, .monitor, .window, .region or .virtual."
        )
    }
}

// The default request of an app.
extension SampleRequest {
    /// Every frame as I420 in the take's size, and the audio of the app and of the microphone unchanged.
    public static let uncompressed = SampleRequest(
        video: .raw(pixelFormat: .i420), appAudio: .pcm, micAudio: .pcm)
}
