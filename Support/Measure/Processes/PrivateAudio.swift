// An audio server that nobody else uses, with sinks that swallow everything.
import Glibc
import KinePlatform
import SystemPackage

/// A running PulseAudio. Call `end` when done; it also dies with the thread that made it.
public final class PrivateAudio {
    public let process: ChildProcess
    /// What a client needs in its environment.
    public var environment: [String] { ["PULSE_SERVER=unix:\(directory.file("native"))"] }
    /// The sink's name, and the source with what it plays.
    public static let sink = "measure"
    public static let monitor = "measure.monitor"

    private let directory: TemporaryDirectory

    /// Starts the server and waits until it takes connections.
    /// - Parameters:
    ///   - modules: what it loads, with arguments.
    ///   - directory: where its socket and all its files are; nil: one of its own.
    public init(
        modules: [String] = ["module-null-sink sink_name=\(PrivateAudio.sink) rate=48000"],
        in directory: TemporaryDirectory? = nil
    ) throws {
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        let socket = directory.file("native")
        let log = try FileDescriptor.open(
            FilePath(directory.file("log")), .writeOnly, options: [.create, .append], permissions: [.ownerReadWrite])
        defer { try? log.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, log, log]
        options.parentDeathSignal = SIGTERM
        options.newSession = true
        // Its state, its runtime files and its cookie stay in the directory: nothing of the user's own is read or changed.
        let kept = ProcessEnvironment.current.filter { entry in
            !["HOME=", "XDG_", "PULSE_", "DBUS_", "DISPLAY="].contains { entry.hasPrefix($0) }
        }
        process = try ChildProcess(
            executable: try Tool.path(of: "pulseaudio"),
            arguments: [
                "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--disable-shm=no",
            ] + modules.map { "--load=\($0)" } + [
                // Last: with its socket everything is there.
                "--load=module-native-protocol-unix socket=\(socket) auth-anonymous=1"
            ],
            environment: kept + ["HOME=\(directory.path)", "XDG_RUNTIME_DIR=\(directory.path)"], options: options)
        let deadline = MonotonicClock.now() + Tool.timeout
        while !PrivateAudio.answers(socket) {
            if process.poll() != nil || MonotonicClock.now() > deadline {
                let ending = process.end(signal: SIGKILL, deadline: 0)
                throw Tool.Error.failed(
                    name: "pulseaudio", ending: ending, complaint: ProcFiles.read(directory.file("log")))
            }
            // The server tells nobody when it is ready; it is asked until it answers.
            _ = WakeSignal.poll([process.exitDescriptor], until: MonotonicClock.now() + 5_000_000)
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
