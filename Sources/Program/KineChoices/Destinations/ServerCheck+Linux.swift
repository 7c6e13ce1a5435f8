// Asks a service's own executable whether the server would accept the stream. Linux.
import FoundationEssentials
import Glibc
import KineClient
import KinePlatform
import KineServices
import KineText
import KineWire
import Synchronization
import SystemPackage

/// A check of one destination. Any thread may call; `report` has to be called by the thread that called `start`, since the
/// kernel kills the executable when that thread ends.
package final class ServerCheck: Sendable {
    /// The longest wait for the answer, in nanoseconds; the executable itself gives up sooner.
    private static let timeout: Int64 = 30_000_000_000

    private struct State {
        var running: (process: ChildProcess, output: FileDescriptor)?
        var isCancelled = false
    }

    private let service: Service
    private let setupInfo: [String: String]
    private let state = Mutex(State())

    /// - Parameters:
    ///   - service: one whose manifest has a check.
    ///   - setupInfo: complete and checked, as for the extension.
    package init(_ service: Service, _ setupInfo: [String: String]) {
        (self.service, self.setupInfo) = (service, setupInfo)
    }

    /// Asks on a thread of its own. Cancelling the task ends the executable.
    package static func ask(
        _ service: Service, _ setupInfo: [String: String]
    ) async throws(ClientError) -> DestinationReport {
        let check = ServerCheck(service, setupInfo)
        return try await BlockingCall.run("kine-check") { () throws(ClientError) in
            do {
                try check.start()
                return try check.report()
            } catch {
                return DestinationReport(problem: check.problem(error))
            }
        } onCancel: {
            check.cancel()
        }
    }

    /// A sentence for an error of `start` or `report`.
    package func problem(_ error: any Error) -> String {
        let advice = service.bundle == nil ? "install Kinecast completely" : "install the service again"
        return "\(service.executable) cannot be started: \(error); \(advice)."
    }

    /// Starts the executable, and passes it the settings on its standard input: other users can read arguments.
    package func start() throws {
        // A pipe could fill up before an executable that reads nothing.
        let question = try MemoryInput(try JSONEncoder().encode(setupInfo), name: "kinecast-check")
        let answer = try FileDescriptor.pipe()
        let files = SettingFiles(of: service, setupInfo: setupInfo)
        defer { files.close() }
        let process: ChildProcess
        do {
            defer { try? answer.writeEnd.close() }
            var options = ChildProcess.Options()
            // Descriptor 3 is /dev/null: a check has no control channel.
            options.descriptors = [question.descriptor, answer.writeEnd, nil, nil] + files.descriptors
            options.parentDeathSignal = SIGKILL
            options.directory = "/"
            options.newSession = true
            var confinement = ServiceSandbox.limits(of: service, isCounted: false)
            confinement.sandbox = try Sandbox(
                ServiceSandbox.rules(
                    for: service, data: nil, isCounted: false, environment: ProcessEnvironment.current))
            options.confinement = confinement
            process = try ChildProcess(
                executable: service.executable.escaped, arguments: service.arguments + [DestinationReport.option],
                environment: service.manifest.childEnvironment(from: ProcessEnvironment.current) + files.environment,
                options: options)
        } catch {
            try? answer.readEnd.close()
            throw error
        }
        state.withLock { state in
            state.running = (process, answer.readEnd)
            if state.isCancelled { process.killGroup() }
        }
    }

    /// Waits for the answer. It repeats no secret.
    package func report() throws -> DestinationReport {
        guard let (process, output) = state.withLock({ $0.running }) else { return DestinationReport() }
        defer { try? output.close() }
        let deadline = MonotonicClock.now() + Self.timeout
        let bytes = try ChildOutput.read(output, until: deadline)
        let ending = process.endGroup(deadline: deadline)
        if let report = try? JSONDecoder().decode(DestinationReport.self, from: Data(bytes)) {
            return report.cleaned(of: service.secrets(in: setupInfo))
        }
        return DestinationReport(problem: "The check gave no answer (\(ending.sentence)); try again.")
    }

    package func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.running?.process.killGroup()
        }
    }
}
