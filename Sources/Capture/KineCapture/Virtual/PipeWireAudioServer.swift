// A PipeWire server for one take. Programs play to its only output, by PipeWire or PulseAudio, and the take records it.
import Glibc
import KinePlatform
import KinePulse

/// PipeWire, WirePlumber, which connects programs to the output, and PipeWire's server for PulseAudio programs.
final class PipeWireAudioServer: SessionServer {
    static let program = "pipewire"
    static let manager = "wireplumber"

    static var isInstalled: Bool { ExecutableSearch.find(program) != nil && ExecutableSearch.find(manager) != nil }

    let environment: [String]
    private let processes: [ChildProcess]

    /// Blocks until a playing program is audible. Sockets, configurations and state are in `directory`.
    init(directory: String, bus: String, _ servers: SessionServers) throws(VirtualSession.Error) {
        let socket = directory + "/pulse.sock"
        let address = "unix:\(socket)"
        environment = ["PIPEWIRE_RUNTIME_DIR=\(directory)", "PULSE_SERVER=\(address)", "PULSE_SINK=\(Self.output)"]
        let own = ProcessEnvironment.current(
            changing: [
                "PIPEWIRE_RUNTIME_DIR": directory, "PULSE_RUNTIME_PATH": directory, "XDG_RUNTIME_DIR": directory,
                "XDG_CONFIG_HOME": directory + "/config", "XDG_STATE_HOME": directory + "/state",
                "XDG_DATA_HOME": directory + "/data", "HOME": directory, "DBUS_SESSION_BUS_ADDRESS": bus,
                "DBUS_SYSTEM_BUS_ADDRESS": "disabled:",
            ],
            removing: [
                "DISPLAY", "WAYLAND_DISPLAY", "PULSE_SERVER", "PIPEWIRE_REMOTE", "PIPEWIRE_CONFIG_DIR",
                "PIPEWIRE_CONFIG_PREFIX", "PIPEWIRE_CONFIG_NAME", "PIPEWIRE_LATENCY", "PIPEWIRE_QUANTUM",
                "PIPEWIRE_RATE",
                "PIPEWIRE_PROPS", "WIREPLUMBER_CONFIG_DIR", "WIREPLUMBER_PROFILE",
            ])
        try Self.configure(directory, socket: socket, servers)
        var started: [ChildProcess] = []
        do throws(VirtualSession.Error) {
            for (program, arguments, socket) in [
                (Self.program, ["-c", directory + "/pipewire.conf"], directory + "/pipewire-0"),
                (Self.manager, [], nil),
                (Self.program, ["-c", directory + "/pulse.conf"], socket),
            ] {
                let process = try servers.start(program, arguments, environment: own)
                started.append(process)
                if let socket {
                    try servers.wait(for: process, .noAnswer(program: program)) { UnixSocket.accepts(socket) }
                }
            }
            // The take records the default output. WirePlumber chooses it a moment after its start.
            try servers.wait(for: started[1], .noAnswer(program: Self.manager)) {
                (try? PulseSources.list(server: address))?.defaultOutput == Self.output
            }
        } catch {
            Self.end(started, deadline: MonotonicClock.now() + 1_000_000_000)
            throw error
        }
        processes = started
    }

    func end(deadline: Int64) { Self.end(processes, deadline: deadline) }

    private static func end(_ processes: [ChildProcess], deadline: Int64) {
        for process in processes.reversed() { _ = process.end(deadline: deadline) }
    }

    private static let output = "kinecast"

    /// Without real-time priorities, locked memory and the machine's devices, which only devices need.
    private static func configure(
        _ directory: String, socket: String, _ servers: SessionServers
    ) throws(VirtualSession.Error) {
        let both = """
            context.spa-libs = { audio.convert.* = audioconvert/libspa-audioconvert, support.* = support/libspa-support }

            """
        try servers.write(
            both + """
                context.properties = {
                    core.daemon = true, core.name = pipewire-0, mem.allow-mlock = false, support.dbus = false
                }
                context.modules = [
                    { name = libpipewire-module-protocol-native }
                    { name = libpipewire-module-metadata }
                    { name = libpipewire-module-spa-node-factory }
                    { name = libpipewire-module-client-node }
                    { name = libpipewire-module-access }
                    { name = libpipewire-module-adapter }
                    { name = libpipewire-module-link-factory }
                    { name = libpipewire-module-session-manager }
                ]
                context.objects = [
                    { factory = spa-node-factory, args = {
                        factory.name = support.node.driver, node.name = Dummy-Driver, node.group = pipewire.dummy
                        priority.driver = 20000
                    } }
                    { factory = adapter, args = {
                        factory.name = support.null-audio-sink, media.class = Audio/Sink
                        node.name = \(output), node.description = Kinecast
                        audio.position = [ FL FR ], monitor.channel-volumes = true
                    } }
                ]

                """, to: directory + "/pipewire.conf", for: program)
        try servers.write(
            both + """
                context.properties = { mem.allow-mlock = false, support.dbus = false }
                context.modules = [
                    { name = libpipewire-module-protocol-native }
                    { name = libpipewire-module-client-node }
                    { name = libpipewire-module-adapter }
                    { name = libpipewire-module-metadata }
                    { name = libpipewire-module-protocol-pulse, args = { server.address = [ "unix:\(socket)" ] } }
                ]

                """, to: directory + "/pulse.conf", for: program)
        for (folder, name, text) in SessionManagerSettings.withoutDevices {
            let folder = directory + "/config/wireplumber/" + folder
            for end in folder.indices where folder[end] == "/" && end > folder.startIndex {
                mkdir(String(folder[..<end]), 0o700)
            }
            mkdir(folder, 0o700)
            try servers.write(text, to: folder + "/" + name, for: manager)
        }
    }
}
