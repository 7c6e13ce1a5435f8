// A PipeWire of a test's own that serves PulseAudio's programs, as today's desktops have it: with a session manager and pipewire-pulse.
import Glibc
import KineCapture
import KineMeasure
import KinePlatform
import SystemPackage

/// Started by `init`, ended by `end` (or with this object).
public final class TestPipeWireAudio {
    /// For PULSE_SERVER and for libpulse.
    public var address: String { "unix:\(directory.file("pulse/native"))" }

    private let directory: TemporaryDirectory
    private var processes: [ChildProcess] = []

    /// Starts all of it and waits until there is a sink called kinecast.
    public init() throws {
        directory = try TemporaryDirectory()
        // No device of the machine is touched.
        for (folder, name, text) in SessionManagerSettings.withoutDevices {
            _ = try Tool.output("mkdir", ["-p", directory.file("wireplumber/\(folder)")])
            _ = try directory.write(text.utf8, to: "wireplumber/\(folder)/\(name)")
        }
        do {
            let bus = "unix:path=\(directory.file("bus"))"
            try start("dbus-daemon", ["--session", "--nofork", "--nopidfile", "--address=\(bus)"])
            try wait(for: "the bus") { access(directory.file("bus"), F_OK) == 0 }
            try start("pipewire", [])
            try wait(for: "PipeWire") { access(directory.file("pipewire-0"), F_OK) == 0 }
            try start("wireplumber", [])
            try start("pipewire-pulse", [])
            try wait(for: "pipewire-pulse") { (try? control("info")) != nil }
            try control("load-module", "module-null-sink", "sink_name=kinecast")
            // The session manager chooses it in its own time.
            try wait(for: "the sink") { (try? control("info"))?.contains("Default Sink: kinecast\n") == true }
        } catch {
            end()
            throw error
        }
    }

    deinit { end() }

    public func end() {
        for process in processes.reversed() { _ = process.end(deadline: MonotonicClock.now() + 2_000_000_000) }
        processes = []
    }

    /// Runs pactl and returns what it prints. Throws where pactl fails.
    @discardableResult
    public func control(_ arguments: String...) throws -> String { try control(arguments) }

    /// As `control(_:)` with its arguments one by one.
    @discardableResult
    public func control(_ arguments: [String]) throws -> String {
        let own = ["LC_ALL=C", "HOME=\(directory.path)", try Tool.path(of: "pactl"), "--server=\(address)"]
        return try Tool.output("env", own + arguments)
    }

    private func start(_ name: String, _ arguments: [String]) throws {
        let log = try FileDescriptor.open(
            FilePath(directory.file("log")), .writeOnly, options: [.create, .append], permissions: [.ownerReadWrite])
        defer { try? log.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, log, log]
        options.parentDeathSignal = SIGTERM
        let kept = ProcessEnvironment.current.filter { entry in
            !["HOME=", "XDG_", "PULSE_", "PIPEWIRE_", "DBUS_", "DISPLAY=", "WAYLAND_"].contains { entry.hasPrefix($0) }
        }
        let own = ["HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"].map { "\($0)=\(directory.path)" }
        processes.append(
            try ChildProcess(
                executable: try Tool.path(of: name), arguments: arguments,
                environment: kept + own + ["DBUS_SESSION_BUS_ADDRESS=unix:path=\(directory.file("bus"))"],
                options: options))
    }

    private func wait(for what: String, until condition: () throws -> Bool) throws {
        let deadline = MonotonicClock.now() + Tool.timeout
        while try !condition() {
            guard processes.allSatisfy({ $0.poll() == nil }), MonotonicClock.now() < deadline else {
                throw TestAudioServer.Failure(
                    description: "\(what) is not there: \(ProcFiles.read(directory.file("log")))")
            }
            // None of these programs tells that it is ready.
            _ = WakeSignal.poll([], until: MonotonicClock.now() + 20_000_000)
        }
    }
}
