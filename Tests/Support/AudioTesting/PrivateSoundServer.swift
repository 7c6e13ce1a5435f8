// A PulseAudio of a test's own, away from the machine's: a null sink called kinecast, and pactl to change things.
import CLinux
import Glibc
import KinePlatform
import SystemPackage

/// Started by `init`, ended by `end` (or with this object).
public final class PrivateSoundServer: @unchecked Sendable {
    // Sendable: `process` is changed by `restart` and `end` only, which a test calls one after the other.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
        public init(description: String) { self.description = description }
    }

    /// For PULSE_SERVER and for libpulse.
    public var address: String { "unix:\(directory)/native" }

    private let directory: String
    private var process: ChildProcess?
    private let modules: [String]

    /// Starts the server and waits until it answers. `modules`: further modules with their arguments.
    public init(modules: [String] = []) throws {
        var template = Array("/tmp/kinecast-sound-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(description: "mkdtemp: \(errno)") }
        directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        self.modules = modules
        try start()
    }

    deinit { end() }

    public func start() throws {
        guard let executable = Self.find("pulseaudio") else {
            throw Failure(description: "pulseaudio is missing; install Debian's pulseaudio")
        }
        var arguments = [
            "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disallow-exit", "--log-level=error",
            "--load=module-native-protocol-unix auth-anonymous=1 socket=\(directory)/native",
            "--load=module-null-sink sink_name=kinecast",
        ]
        arguments += modules.map { "--load=\($0)" }
        // A test that crashes must not leave its server behind. The signal comes with the end of the calling thread, so a
        // server is started from the thread that runs the test.
        var options = ChildProcess.Options()
        options.parentDeathSignal = SIGKILL
        process = try ChildProcess(
            executable: executable, arguments: arguments, environment: environment, options: options)
        try wait("the server to answer") { (try? control("info")) != nil }
    }

    public func end() {
        guard let process else { return }
        _ = process.end(signal: SIGTERM, deadline: MonotonicClock.now() + 30_000_000_000)
        self.process = nil
        if let executable = Self.find("rm") {
            _ = try? ChildProcess(executable: executable, arguments: ["-rf", directory], environment: []).wait()
        }
    }

    /// Kills the server; `start` brings it back at the same address.
    public func kill() {
        guard let process else { return }
        _ = process.end(signal: SIGKILL, deadline: MonotonicClock.now() + 300_000_000_000)
        self.process = nil
        _ = unlink("\(directory)/native")
    }

    /// Runs pactl and returns what it prints. Throws where pactl fails.
    @discardableResult
    public func control(_ arguments: String...) throws -> String {
        guard let executable = Self.find("pactl") else {
            throw Failure(description: "pactl is missing; install Debian's pulseaudio-utils")
        }
        let (reading, writing) = try FileDescriptor.pipe()
        defer { try? reading.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, writing, nil]
        let child = try ChildProcess(
            executable: executable, arguments: arguments, environment: environment, options: options)
        try writing.close()
        var output: [UInt8] = []
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
        defer { room.deallocate() }
        while case let count = try reading.read(into: room), count > 0 { output += room[0..<count] }
        guard child.wait() == .exited(status: 0) else { throw Failure(description: "pactl \(arguments) failed") }
        return String(decoding: output, as: UTF8.self)
    }

    private var environment: [String] {
        [
            "PATH=/usr/bin:/bin", "HOME=\(directory)", "XDG_RUNTIME_DIR=\(directory)", "LC_ALL=C",
            "PULSE_RUNTIME_PATH=\(directory)", "PULSE_SERVER=\(address)",
        ]
    }

    private static func find(_ name: String) -> String? {
        ["/usr/bin/", "/bin/", "/usr/local/bin/"].map { $0 + name }.first { access($0, X_OK) == 0 }
    }
}

/// Asks `condition` every few milliseconds until it holds: for states of other processes that nothing announces.
public func wait(
    _ what: String, seconds: Double = 300, until condition: () throws -> Bool
) throws {
    let deadline = MonotonicClock.now() + Int64(seconds * 1e9)
    while try !condition() {
        guard MonotonicClock.now() < deadline else {
            throw PrivateSoundServer.Failure(description: "waited \(seconds) s in vain for \(what)")
        }
        usleep(5000)
    }
}

/// Runs work that blocks. Tests have threads of their own (Tests/XCTMain.swift), so this one will do; a server that is started
/// from it goes with the process.
public func onThread<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result { try body() }
