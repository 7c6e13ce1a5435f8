// A sound server that nobody else uses, with one sink that swallows everything.
import CLinux
import Glibc
import KinePlatform
import SystemPackage

/// A running PulseAudio. Call `end` when done; it also dies with the thread that made it.
public final class PrivateSound {
    public let process: ChildProcess
    /// What a client needs in its environment.
    public var environment: [String] { ["PULSE_SERVER=unix:\(folder.file("native"))"] }
    /// The sink's name, and the source with what it plays.
    public static let sink = "measure"
    public static let monitor = "measure.monitor"

    private let folder: TemporaryDirectory

    /// Starts the server and waits until it takes connections (20 seconds at most).
    public init() throws {
        let executable = try Tool.path(of: "pulseaudio")
        let folder = try TemporaryDirectory()
        self.folder = folder
        let socket = folder.file("native")
        let log = try FileDescriptor.open(
            FilePath(folder.file("log")), .writeOnly, options: [.create, .append], permissions: [.ownerReadWrite])
        defer { try? log.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, log, log]
        options.parentDeathSignal = SIGTERM
        options.newSession = true
        // Its state, its runtime files and its cookie stay in the folder: nothing of the user's own is read or changed.
        let kept = Tool.inheritedEnvironment().filter { entry in
            !["HOME=", "XDG_", "PULSE_", "DBUS_", "DISPLAY="].contains { entry.hasPrefix($0) }
        }
        process = try ChildProcess(
            executable: executable,
            arguments: [
                "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--disable-shm=no",
                "--load=module-null-sink sink_name=\(PrivateSound.sink) rate=48000",
                "--load=module-native-protocol-unix socket=\(socket) auth-anonymous=1",
            ],
            environment: kept + ["HOME=\(folder.path)", "XDG_RUNTIME_DIR=\(folder.path)"], options: options)
        let deadline = MonotonicClock.now() + 300_000_000_000
        while !PrivateSound.answers(socket) {
            if process.poll() != nil || MonotonicClock.now() > deadline {
                _ = process.end(signal: SIGKILL, deadline: MonotonicClock.now())
                throw Tool.Error.failed(
                    name: "pulseaudio", ending: .exited(status: 1), complaint: "Its socket did not open in 20 seconds.")
            }
            // The server tells nobody when it is ready; it is asked until it answers.
            usleep(5000)
        }
    }

    /// Ends the server and waits for it.
    public func end() { _ = process.end(deadline: MonotonicClock.now() + 2_000_000_000) }

    private static func answers(_ path: String) -> Bool {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return false }
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
