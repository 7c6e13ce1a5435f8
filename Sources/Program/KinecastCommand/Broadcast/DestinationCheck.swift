// `kinecast broadcast --check`: the services' own executables ask the servers whether they accept the stream.
import Glibc
import KineChoices
import KineMedia
import KinePlatform
import KineProgram
import KineServices
import KineWire
import Kinecast

struct DestinationCheck {
    /// A destination, and the service whose executable checks it.
    typealias Candidate = (destination: TakeConfiguration.Destination, service: Service)

    let candidates: [Candidate]

    /// Throws if the service of a destination has no check.
    init(_ destinations: [TakeConfiguration.Destination], services: [Service]) throws(CommandFailure) {
        var candidates: [Candidate] = []
        for destination in destinations {
            guard let service = services.first(where: { $0.id == destination.service }), service.manifest.hasCheck
            else {
                let checked = Quantity.list(services.filter(\.manifest.hasCheck).map(\.manifest.name))
                throw CommandFailure.usage(
                    "--check asks servers of \(checked), and \(destination.label) has none; leave it out.")
            }
            candidates.append((destination, service))
        }
        self.candidates = candidates
    }

    /// Reports the destinations in order. Returns the exit status.
    func run(json: Bool) -> Int32 {
        // Writing to an executable that has already ended must not end this process by SIGPIPE.
        signal(SIGPIPE, SIG_IGN)
        let running = candidates.map { candidate in
            let check = ServerCheck(candidate.service, candidate.destination.setupInfo)
            return (check, started: Result { try check.start() })
        }
        var status: Int32 = 0
        for (index, (candidate, (check, started))) in zip(candidates, running).enumerated() {
            let report: DestinationReport
            do {
                try started.get()
                report = try check.report()
                if report.problem != nil { status = ExitStatus.destinationFailed }
            } catch {
                if status == 0 { status = ExitStatus.unavailable }
                report = DestinationReport(problem: check.problem(error))
            }
            let label = candidate.destination.label
            if json { JSONEvents.write(DestinationCheckLine(index, label: label, report)) }
            Terminal.standardError.line(Self.sentence(label, report))
        }
        return status
    }

    static func sentence(_ label: String, _ report: DestinationReport) -> String {
        (report.problem == nil ? "" : "kinecast: ") + "\(label): \(report.sentence)"
    }
}

struct DestinationCheckLine: Encodable {
    let event = "check"
    let time = JSONEvent.now()
    let destination: Int
    let label: String
    let ok: Bool
    let message: String?
    let code: String?
    let values: [String: String]?
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
        (message, code, values) = (report.problem, report.code?.name, report.code?.givenValues)
        server = report.server
        address = report.address
        tls = report.tls
        certificate = report.certificate
        roundTripMilliseconds = report.roundTrip
        milliseconds = report.duration
    }
}
