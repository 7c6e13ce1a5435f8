// An X server of the test's own, without a cookie, so that clients in this process need nothing but its name.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform

/// A running Xvfb. It ends when the last reference goes, and with the thread that made it.
public final class PrivateScreen {
    private let display: PrivateDisplay
    public var process: ChildProcess { display.process }
    /// `:N`.
    public var name: String { display.name }

    /// Starts a server and waits until it takes connections. `options` are further arguments of Xvfb, and `launcher` a command that
    /// becomes it.
    public init(size: PixelSize, depth: Int = 24, options: [String] = [], launcher: [String] = []) throws {
        display = try PrivateDisplay(size: size, depth: depth, options: ["-ac"] + options, launcher: launcher)
    }

    deinit { end() }

    /// Ends the server as a crash would, and waits for it.
    public func end() { _ = process.end(signal: SIGKILL, deadline: 0) }
}
