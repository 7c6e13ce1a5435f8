// A compositor's output, as it tells of it.
import KineMedia

/// A monitor of a Wayland session.
public struct WaylandOutput: Equatable, Sendable {
    /// As the compositor calls it, `DP-1`. Empty where it does not say.
    public var name = ""
    /// For a person: the maker and the model, mostly. May be empty.
    public var description = ""
    /// The place on the desktop, in logical pixels: those that windows are measured in.
    public var bounds = PixelRect(x: 0, y: 0, width: 0, height: 0)
    /// The monitor's pixels, before its picture is turned.
    public var pixelSize = PixelSize(width: 0, height: 0)
    /// Frames in a thousand seconds; 0: not known.
    public var refresh = 0
    /// The turn that brings the monitor's picture upright.
    public var orientation = Orientation.up

    /// The monitor's pixels when its picture is upright.
    public var uprightSize: PixelSize { orientation.turned(pixelSize) }
}
