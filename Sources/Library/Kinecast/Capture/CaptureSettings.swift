// The settings of a capture.
import KineMedia

/// The scope to capture, and how to show it. `ScreenRecorder` and `BroadcastController` have each of these properties
/// too: `recorder.framesPerSecond = 60`. Changes apply to the next recording, capture or broadcast.
public struct CaptureSettings: Sendable, Equatable {
    public var scope = CaptureScope.ownWindow
    /// The maximum; there are fewer frames if the screen changes less often.
    public var framesPerSecond = 30
    public var showsCursor = true
    /// The scale of the mouse cursor, from 1 to 8.
    public var cursorScale = 1.0
    /// Whether to draw a ring around the mouse cursor while a button is held; it then fades. Its colour shows the
    /// button: left, middle or right. The ring is drawn even without a visible cursor.
    public var showsClicks = false
    /// The pressed keys to show at the bottom of the frame; nil: none. Letters are shown only with `all`, and only if
    /// the program tells assistive technologies that the field is not a password field or a terminal. For a single
    /// window, only keys sent to it are shown.
    public var shownKeys: ShownKeys?
    /// Windows to hide wherever they are on the screen, also while they move or appear. A single captured window contains
    /// no others; in an application's picture, these are left out.
    public var excludedWindows: [WindowRule] = []
    /// Whether frames cover hidden windows with a plain rectangle, or show the windows below them.
    public var excludeHow = ExcludeHow.cover
    /// Whether the take goes on while the screen is locked, showing a plain card; otherwise it pauses. A virtual screen
    /// is never locked.
    public var keepsRunningWhenLocked = false

    public init() {}

    /// Hands the settings of the picture to the engine.
    func apply(to video: inout TakeConfiguration.Video) {
        video.framesPerSecond = framesPerSecond
        (video.showsCursor, video.cursorScale) = (showsCursor, cursorScale)
        (video.showsClicks, video.shownKeys) = (showsClicks, shownKeys)
        (video.excludedWindows, video.excludeHow) = (excludedWindows, excludeHow)
    }
}
