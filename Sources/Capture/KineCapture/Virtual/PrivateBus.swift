// A private D-Bus session for one take.
import Glibc
import KinePlatform
import KineText
import SystemPackage

/// A message bus without activatable services: only the take's programs use it, and nothing outlives them.
final class PrivateBus: Sendable {
    static let program = "dbus-daemon"

    let address: String
    private let process: ChildProcess

    /// Blocks until the bus accepts clients. Its socket is in `directory`.
    init(directory: String, _ servers: SessionServers) throws(VirtualSession.Error) {
        address = "unix:path=\(directory)/bus"
        let file = directory + "/bus.conf"
        try servers.write(Self.configuration(address), to: file, for: Self.program)
        let pipe: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
        do { pipe = try FileDescriptor.pipe() } catch {
            throw .cannotStart(program: Self.program, error as? Errno ?? .ioError)
        }
        defer { try? pipe.readEnd.close() }
        process = try Self.start(configuration: file, report: pipe.writeEnd, servers)
        // It prints its address once it listens.
        let deadline = MonotonicClock.now() + VirtualSession.timeout
        var byte: UInt8 = 0
        guard WakeSignal.poll([pipe.readEnd.rawValue, servers.cancellation.descriptor], until: deadline)[0],
            Glibc.read(pipe.readEnd.rawValue, &byte, 1) == 1
        else { throw servers.giveUp(process, .noAnswer(program: Self.program)) }
    }

    func end(deadline: Int64) { _ = process.end(deadline: deadline) }

    /// The bus writes its address to `report`, which is closed here.
    private static func start(
        configuration: String, report: FileDescriptor, _ servers: SessionServers
    ) throws(VirtualSession.Error) -> ChildProcess {
        defer { try? report.close() }
        return try servers.start(
            program, ["--config-file=\(configuration)", "--nofork", "--nopidfile", "--print-address=3"],
            descriptor: report)
    }

    /// dbus-daemon refuses users without an entry in the system's list, such as a container's (`--user 12345`). Then it
    /// asks nobody who they are: only this user can enter the socket's directory.
    private static var authentication: String {
        getpwuid(geteuid()) == nil ? "<auth>ANONYMOUS</auth><allow_anonymous/>" : "<auth>EXTERNAL</auth>"
    }

    /// As dbus-daemon's session.conf, without directories of services.
    private static func configuration(_ address: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>\(address.escapedMarkup)</listen>
          \(authentication)
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
        </busconfig>

        """
    }
}
