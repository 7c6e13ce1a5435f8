// The errors of a desktop's screen cast over PipeWire.
import KineCapture
import KineText
import SystemPackage

extension VideoSourceError {
    /// The cast's natural end: the desktop ended it, perhaps at the person's request, or the window was closed.
    public static let screenCastClosed = ended(.castClosed)
    /// The compositor has stopped sending: it has crashed, or the window was closed. PipeWire itself still runs.
    public static let castStopped = ended(.castStopped)

    private static func ended(_ kind: Kind) -> Self {
        Self(
            kind,
            "The desktop has ended its screen cast, as it does when a window is closed, so the recording ends here.")
    }

    /// libpipewire, from this Debian package, is not installed.
    public static func noCastLibrary(package: String) -> Self {
        Self(
            "A Wayland desktop's screen comes over PipeWire, whose library is not installed; install Debian's \(package)."
        )
    }

    /// There is no daemon, or its connection cannot be used.
    public static func noPipeWire(_ error: Errno) -> Self {
        Self(
            "PipeWire, over which a Wayland desktop's screen comes, does not answer (\(error)); start pipewire and wireplumber."
        )
    }

    /// PipeWire does not give the cast out. `reason`: PipeWire's, or empty.
    public static func castRefused(_ reason: String) -> Self {
        let words = reason.isEmpty ? "" : " (\(reason.printable(limit: 100)))"
        return Self(
            "PipeWire does not give out the desktop's screen cast\(words); check that wireplumber runs, and record again."
        )
    }

    /// The cast is open, and no frame came within that time.
    public static func castGaveNoFrame(seconds: Int) -> Self {
        Self(
            "The desktop's screen cast gave no picture for \(seconds) seconds; check that wireplumber runs and that the screen is on, and "
                + "record again.")
    }

    /// The connection with PipeWire was lost during a recording. `reason`: the library's.
    public static func castLost(_ reason: String) -> Self {
        Self(
            .castLost,
            "The connection with PipeWire was lost (\(reason.printable(limit: 100))), so the recording ends here; record again when it "
                + "runs.")
    }
}
