// The part of the screen that a recorder captures, and how it is found.
import Glibc
import KineClient
import KineMedia
import KineWire

/// What is captured.
public enum CaptureScope: Sendable, Equatable {
    /// The largest window of this process, as its `_NET_WM_PID` says: the app itself.
    case ownWindow
    /// The whole screen.
    case screen
    /// The monitor of that name. Case does not matter.
    case monitor(String)
    /// A top-level window, by its X id.
    case window(UInt32)
    /// The top-level window that has the focus when the take begins.
    case focusedWindow
    /// The one window whose title is this text; where there is none, the one whose title holds it. Case does not matter.
    case windowTitled(String)
    /// A window that the person chooses in the dialog of their Wayland desktop when the take begins; the desktop remembers the choice. Where
    /// they choose none, the take does not begin. On X11 a window is named.
    case chosenWindow
    /// The windows of one application, its menus and its tips, where they lie on the screen or on the monitor of that name; black is where
    /// it has none. Other windows are not seen, also where they cover these. The name is the WM_CLASS of its windows; case does not matter.
    case application(String, monitor: String? = nil)
    /// A rectangle of the screen, in pixels from its upper left corner.
    case region(PixelRect)
    /// A rectangle of the screen that the person draws with the mouse when the take begins. Where they cancel that, the take does not begin.
    case drawnRegion
    /// A private screen of that size, with audio of its own. `ScreenRecorder.Start.environment` has what a program needs to appear there.
    case virtual(PixelSize)
    /// The same with a Wayland compositor, PipeWire and a D-Bus session of its own, for programs that use Wayland.
    case virtualWayland(PixelSize)

    /// The source that the engine is asked for. Looks for the app's window where that is what is captured.
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
        let sources: SourceList
        do throws(ClientError) {
            sources = try await EngineReport.sources(locator)
        } catch {
            throw RecordingError(error)
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

// What an app gets that asks for nothing in particular.
extension SampleRequest {
    /// Every frame as I420 in the take's own size, the app's audio and the microphone's as they are.
    public static let uncompressed = SampleRequest(
        video: .raw(pixelFormat: .i420), appAudio: .pcm, micAudio: .pcm)
}
