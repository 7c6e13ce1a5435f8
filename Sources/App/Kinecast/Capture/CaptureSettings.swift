// The settings of what is captured of the screen.

/// What is captured, and how it is shown. `ScreenRecorder` and `BroadcastController` have each of these properties as their own:
/// `recorder.framesPerSecond = 60`. What runs goes on as it began; the next recording, capture or broadcast follows.
public struct CaptureSettings: Sendable, Equatable {
    public var scope = CaptureScope.ownWindow
    /// The most frames a second; fewer where less changes.
    public var framesPerSecond = 30
    /// Whether the mouse cursor is shown.
    public var showsCursor = true
    /// The factor by which the mouse cursor is enlarged, from 1 to 8.
    public var cursorScale = 1.0
    /// Whether a ring is drawn round the mouse cursor while a button is held, which fades after that. Its colour tells the left, the middle
    /// and the right button apart. It is drawn also where the cursor is not.
    public var showsClicks = false
    /// The keys that are shown at the bottom of the frame as they are pressed; nil: none. Typed letters are shown only with `all`, and only
    /// where a program tells assistive technologies that it is neither a password field nor a terminal. Of a window that is captured by
    /// itself, only keys that go there are shown.
    public var shownKeys: ShownKeys?
    /// The windows that are not shown: they are painted over wherever they are on the screen, also while they move or appear. A window that
    /// is captured by itself has no other in it, and of an application they are left out.
    public var excludedWindows: [WindowRule] = []
    /// Whether the take goes on while the screen is locked, with a plain card instead of the lock screen; otherwise it pauses meanwhile. A
    /// virtual screen is never locked.
    public var keepsRunningWhenLocked = false

    public init() {}
}
