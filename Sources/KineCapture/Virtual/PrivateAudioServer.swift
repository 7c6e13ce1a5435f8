// PulseAudio with one output that nobody hears, for one take.
import KinePlatform

/// An audio server whose only output is recorded and not played.
final class PrivateAudioServer: Sendable {
    static let program = "pulseaudio"

    let environment: [String]
    private let process: ChildProcess

    /// Blocks until the server accepts clients. Its socket and its state are in `directory`.
    init(directory: String, _ servers: SessionServers) throws(VirtualSession.Error) {
        let socket = directory + "/pulse.sock"
        environment = ["PULSE_SERVER=unix:\(socket)", "PULSE_SINK=kinecast"]
        process = try Self.start(directory: directory, socket: socket, servers)
        try servers.wait(for: process, .noAnswer(program: Self.program)) { SessionServers.accepts(socket) }
    }

    func end(deadline: Int64) { _ = process.end(deadline: deadline) }

    private static func start(
        directory: String, socket: String, _ servers: SessionServers
    ) throws(VirtualSession.Error) -> ChildProcess {
        let own = [
            "PULSE_RUNTIME_PATH": directory, "PULSE_STATE_PATH": directory, "HOME": directory,
            "XDG_CONFIG_HOME": directory,
        ]
        return try servers.start(
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
}
