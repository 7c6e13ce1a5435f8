// A bus of a test's own, which no program of the machine uses and which starts no services.
import Glibc
import KineDesktop
import KineMeasure
import KinePlatform
import SystemPackage

/// A running dbus-daemon. It ends when the last reference goes, and with the thread that made it.
package final class TestBus: Sendable {
    package let address: String

    private let process: ChildProcess
    private let directory: TemporaryDirectory

    /// Starts the bus and waits until it takes connections.
    ///
    /// - Parameters:
    ///   - socket: its path; nil: in a directory of the bus's own.
    ///   - isOpenToOthers: other users may connect.
    package init(at socket: String? = nil, isOpenToOthers: Bool = false) throws {
        directory = try TemporaryDirectory()
        address = "unix:path=\(socket ?? directory.file("bus"))"
        if isOpenToOthers { chmod(directory.path, 0o755) }
        let configuration = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <listen>\(address)</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                <allow own="*"/>
                \(isOpenToOthers ? "<allow user=\"*\"/>" : "")
              </policy>
            </busconfig>
            """
        let file = try directory.write(configuration.utf8, to: "bus.conf")
        let pipe = try FileDescriptor.pipe()
        defer { for end in [pipe.readEnd, pipe.writeEnd] { try? end.close() } }
        var options = ChildProcess.Options()
        options.descriptors = [nil, pipe.writeEnd, nil]
        options.parentDeathSignal = SIGTERM
        process = try ChildProcess(
            executable: try Tool.path(of: "dbus-daemon"),
            arguments: ["--config-file=\(file)", "--nofork", "--nopidfile", "--print-address=1"],
            environment: ProcessEnvironment.current, options: options)
        guard Tool.readLine(pipe.readEnd, until: MonotonicClock.now() + Tool.timeout) != nil else {
            throw Tool.Error.failed(
                name: "dbus-daemon", ending: process.end(signal: SIGKILL, deadline: 0), complaint: "")
        }
    }

    deinit { end() }

    /// Ends the bus as a crash would, and waits for it.
    package func end() { _ = process.end(signal: SIGKILL, deadline: 0) }
}
