// sway without monitor, graphics card and seat: a Wayland compositor that draws into memory, for one take.
import Glibc
import KineMedia
import KinePlatform
import KineText
import SystemPackage

/// A Wayland compositor for this user's programs. Its windows share one output as tiles.
final class PrivateCompositor: SessionServer {
    static let program = "sway"

    let environment: [String]
    private let process: ChildProcess

    /// Blocks until the compositor has its output and accepts clients.
    init(size: PixelSize, _ servers: SessionServers) throws(VirtualSession.Error) {
        let user = Self.user
        let directory = try servers.makeDirectory("wayland", for: Self.program, user: user)
        process = try Self.start(size: size, directory: directory, user: user, servers)
        var names: [String] = []
        try servers.wait(for: process, .noCompositor(size)) {
            names = PrivateDirectory.entries(FilePath(escaped: directory))
            // Its socket exists long before its output; it runs its configured command last.
            return names.contains(Self.mark) && names.contains(where: Self.isSocket)
        }
        let socket = names.first(where: Self.isSocket) ?? ""
        let control = names.first { $0.hasPrefix("sway-ipc.") }.map { "\(directory)/\($0)" } ?? ""
        // Without this, programs that support X11 would find the session's own display.
        environment = [
            "WAYLAND_DISPLAY=\(directory)/\(socket)", "SWAYSOCK=\(control)", "XDG_SESSION_TYPE=wayland",
            "XDG_CURRENT_DESKTOP=sway", "DISPLAY=",
        ]
    }

    func end(deadline: Int64) { _ = process.end(deadline: deadline) }

    private static let mark = "ready"

    private static func isSocket(_ name: String) -> Bool { name.hasPrefix("wayland-") && !name.hasSuffix(".lock") }

    private static func start(
        size: PixelSize, directory: String, user: UInt32?, _ servers: SessionServers
    ) throws(VirtualSession.Error) -> ChildProcess {
        let configuration = """
            output * mode \(size.width)x\(size.height)@60Hz
            xwayland disable
            default_border none
            focus_follows_mouse no
            exec touch \(directory)/\(mark)

            """
        let path = directory + "/config"
        try servers.write(configuration, to: path, for: program, isForAll: user != nil)
        return try servers.start(
            program,
            // Otherwise it does not start on a machine with NVIDIA's driver, although it does not use the driver.
            ["--unsupported-gpu", "--config", path],
            environment: ProcessEnvironment.current(
                changing: [
                    "XDG_RUNTIME_DIR": directory, "XDG_CONFIG_HOME": directory, "HOME": directory,
                    "WLR_BACKENDS": "headless", "WLR_HEADLESS_OUTPUTS": "1", "WLR_RENDERER": "pixman",
                    "WLR_LIBINPUT_NO_DEVICES": "1", "LIBSEAT_BACKEND": "noop",
                ], removing: ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "SWAYSOCK", "DBUS_SESSION_BUS_ADDRESS"]),
            user: user)
    }

    /// sway refuses to run as root. Root starts it with a user ID without name, files or processes, from systemd's
    /// range for such services (systemd.exec(5), DynamicUser).
    private static var user: UInt32? {
        guard geteuid() == 0 else { return nil }
        return (0..<64).lazy.map { _ in UInt32.random(in: 61184...65519) }.first { getpwuid($0) == nil } ?? 65519
    }
}
