// `kinecast broadcast --check`: the services' own executables ask the servers whether they accept the stream.
import FoundationEssentials
import Glibc
import KineClient
import KineMedia
import KinePlatform
import KineServices
import KineWire
import SystemPackage

struct DestinationCheck {
    /// A destination, and the service whose executable checks it.
    typealias Candidate = (destination: TakeConfiguration.Destination, service: Service)

    /// The longest wait for one answer, in nanoseconds; the executable itself gives up sooner.
    private static let timeout: Int64 = 30_000_000_000

    let candidates: [Candidate]

    /// Throws if a destination cannot be checked: only destinations that push to a server can.
    init(_ destinations: [TakeConfiguration.Destination], services: [Service]) throws(CommandFailure) {
        var candidates: [Candidate] = []
        for destination in destinations {
            guard destination.service == BuiltInServices.rtmp.id,
                let service = services.first(where: { $0.id == destination.service })
            else {
                throw CommandFailure.usage(
                    "--check tries addresses that begin with rtmp:// or rtmps://, and \(destination.label) is none; "
                        + "leave it out.")
            }
            candidates.append((destination, service))
        }
        self.candidates = candidates
    }

    /// Reports the destinations in order. Returns the exit status.
    func run(json: Bool) -> Int32 {
        // Writing to an executable that has already ended must not end this process by SIGPIPE.
        signal(SIGPIPE, SIG_IGN)
        let running = candidates.map { candidate in Result { try Check(candidate) } }
        var status: Int32 = 0
        for (index, (candidate, check)) in zip(candidates, running).enumerated() {
            let report: DestinationReport
            do {
                report = try check.get().report(until: MonotonicClock.now() + Self.timeout)
                if report.problem != nil { status = ExitStatus.destinationFailed }
            } catch {
                if status == 0 { status = ExitStatus.unavailable }
                report = DestinationReport(
                    problem: "\(candidate.service.executable) cannot be started: \(error); install Kinecast completely."
                )
            }
            let label = candidate.destination.label
            if json { JSONEvents.write(DestinationCheckLine(index, label: label, report)) }
            Terminal.standardError.line(Self.sentence(label, report))
        }
        return status
    }

    static func sentence(_ label: String, _ report: DestinationReport) -> String {
        if let problem = report.problem { return "kinecast: \(label): \(problem)" }
        var text = "\(label): the server" + (report.server.map { " \($0)" } ?? "")
        if let address = report.address { text += " at \(address)" }
        text += " accepts the stream"
        if let tls = report.tls {
            text += "; \(tls)" + (report.certificate.map { ", certificate for \($0)" } ?? "")
        }
        if let roundTrip = report.roundTrip { text += "; round trip \(Quantity.oneDecimal(roundTrip)) ms" }
        return text + "."
    }

    /// A running executable that checks one destination.
    private struct Check {
        let process: ChildProcess
        let output: FileDescriptor
        let secrets: [String]

        init(_ candidate: Candidate) throws {
            let question = try JSONEncoder().encode(candidate.destination.setupInfo)
            let input = try FileDescriptor.pipe()
            let answer = try FileDescriptor.pipe()
            let service = candidate.service
            let files = SettingFiles(of: service, setupInfo: candidate.destination.setupInfo)
            defer { files.close() }
            do {
                defer {
                    try? input.readEnd.close()
                    try? answer.writeEnd.close()
                }
                var options = ChildProcess.Options()
                // Descriptor 3 is /dev/null: a check has no control channel.
                options.descriptors = [input.readEnd, answer.writeEnd, nil, nil] + files.descriptors
                options.parentDeathSignal = SIGKILL
                options.directory = "/"
                options.newSession = true
                options.confinement = ChildProcess.Confinement()
                options.confinement?.sandbox = try Sandbox(
                    ServiceSandbox.rules(
                        for: service, data: nil, isCounted: false, environment: ProcessEnvironment.current))
                process = try ChildProcess(
                    executable: service.executable.escaped, arguments: service.arguments + [DestinationReport.option],
                    environment: service.manifest.childEnvironment(from: ProcessEnvironment.current)
                        + files.environment,
                    options: options)
            } catch {
                try? input.writeEnd.close()
                try? answer.readEnd.close()
                throw error
            }
            // A pipe holds 64 KB, more than any address needs.
            _ = try? input.writeEnd.closeAfter { try input.writeEnd.writeAll(question) }
            output = answer.readEnd
            secrets = service.secrets(in: candidate.destination.setupInfo)
        }

        func report(until deadline: Int64) throws -> DestinationReport {
            defer { try? output.close() }
            let bytes = try ChildOutput.read(output, until: deadline)
            let ending = process.end(signal: 0, deadline: deadline)
            if let report = try? JSONDecoder().decode(DestinationReport.self, from: Data(bytes)) {
                return report.cleaned(of: secrets)
            }
            return DestinationReport(
                problem: "The check gave no answer (\(ending.sentence)); try again.")
        }
    }
}

struct DestinationCheckLine: Encodable {
    let event = "check"
    let time = JSONEvent.now()
    let destination: Int
    let label: String
    let ok: Bool
    let message: String?
    let server: String?
    let address: String?
    let tls: String?
    let certificate: String?
    let roundTripMilliseconds: Double?
    /// From the first packet until the server accepted the stream.
    let milliseconds: Double?

    init(_ index: Int, label: String, _ report: DestinationReport) {
        destination = index
        self.label = label
        ok = report.problem == nil
        message = report.problem
        server = report.server
        address = report.address
        tls = report.tls
        certificate = report.certificate
        roundTripMilliseconds = report.roundTrip
        milliseconds = report.duration
    }
}
