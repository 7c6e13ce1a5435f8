// A session on Wayland of the test's own whose programs may use the clipboard without a window, and copy the screen: sway, which draws in
// memory.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import SystemPackage

/// A running sway, without Xwayland. It ends when the last reference goes, and with the thread that made it.
package final class SwayDesktop {
    /// The compositor's socket, an absolute path; WAYLAND_DISPLAY.
    package let display: String
    /// What the session's programs have in their environment.
    package var environment: [String] { ["DISPLAY=", "WAYLAND_DISPLAY=\(display)", "XDG_SESSION_TYPE=wayland"] }

    private let process: ChildProcess
    private let directory: TemporaryDirectory
    /// sway refuses to be root, so root starts it as this user, who needs no entry anywhere.
    private static let user: uid_t = 1000

    /// Starts a compositor with one output of `size` and waits until it takes connections.
    package init(size: PixelSize) throws {
        directory = try TemporaryDirectory()
        let configuration = try directory.write(
            "output HEADLESS-1 mode \(size.width)x\(size.height)@60Hz\nxwayland disable\ndefault_border none\nexec touch \(directory.file("ready"))\n"
                .utf8, to: "config", permissions: [.ownerReadWrite, .otherRead])
        let log = try FileDescriptor.open(
            directory.file("log"), .writeOnly, options: .create, permissions: .ownerReadWrite)
        defer { try? log.close() }
        var child = ChildProcess.Options()
        child.descriptors = [nil, log, log]
        child.parentDeathSignal = SIGTERM
        child.newSession = true
        var command = [try Tool.path(of: "sway"), "--config", configuration]
        if getuid() == 0 {
            chown(directory.path, Self.user, Self.user)
            // A process that changes its user loses its signal at the parent's death.
            command =
                [
                    try Tool.path(of: "setpriv"), "--reuid=\(Self.user)", "--regid=\(Self.user)", "--clear-groups",
                    "--pdeathsig", "TERM",
                ] + command
        }
        process = try ChildProcess(
            executable: command[0], arguments: Array(command.dropFirst()),
            environment: ProcessEnvironment.current(
                changing: [
                    "XDG_RUNTIME_DIR": directory.path, "XDG_CONFIG_HOME": directory.path, "HOME": directory.path,
                    "WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1",
                ], removing: ["DISPLAY", "WAYLAND_DISPLAY", "SWAYSOCK"]),
            options: child)
        let deadline = MonotonicClock.now() + Tool.timeout
        while true {
            let names = PrivateDirectory.entries(FilePath(directory.path))
            // The socket is there long before anything is answered.
            if names.contains("ready"),
                let name = names.first(where: { $0.hasPrefix("wayland-") && !$0.hasSuffix(".lock") })
            {
                display = directory.file(name)
                return
            }
            guard process.poll() == nil, MonotonicClock.now() < deadline else { break }
            usleep(20_000)
        }
        let ending = process.end(signal: SIGKILL, deadline: 0)
        throw Tool.Error.failed(name: "sway", ending: ending, complaint: ProcFiles.read(directory.file("log")))
    }

    deinit { end() }

    /// Has sway carry out a command, as sway(5) and sway-output(5) have them. Returns when it has.
    package func perform(_ command: String) throws {
        let control = PrivateDirectory.entries(FilePath(directory.path)).first { $0.hasPrefix("sway-ipc.") } ?? ""
        _ = try Tool.output(try Tool.path(of: "swaymsg"), ["--socket", directory.file(control), command])
    }

    /// Ends the compositor as a crash would, and waits for it.
    package func end() { _ = process.end(signal: SIGKILL, deadline: 0) }
}
