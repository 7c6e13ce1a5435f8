// The errors of a Wayland compositor's outputs, and of regions that a person draws there.
import KineCapture
import KineText

extension VideoSourceError {
    /// No compositor accepts connections at that name.
    public static func noCompositor(display: String) -> Self {
        Self(
            "The Wayland compositor \(display.printable(limit: 200)) does not answer; check WAYLAND_DISPLAY and XDG_RUNTIME_DIR."
        )
    }

    public static let noWaylandLibrary = Self(
        "A Wayland session needs Debian's libwayland-client0, which is not installed; install it.")
    /// The compositor does not let its clients copy the screen.
    public static let noScreencopy = Self(
        "This compositor does not let programs copy its screen (by wlr-screencopy or ext-image-copy-capture); leave out --backend wlr, so "
            + "that the desktop is asked.")
    /// The compositor does not answer, or gives no first frame.
    public static let compositorSilent = Self(
        "The Wayland compositor gives no picture of its screen; check that the monitor is on, and start the session again."
    )
    /// The compositor has ended, or has refused a request.
    public static let compositorLost = Self("The Wayland compositor has gone away, so the recording ends here.")
    /// The compositor copies its screen into a graphics card's memory alone, which Kinecast does not read.
    public static let noFramesInMemory = Self(
        "The Wayland compositor copies its screen into a graphics card's memory alone; add --backend portal, so that the desktop is asked."
    )

    /// The compositor draws pixels of an unknown format. `format`: its number in wl_shm.
    public static func unsupportedPixels(format: UInt32) -> Self {
        Self(
            "The Wayland compositor draws pixels of an unknown kind (0x\(String(format, radix: 16))); record another monitor."
        )
    }

    public static let noOutput = Self("The Wayland compositor has no monitor; turn one on.")

    /// The monitors' picture is larger than an encoder takes.
    public static func monitorsTooLarge(_ names: [String]) -> Self {
        Self(
            "The monitors \(names.joined(separator: ", ")) are too large to be recorded together; choose one with --monitor NAME."
        )
    }

    /// The monitors give no first frame: they may sleep.
    public static func monitorsSilent(_ names: [String]) -> Self {
        let (monitors, verb) = names.count == 1 ? ("monitor", "gives") : ("monitors", "give")
        return Self(
            "The \(monitors) \(names.joined(separator: ", ")) \(verb) no picture; wake the screen, and record again.")
    }

    public static func regionOnSeveralMonitors(_ names: [String]) -> Self {
        Self("The region lies on several monitors (\(names.joined(separator: ", "))); choose one on a single monitor.")
    }

    public static func noRegionProgram(package: String) -> Self {
        Self(
            .noRegion, "Drawing a region on Wayland needs Debian's \(package), which is not installed; install it.")
    }

    /// `output`: the end of the program's output, or empty.
    public static func regionProgramFailed(_ output: String) -> Self {
        let words = output.isEmpty ? "" : " (\(output.printable(limit: 200)))"
        return Self(
            .noRegion, "slurp, with which a region is drawn on Wayland, has failed\(words); draw one once more.")
    }

    /// The compositor lacks the protocol for a window in which a person could draw a region.
    public static let noRegionWindow = Self(
        .noRegion,
        "This compositor shows no window in which a region could be drawn (xdg-shell); record all of the screen.")
    /// The desktop has ended its screen cast while the person drew a region in its picture.
    public static let regionCastEnded = Self(
        .noRegion, "The desktop has ended its screen cast while a region was drawn in its picture; record again.")
}
