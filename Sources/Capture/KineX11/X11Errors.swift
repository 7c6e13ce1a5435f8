// The errors of an X server's screens and windows.
import KineCapture
import KineText

// A server that cannot be recorded.
extension VideoSourceError {
    /// The X server went away while it was recorded.
    public static let serverLost = Self("The X server has gone away, so the recording ends here.")
    /// The server gave no pixels for that time.
    public static func unreadable(seconds: Int) -> Self {
        Self(
            "The X server has let no pixels be read for \(seconds) seconds, so the recording ends here; start the X server again."
        )
    }
    /// The X server did not answer, and the wait for it was cancelled.
    public static let serverGivenUp = Self(
        "The X server did not answer, so its connection was closed; start it again.")
    /// DISPLAY is not set.
    public static let noDisplay = Self(
        .noDisplay, "There is no display: DISPLAY is not set. Run inside a graphical session.")
    /// The session's screen is that of a Wayland compositor.
    public static let waylandSession = Self(
        .noDisplay,
        "This session runs on Wayland, where X11 has no screen and only the windows of X11 programs; record the screen without "
            + "--backend x11, or log in to a session on X11.")

    /// `code`: the result of `xcb_connection_has_error`.
    public static func noConnection(display: String, code: Int32) -> Self {
        // XCB_CONN_CLOSED_PARSE_ERR and XCB_CONN_CLOSED_INVALID_SCREEN of xcb.h.
        switch code {
        case 5:
            Self(
                .noDisplay,
                "\(display.printable(limit: 200)) is not the name of an X display; correct DISPLAY, which most sessions set to :0."
            )
        case 6:
            Self(
                .noDisplay,
                "The X server of \(display) has no screen of that number; leave out the number behind the point in DISPLAY."
            )
        default:
            Self(
                .noDisplay,
                "The X display \(display) cannot be opened; check that it runs and that XAUTHORITY names its cookie file."
            )
        }
    }

    /// The screen's pixels cannot be converted.
    public static func unsupportedDepth(bits: Int, display: String) -> Self {
        Self(
            "The display \(display) has \(bits) bits a pixel\(unusual(bits)), and only 24, 30 or 32 can be recorded, in the order of "
                + "RGB or BGR; start the X server with depth 24.")
    }

    /// The window's pixels cannot be converted.
    public static func unsupportedWindowDepth(bits: Int, _ id: UInt32) -> Self {
        Self(
            "The window 0x\(String(id, radix: 16)) has \(bits) bits a pixel\(unusual(bits)), and only windows of 24, 30 or 32 can be "
                + "recorded, in the order of RGB or BGR; record the screen or a region of it.")
    }

    /// Words for pixels whose order, not their depth, is unsupported.
    private static func unusual(_ bits: Int) -> String { [24, 30, 32].contains(bits) ? " in an unusual order" : "" }

    /// `feature`: what needs them, for the middle of a sentence.
    public static func missingExtensions(display: String, feature: String) -> Self {
        Self(
            "The X server \(display) lacks DAMAGE or XFIXES, which \(feature) needs; leave it out, or use Xorg or Xvfb."
        )
    }

    /// The server does not list its monitors.
    public static func noMonitors(display: String) -> Self {
        Self("The X server \(display) lacks RANDR, so its monitors are not known; record the whole screen or a region.")
    }

    /// The server does not report mouse and keyboard events (XI2).
    public static let noInputEvents = Self(
        "The X server lacks XInput 2 or XKB, without which clicks and keys cannot be shown; record without them.")
    /// Recording a window needs the Composite extension; recording an application needs Render and Shape too.
    public static let noComposite = Self(
        "The X server lacks the COMPOSITE extension, which recording a window needs, or RENDER and SHAPE, which recording an "
            + "application needs too; record the screen or a region of it.")
    /// Another program has grabbed the mouse or the keyboard, so no region can be drawn.
    public static let inputGrabbed = Self(
        .noRegion,
        "No region can be drawn, since another program has the mouse or the keyboard to itself; close its menu or dialog."
    )
}

// A window that is not there.
extension VideoSourceError {
    public static let windowClosed = Self(
        .windowClosed, "The window was closed, so the recording ends here.")

    public static func noWindow(_ id: UInt32) -> Self {
        Self(
            .noWindow, "There is no window 0x\(String(id, radix: 16)) on this display; kinecast sources lists them.")
    }

    public static func windowNotShown(_ id: UInt32) -> Self {
        Self(
            .windowNotShown,
            "The window 0x\(String(id, radix: 16)) is not shown, so it has no content; open it and record again.")
    }

    public static let noFocusedWindow = Self(
        .noWindow, "No window of this display has the focus; click into one, or name it: kinecast sources lists them.")

    /// `unreadable` are windows whose titles are in character sets that are not known here.
    public static func noWindowTitled(_ title: String, unreadable: [UInt32] = []) -> Self {
        let hint = unreadable.isEmpty ? "" : " (the titles of \(list(unreadable)) cannot be read)"
        return Self(
            .noWindow,
            "No window of this display has \"\(title.printable(limit: 100))\" in its title\(hint); kinecast sources lists them."
        )
    }

    public static func severalWindowsTitled(_ title: String, _ ids: [UInt32]) -> Self {
        Self(
            "\(ids.count) windows have \"\(title.printable(limit: 100))\" in their titles (\(list(ids))); give more of the title, "
                + "or one of these ids.")
    }

    /// No window of the application is shown. `existing`: the applications that have one.
    public static func noWindowOfApplication(_ name: String, existing: [String]) -> Self {
        let others =
            existing.isEmpty ? "" : " (there are windows of \(existing.prefix(20).joined(separator: ", ")))"
        return Self(
            .noWindow,
            "No window of \(name.printable(limit: 100)) is shown on this display\(others); open one and record again.")
    }

    /// The started program has not opened the window within that time.
    public static func noWindowOfCommand(_ window: X11CommandWindow, seconds: Double, isPrivateScreen: Bool) -> Self {
        let limit = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
        let hint =
            switch window {
            case .titled, .application: "correct the name"
            case .first where isPrivateScreen: "record all of its screen, without --window, to see what it shows"
            case .first: "its windows may not name its process, so name one with --window title:TEXT"
            }
        return Self(
            .noWindow,
            "COMMAND opened no \(window.words) within \(limit) s; \(hint), or give it longer with --wait.")
    }

    private static func list(_ windows: [UInt32]) -> String {
        windows.prefix(8).map { "0x" + String($0, radix: 16) }.joined(separator: ", ")
    }
}
