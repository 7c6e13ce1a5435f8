// A PipeWire of a test's own, away from the user's: with no session manager, so that nothing is linked that a test does not link.
import CoreTesting
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage

/// A running daemon. It ends when the last reference goes, and with the thread that made it.
package final class PrivatePipeWire {
    private var process: ChildProcess
    private let directory: TemporaryDirectory

    /// Starts the daemon and waits until it takes connections.
    package init() throws {
        directory = try TemporaryDirectory()
        let configuration = """
            context.properties = { core.daemon = true, core.name = pipewire-0, mem.allow-mlock = false, support.dbus = false }
            context.spa-libs = { support.* = support/libspa-support }
            context.modules = [
                { name = libpipewire-module-protocol-native }
                { name = libpipewire-module-client-node }
                { name = libpipewire-module-access }
                { name = libpipewire-module-adapter }
                { name = libpipewire-module-metadata }
                { name = libpipewire-module-link-factory }
            ]
            """
        _ = try directory.write(configuration.utf8, to: Self.configuration)
        process = try Self.start(in: directory)
        try waitUntilReady()
    }

    /// Starts another daemon in the place of the one that was ended.
    package func restart() throws {
        process = try Self.start(in: directory)
        try waitUntilReady()
    }

    private static let configuration = "test.conf"

    private static func start(in directory: TemporaryDirectory) throws -> ChildProcess {
        let log = try FileDescriptor.open(
            directory.file("log"), .writeOnly, options: .create, permissions: .ownerReadWrite)
        defer { try? log.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, log, log]
        options.parentDeathSignal = SIGTERM
        return try ChildProcess(
            executable: try Tool.path(of: "pipewire"), arguments: ["-c", directory.file(configuration)],
            environment: ProcessEnvironment.current(changing: ["PIPEWIRE_RUNTIME_DIR": directory.path]),
            options: options)
    }

    private func waitUntilReady() throws {
        do {
            // The daemon tells nobody when it is ready; it is asked until it answers.
            try wait("PipeWire") {
                if let ending = process.poll() { throw ending.failure(directory.file("log")) }
                guard let connection = try? connect() else { return false }
                try connection.close()
                return true
            }
        } catch {
            end()
            throw error
        }
    }

    deinit { end() }

    /// Ends the daemon as a crash would, and waits for it.
    package func end() { _ = process.end(signal: SIGKILL, deadline: 0) }

    /// What a program that is to find this daemon has in its environment.
    package var environment: [String: String] { ["PIPEWIRE_RUNTIME_DIR": directory.path] }

    /// The socket on which the daemon takes connections.
    package var socket: String { directory.file("pipewire-0") }

    /// A new connection, as a portal hands it out.
    package func connect() throws -> FileDescriptor { try Self.connect(to: socket) }

    package static func connect(to path: String) throws -> FileDescriptor {
        let socket = FileDescriptor(
            rawValue: Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket.rawValue, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            let failure = Errno(rawValue: errno)
            try? socket.close()
            throw failure
        }
        return socket
    }
}

extension ChildProcess.Ending {
    fileprivate func failure(_ log: String) -> Tool.Error {
        .failed(name: "pipewire", ending: self, complaint: ProcFiles.read(log))
    }
}
