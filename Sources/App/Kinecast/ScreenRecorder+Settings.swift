// What the next take of a recorder shows.
import KineClient

extension ScreenRecorder {
    /// What the next recording shows.
    public var scope: CaptureScope {
        get { contents.withLock { $0.settings.scope } }
        set { contents.withLock { $0.settings.scope = newValue } }
    }

    /// Whether the microphone is recorded too, mixed with the app's audio. It can be turned on and off while a recording runs; while
    /// it is off, its device is closed. An event warns where there is no microphone, or where the person does not allow it, which turns
    /// it off again.
    public var isMicrophoneEnabled: Bool {
        get { contents.withLock { $0.settings.isMicrophoneEnabled } }
        set {
            contents.withLock { $0.settings.isMicrophoneEnabled = newValue }
            tellMicrophone()
        }
    }

    /// Has the takes that run follow `isMicrophoneEnabled`.
    func tellMicrophone() {
        for session in [recording?.session, clipTake.session].compactMap(\.self) {
            session.followMicrophone {
                self.isMicrophoneEnabled
            } refused: { error in
                self.contents.withLock { $0.settings.isMicrophoneEnabled = false }
                self.tell(.warning(error.description))
            }
        }
    }

    /// The most frames a second of the next recording; fewer where less changes.
    public var framesPerSecond: Int {
        get { contents.withLock { $0.settings.framesPerSecond } }
        set { contents.withLock { $0.settings.framesPerSecond = newValue } }
    }

    /// Whether the next recording shows the mouse cursor.
    public var showsCursor: Bool {
        get { contents.withLock { $0.settings.showsCursor } }
        set { contents.withLock { $0.settings.showsCursor = newValue } }
    }

    /// The factor by which the next recording enlarges the mouse cursor, from 1 to 8.
    public var cursorScale: Double {
        get { contents.withLock { $0.settings.cursorScale } }
        set { contents.withLock { $0.settings.cursorScale = newValue } }
    }

    /// Whether the next recording draws a ring round the mouse cursor while a button is held, which fades after that. Its colour tells the
    /// left, the middle and the right button apart. It is drawn also where the cursor is not.
    public var showsClicks: Bool {
        get { contents.withLock { $0.settings.showsClicks } }
        set { contents.withLock { $0.settings.showsClicks = newValue } }
    }

    /// The keys that the next recording shows at the bottom of the frame as they are pressed; nil: none. Typed letters are shown only with
    /// `all`, and only where a program tells assistive technologies that it is neither a password field nor a terminal. Of a window that is
    /// captured by itself, only keys that go there are shown.
    public var shownKeys: ShownKeys? {
        get { contents.withLock { $0.settings.shownKeys } }
        set { contents.withLock { $0.settings.shownKeys = newValue } }
    }

    /// The windows that the next recording does not show: they are painted over wherever they are on the screen, also while they move or appear.
    /// A window that is captured by itself has no other in it, and of an application they are left out.
    public var excludedWindows: [WindowRule] {
        get { contents.withLock { $0.settings.excludedWindows } }
        set { contents.withLock { $0.settings.excludedWindows = newValue } }
    }

    /// The chroma and the range of the next recording's frames. 4:4:4 keeps coloured text sharp, and full range the finest steps of
    /// dark and light; browsers and many other players cannot show 4:4:4. While such a recording runs, it takes no destinations. Samples
    /// that are asked for uncompressed are converted to the standard colours.
    public var recordingColour: ColourFormat {
        get { contents.withLock { $0.settings.colour } }
        set { contents.withLock { $0.settings.colour = newValue } }
    }

    /// The time that the next recording also keeps for `exportClip`, 30 minutes at most; nil: it keeps none.
    public var recordingClipBuffer: Duration? {
        get { contents.withLock { $0.settings.clipBuffer } }
        set { contents.withLock { $0.settings.clipBuffer = newValue } }
    }

    /// Whether the next recording goes on while the screen is locked, with a plain card instead of the lock screen; otherwise it pauses
    /// meanwhile. A virtual screen is never locked.
    public var keepsRunningWhenLocked: Bool {
        get { contents.withLock { $0.settings.keepsRunningWhenLocked } }
        set { contents.withLock { $0.settings.keepsRunningWhenLocked = newValue } }
    }
}
