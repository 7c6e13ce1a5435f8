// sway without a monitor, a graphics card or a seat: a Wayland compositor that draws into memory, for one take.
import Glibc
import KineMedia
import KinePlatform
import SystemPackage

/// A Wayland compositor that this user's programs can use. Its windows share its one output as tiles.
final class PrivateCompositor: Sendable {
    static let program = "sway"

    let environment: [String]
    private let process: ChildProcess
    private let directory: String

    /// Blocks until the compositor has its output and takes clients.
    init(size: PixelSize, directory parent: String, cancellation: Cancellation) throws(VirtualSession.Error) {
        let user = Self.user
        directory = try Self.makeDirectory(in: parent, for: user)
        let directory = directory
        do throws(VirtualSession.Error) {
            process = try Self.start(size: size, directory: directory, user: user)
        } catch {
            Self.remove(directory)
            throw error
        }
        let deadline = MonotonicClock.now() + VirtualSession.patience
        while true {
            let names = PrivateDirectory.entries(FilePath(directory))
            // Its socket is there long before its output; what it starts comes last.
            if names.contains(Self.mark), let socket = names.first(where: Self.isSocket) {
                let control = names.first { $0.hasPrefix("sway-ipc.") }.map { "\(directory)/\($0)" } ?? ""
                // Programs that can use X11 would find the session's own display.
                environment = [
                    "WAYLAND_DISPLAY=\(directory)/\(socket)", "SWAYSOCK=\(control)", "XDG_SESSION_TYPE=wayland",
                    "XDG_CURRENT_DESKTOP=sway", "DISPLAY=",
                ]
                return
            }
            guard process.poll() == nil, MonotonicClock.now() < deadline, !cancellation.isCancelled else {
                let failure = VirtualSession.giveUp(process, cancellation, .noCompositor(size))
                Self.remove(directory)
                throw failure
            }
            _ = WakeSignal.poll([cancellation.descriptor], until: MonotonicClock.now() + 10_000_000)
        }
    }

    func end(deadline: Int64) {
        _ = process.end(deadline: deadline)
        Self.remove(directory)
    }

    private static let mark = "ready"

    private static func isSocket(_ name: String) -> Bool { name.hasPrefix("wayland-") && !name.hasSuffix(".lock") }

    private static func start(
        size: PixelSize, directory: String, user: UInt32?
    ) throws(VirtualSession.Error) -> ChildProcess {
        let configuration = """
            output * mode \(size.width)x\(size.height)@60Hz
            xwayland disable
            default_border none
            focus_follows_mouse no
            exec touch \(directory)/\(mark)

            """
        let path = directory + "/config"
        do {
            let file = try FileDescriptor.open(
                path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
            try file.closeAfter { _ = try file.writeAll(configuration.utf8) }
        } catch {
            throw .cannotStart(program: program, error as? Errno ?? .ioError)
        }
        return try VirtualSession.start(
            program,
            // With NVIDIA's driver on the machine, it would not start otherwise, although it does not use it.
            ["--unsupported-gpu", "--config", path],
            environment: ProcessEnvironment.current(
                changing: [
                    "XDG_RUNTIME_DIR": directory, "XDG_CONFIG_HOME": directory, "HOME": directory,
                    "WLR_BACKENDS": "headless", "WLR_HEADLESS_OUTPUTS": "1", "WLR_RENDERER": "pixman",
                    "WLR_LIBINPUT_NO_DEVICES": "1", "LIBSEAT_BACKEND": "noop",
                ], removing: ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "SWAYSOCK", "DBUS_SESSION_BUS_ADDRESS"]),
            user: user)
    }

    // MARK: Another user

    /// sway refuses to run as root. Root starts it under a user id that has no name, files or processes, from the range that systemd keeps for
    /// such services (systemd.exec(5), DynamicUser).
    private static var user: UInt32? {
        guard geteuid() == 0 else { return nil }
        return (0..<64).lazy.map { _ in UInt32.random(in: 61184...65519) }.first { getpwuid($0) == nil } ?? 65519
    }

    /// A directory for its sockets. Another user may not enter the take's own.
    private static func makeDirectory(
        in parent: String, for user: UInt32?
    ) throws(VirtualSession.Error) -> String {
        if user != nil { removeAbandoned() }
        var template = Array(
            ((user == nil ? "\(parent)/wayland" : "/tmp/\(prefix)\(getpid())") + "-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw .cannotStart(program: program, Errno(rawValue: errno)) }
        let directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        guard let user else { return directory }
        guard chown(directory, user, user) == 0 else {
            let failure = Errno(rawValue: errno)
            rmdir(directory)
            throw .cannotStart(program: program, failure)
        }
        return directory
    }

    private static let prefix = "kinecast-wayland-"

    /// Removes directories of engines that were killed: their numbers are in the names.
    private static func removeAbandoned() {
        for name in PrivateDirectory.entries("/tmp") where name.hasPrefix(prefix) {
            guard let engine = Int32(name.dropFirst(prefix.count).prefix { $0.isNumber }), kill(engine, 0) != 0,
                errno == ESRCH
            else { continue }
            remove("/tmp/\(name)")
        }
    }

    /// It holds only files: sockets, the configuration and the mark. No link is followed.
    private static func remove(_ directory: String) {
        for name in PrivateDirectory.entries(FilePath(directory)) { unlink("\(directory)/\(name)") }
        rmdir(directory)
    }
}
