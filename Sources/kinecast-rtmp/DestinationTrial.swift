// `kinecast-rtmp --test`: reads what a destination is told, tries whether it takes a stream, and writes down what it is.
import FoundationEssentials
import Glibc
import KinePublish
import KineRTMP
import KineRelay
import KinecastExtension
import SystemPackage

enum DestinationTrial {
    /// Answers on standard output, and returns.
    static func answer() async {
        signal(SIGPIPE, SIG_IGN)
        var report: DestinationReport
        do {
            let setupInfo = try JSONDecoder().decode([String: String].self, from: question())
            var settings = try RTMPSettings(setupInfo: setupInfo)
            settings.certificateAuthorityContents = PassedFiles.contents(for: "ca-file")
            report = DestinationReport(try await RTMPTrial.run(settings))
        } catch let failure as PublishFailure {
            report = DestinationReport(problem: failure.onceOnly)
        } catch let error as RTMPSettings.Error {
            report = DestinationReport(problem: error.description)
        } catch {
            report = DestinationReport(problem: "What is to be tried was not understood; install Kinecast completely.")
        }
        // The process that asked may be gone; nobody else wants to know.
        if let answer = try? JSONEncoder().encode(report) {
            _ = try? FileDescriptor.standardOutput.writeAll(answer)
        }
    }

    /// Standard input to its end.
    private static func question() throws -> Data {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < DestinationReport.limit {
            let count = try chunk.withUnsafeMutableBytes { try FileDescriptor.standardInput.read(into: $0) }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return Data(bytes)
    }
}

extension DestinationReport {
    init(_ trial: RTMPTrial) {
        self.init()
        server = trial.server
        address = trial.address
        tls = trial.tls
        certificate = trial.certificate.isEmpty ? nil : trial.certificate.joined(separator: ", ")
        roundTrip = trial.roundTrip
        duration = trial.duration
    }
}
