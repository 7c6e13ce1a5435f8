// PulseAudio with one output that nobody hears, for one take.
import Glibc
import KinePlatform
import SystemPackage

/// An audio server whose only output is recorded and not played.
final class PrivateAudioServer: Sendable {
    static let program = "pulseaudio"

    let environment: [String]
    private let process: ChildProcess
    private let socket: String

    /// Blocks until the server accepts clients. Its socket and its state are in `directory`.
    init(directory: String, cancellation: Cancellation) throws(VirtualSession.Error) {
        socket = directory + "/pulse.sock"
        environment = ["PULSE_SERVER=unix:\(socket)", "PULSE_SINK=kinecast"]
        process = try Self.start(directory: directory, socket: socket)
        let deadline = MonotonicClock.now() + VirtualSession.patience
        while !Self.accepts(socket) {
            guard process.poll() == nil, MonotonicClock.now() < deadline, !cancellation.isCancelled else {
                throw VirtualSession.giveUp(process, cancellation, .noAudio)
            }
            // PulseAudio has no way to say that it is ready, other than answering.
            _ = WakeSignal.poll([cancellation.descriptor], until: MonotonicClock.now() + 10_000_000)
        }
    }

    func end(deadline: Int64) {
        _ = process.end(deadline: deadline)
        unlink(socket)
    }

    private static func start(directory: String, socket: String) throws(VirtualSession.Error) -> ChildProcess {
        let own = [
            "PULSE_RUNTIME_PATH": directory, "PULSE_STATE_PATH": directory, "HOME": directory,
            "XDG_CONFIG_HOME": directory,
        ]
        return try VirtualSession.start(
            program,
            [
                "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disallow-exit", "--realtime=no",
                "--high-priority=no",
                "--load=module-native-protocol-unix auth-anonymous=1 auth-cookie-enabled=0 socket=\(socket)",
                "--load=module-null-sink sink_name=kinecast sink_properties=device.description=Kinecast",
            ],
            environment: ProcessEnvironment.current(
                changing: own, removing: ["DISPLAY", "PULSE_SERVER", "DBUS_SESSION_BUS_ADDRESS"]))
    }

    private static func accepts(_ path: String) -> Bool {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
