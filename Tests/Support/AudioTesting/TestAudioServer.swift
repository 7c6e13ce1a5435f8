// A PulseAudio of a test's own, away from the machine's: a null sink called kinecast, and pactl to change things.
import Glibc
import KineMeasure

/// Started by `init`, ended by `end` (or with this object).
public final class TestAudioServer: @unchecked Sendable {
    // Sendable: `server` is changed by `start`, `kill` and `end` only, which a test calls one after the other.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
        public init(description: String) { self.description = description }
    }

    /// For PULSE_SERVER and for libpulse.
    public var address: String { "unix:\(directory.file("native"))" }

    private let directory: TemporaryDirectory
    private var server: PrivateAudio?
    private let modules: [String]

    /// Starts the server and waits until it answers. `modules`: further modules with their arguments.
    public init(modules: [String] = []) throws {
        directory = try TemporaryDirectory()
        self.modules = ["module-null-sink sink_name=kinecast"] + modules
        try start()
    }

    deinit { end() }

    public func start() throws { server = try PrivateAudio(modules: modules, in: directory) }

    public func end() {
        server?.end()
        server = nil
    }

    /// Kills the server; `start` brings it back at the same address.
    public func kill() {
        _ = server?.process.end(signal: SIGKILL, deadline: 0)
        server = nil
        unlink(directory.file("native"))
    }

    /// Runs pactl and returns what it prints. Throws where pactl fails.
    @discardableResult
    public func control(_ arguments: String...) throws -> String { try control(arguments) }

    @discardableResult
    public func control(_ arguments: [String]) throws -> String {
        let own = ["LC_ALL=C", "HOME=\(directory.path)", try Tool.path(of: "pactl"), "--server=\(address)"]
        return try Tool.output("env", own + arguments)
    }
}

/// Runs work that blocks. Tests have threads of their own (Tests/XCTMain.swift), so this one will do; a server that is started
/// from it goes with the process.
public func onThread<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result { try body() }
