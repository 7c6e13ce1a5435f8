// The engine's end of an extension that is fed without an engine: starting it, and waiting for what it says.
import Glibc
import KineMeasure
import KinePlatform
import KineWire

extension ControlConnection where Received == ExtensionReport, Sent == ExtensionRequest {
    /// Starts an extension, an executable of that name beside this one. It dies with the thread that started it.
    static func starting(
        _ name: String, environment: [String] = []
    ) throws -> (connection: ControlConnection, child: ChildProcess) {
        let (connection, theirs) = try pair()
        defer { try? theirs.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, .standardError, theirs]
        options.parentDeathSignal = SIGKILL
        let child = try ChildProcess(
            executable: try Tool.sibling(name), arguments: [], environment: environment, options: options)
        return (connection, child)
    }

    /// Blocks until the extension, an executable of that name, says `wanted`; throws where it fails or takes too long.
    func wait(for wanted: ExtensionReport, of name: String) throws {
        let end = deadline(in: 20)
        var complaint = "It did not answer \(wanted) in 20 seconds."
        search: while MonotonicClock.now() < end {
            for message in try receive(until: end) {
                if message == wanted { return }
                if case .failed(let reason) = message {
                    complaint = reason
                    break search
                }
            }
        }
        throw Tool.Error.failed(name: name, ending: .exited(status: 1), complaint: complaint)
    }
}
