// A session on Wayland of the test's own: Weston draws it in memory, and Xwayland is its X server.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import SystemPackage

/// A running Weston. It ends when the last reference goes, and with the thread that made it.
public final class WaylandDesktop {
    /// The X server, `:N`. Weston starts it for its first client.
    public let display: String
    /// The compositor's socket, an absolute path.
    public var socket: String { directory.file("kinecast") }
    /// What the session's programs have in their environment.
    public var environment: [String] {
        ["DISPLAY=\(display)", "WAYLAND_DISPLAY=\(socket)", "XDG_SESSION_TYPE=wayland"]
    }

    private let process: ChildProcess
    private let directory: TemporaryDirectory
    /// Weston writes to it for as long as it runs.
    private let log: FileDescriptor

    /// Starts a compositor with one output of `size` and waits until its X server takes connections.
    public init(size: PixelSize) throws {
        directory = try TemporaryDirectory()
        mkdir("/tmp/.X11-unix", 0o1777)  // the first X server of a machine makes it; Weston does not
        let pipe = try FileDescriptor.pipe()
        log = pipe.readEnd
        defer { try? pipe.writeEnd.close() }
        var child = ChildProcess.Options()
        child.descriptors = [nil, pipe.writeEnd, pipe.writeEnd]
        child.parentDeathSignal = SIGTERM
        child.newSession = true
        process = try ChildProcess(
            executable: try Tool.path(of: "weston"),
            arguments: [
                "--backend=headless-backend.so", "--use-pixman", "--no-config", "--shell=kiosk-shell.so",
                "--idle-time=0", "--socket=kinecast", "--width=\(size.width)", "--height=\(size.height)", "--xwayland",
            ],
            environment: ProcessEnvironment.current(
                changing: ["XDG_RUNTIME_DIR": directory.path], removing: ["DISPLAY", "WAYLAND_DISPLAY"]),
            options: child)
        let deadline = MonotonicClock.now() + Tool.timeout
        var lines: [String] = []
        while let line = Tool.readLine(log, until: deadline) {
            if let name = line.split(separator: "listening on display ").dropFirst().first {
                display = String(name)
                return
            }
            lines.append(line)
        }
        let ending = process.end(signal: SIGKILL, deadline: 0)
        throw Tool.Error.failed(name: "weston", ending: ending, complaint: lines.joined(separator: "\n"))
    }

    deinit {
        _ = process.end(deadline: MonotonicClock.now() + 10_000_000_000)
        try? log.close()
    }
}
