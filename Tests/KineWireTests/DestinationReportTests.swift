// The answer to a check of a destination.
import KineText
import KineWire
import Testing

@Suite struct DestinationReportTests {
    @Test func `every text of a report is cleaned`() {
        var report = DestinationReport(problem: "abcd refused")
        (report.server, report.address, report.tls, report.certificate) = ("abcd", "abcd", "abcd", "abcd\u{1b}[2J")
        var shown = DestinationReport(problem: "… refused")
        (shown.server, shown.address, shown.tls, shown.certificate) = ("…", "…", "…", "… [2J")
        #expect(report.cleaned(of: ["abcd"]) == shown)
    }
}
