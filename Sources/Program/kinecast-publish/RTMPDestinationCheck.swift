// The check of one destination for the command line, without a broadcast.
import FoundationEssentials
import Glibc
import KinePublish
import KineRTMP
import KineWire
import KinecastExtension
import SystemPackage

/// `kinecast-publish rtmp --check`: reads a destination's setup info, checks whether the server accepts a stream, and writes
/// a report.
enum RTMPDestinationCheck {
    /// Reads the setup info from standard input and writes the report to standard output.
    static func run() async {
        signal(SIGPIPE, SIG_IGN)
        var report: DestinationReport
        do {
            let input = try FileDescriptor.standardInput.readToEnd(atMost: DestinationReport.limit)
            let setupInfo = try JSONDecoder().decode([String: String].self, from: Data(input))
            var settings = try RTMPSettings(setupInfo: setupInfo)
            settings.certificateAuthorityContents = PassedFiles.contents(for: "ca-file")
            report = DestinationReport(try await RTMPCheck.run(settings))
        } catch let failure as PublishFailure {
            report = DestinationReport(problem: failure.withoutRetry().description)
        } catch let error as RTMPSettings.Error {
            report = DestinationReport(problem: error.description)
        } catch {
            report = DestinationReport(
                problem: "The destination to check was not understood; install Kinecast completely.")
        }
        // The asking process may have ended.
        if let answer = try? JSONEncoder().encode(report) {
            _ = try? FileDescriptor.standardOutput.writeAll(answer)
        }
    }
}

extension DestinationReport {
    init(_ check: RTMPCheck) {
        self.init()
        server = check.server
        address = check.address
        tls = check.tls
        certificate = check.certificate.isEmpty ? nil : check.certificate.joined(separator: ", ")
        roundTrip = check.roundTrip
        duration = check.duration
    }
}
