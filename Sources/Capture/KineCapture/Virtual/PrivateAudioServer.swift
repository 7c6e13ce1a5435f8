// PulseAudio with one output that nobody hears, for one take.
import KinePlatform
import KinePulse

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
        // It listens before it has begun, and can still fail.
        try servers.wait(for: process, .noAnswer(program: Self.program)) {
            SessionServers.accepts(socket) && (try? PulseSources.list(server: "unix:\(socket)")) != nil
        }
    }

    func end(deadline: Int64) { _ = process.end(deadline: deadline) }

    private static func start(
        directory: String, socket: String, _ servers: SessionServers
    ) throws(VirtualSession.Error) -> ChildProcess {
        // Without an address libdbus would look for a bus in XDG_RUNTIME_DIR. The server ends where its name is taken there.
        let own = [
            "PULSE_RUNTIME_PATH": directory, "PULSE_STATE_PATH": directory, "HOME": directory,
            "XDG_CONFIG_HOME": directory, "XDG_RUNTIME_DIR": directory, "DBUS_SESSION_BUS_ADDRESS": "disabled:",
            "DBUS_SYSTEM_BUS_ADDRESS": "disabled:",
        ]
        return try servers.start(
            program,
            [
                "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disallow-exit", "--realtime=no",
                "--high-priority=no",
                "--load=module-native-protocol-unix auth-anonymous=1 auth-cookie-enabled=0 socket=\(socket)",
                // Otherwise the sink renders up to two seconds ahead, and a sound that begins meanwhile is heard after them.
                "--load=module-null-sink sink_name=kinecast sink_properties=device.description=Kinecast norewinds=1",
            ],
            environment: ProcessEnvironment.current(
                changing: own, removing: ["DISPLAY", "PULSE_SERVER", "PULSE_CONFIG"]))
    }
}
