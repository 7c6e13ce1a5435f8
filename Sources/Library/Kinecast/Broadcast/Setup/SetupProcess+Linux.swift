// The process of a setup program: confined like the service's extension, without access to the display. Linux.
import Glibc
import KinePlatform
import KineServices
import KineText
import KineWire
import SystemPackage

/// A started setup program. Used by the thread that started it. That thread must outlive the program: the kernel kills
/// the program when the thread ends.
final class SetupProcess {
    let connection: SetupClientConnection
    private let process: ChildProcess
    private let log: MemoryLog?

    private static let logBytes = 64 << 10

    /// `environment`: this process's environment. The program gets the same variables of it as an extension.
    init(_ service: Service, program: FilePath, environment: [String]) throws(BroadcastError) {
        func failure(_ reason: any Error) -> BroadcastError {
            BroadcastError(
                .setupFailed,
                "\(program), the setup program of the service \(service.id), cannot be started: \(reason); install the "
                    + "service again.")
        }
        let ends: (near: SetupClientConnection, farEnd: FileDescriptor)
        do throws(ControlError) {
            ends = try SetupClientConnection.pair()
        } catch {
            throw failure(error)
        }
        defer { try? ends.farEnd.close() }
        connection = ends.near
        log = MemoryLog(name: "kinecast-setup", limit: Self.logBytes)
        // It does not listen: the address for that is not known yet.
        var confined = service
        confined.executable = program
        confined.manifest.listen = nil
        let data = ServiceSandbox.dataDirectory(of: service, environment: environment)
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, log?.descriptor, ends.farEnd]
        options.parentDeathSignal = SIGKILL
        options.newSession = true
        options.directory = "/"
        do {
            var confinement = ServiceSandbox.limits(of: service, isCounted: false)
            confinement.sandbox = try Sandbox(
                ServiceSandbox.rules(for: confined, data: data, isCounted: false, environment: environment))
            options.confinement = confinement
            process = try ChildProcess(
                executable: program.escaped, arguments: [],
                environment: service.manifest.childEnvironment(from: environment)
                    + (data.map { ["\(PassedDescriptors.dataVariable)=\($0)"] } ?? []),
                options: options)
        } catch {
            throw failure(error)
        }
    }

    /// Readable when the process has ended.
    var exitDescriptor: Int32 { process.exitDescriptor }

    /// Kills the process and the children that are still in its group.
    func kill() { process.killGroup() }

    /// Reaps the process if it has ended; nil while it runs.
    func poll() -> (ending: ChildProcess.Ending, stderrTail: String?)? {
        process.poll().map { ($0, log?.stderrTail()) }
    }
}
