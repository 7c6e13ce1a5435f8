// PulseAudio for one take, with one output that is not audible.
import KinePlatform
import KinePulse

/// An audio server whose only output is recorded but not played.
final class PrivateAudioServer: SessionServer {
    static let program = "pulseaudio"

    let environment: [String]
    private let process: ChildProcess

    /// Blocks until the server accepts clients. Its socket and state are in `directory`.
    init(directory: String, _ servers: SessionServers) throws(VirtualSession.Error) {
        let socket = directory + "/pulse.sock"
        environment = ["PULSE_SERVER=unix:\(socket)", "PULSE_SINK=kinecast"]
        process = try Self.start(directory: directory, socket: socket, servers)
        // It listens before its start is complete, and can still fail.
        try servers.wait(for: process, .noAnswer(program: Self.program)) {
            UnixSocket.accepts(socket) && (try? PulseSources.list(server: "unix:\(socket)")) != nil
        }
    }

    func end(deadline: Int64) { _ = process.end(deadline: deadline) }

    private static func start(
        directory: String, socket: String, _ servers: SessionServers
    ) throws(VirtualSession.Error) -> ChildProcess {
        // Without an address, libdbus looks for a bus in XDG_RUNTIME_DIR; the server ends if its name is taken there.
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
                // Otherwise the sink renders up to two seconds ahead, which delays a sound that begins meanwhile.
                "--load=module-null-sink sink_name=kinecast sink_properties=device.description=Kinecast norewinds=1",
            ],
            environment: ProcessEnvironment.current(
                changing: own, removing: ["DISPLAY", "PULSE_SERVER", "PULSE_CONFIG"]))
    }
}
