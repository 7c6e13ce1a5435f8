// The seconds before a take on a clock of the test's own, and what the desktop shows at its end.
import ArgumentParser
import KineClient
import KineMedia
import KinePlatform
import KineProgram
import KineWire
import Testing

@testable import KinecastCommand

@Suite struct CountdownTests {
    private static let second: Int64 = 1_000_000_000

    @Test func `each second is shown once, and the take begins at the last one's end`() {
        var countdown = Countdown(seconds: 2, from: 500)
        #expect(countdown.next(at: 500) == .show(2))
        #expect(countdown.next(at: 600) == .sleep(until: Self.second + 500))
        #expect(countdown.next(at: Self.second + 499) == .sleep(until: Self.second + 500))
        #expect(countdown.next(at: Self.second + 500) == .show(1))
        #expect(countdown.next(at: Self.second + 501) == .sleep(until: 2 * Self.second + 500))
        #expect(countdown.next(at: 2 * Self.second + 500) == .begin)
    }

    @Test func `a late look leaves seconds out, and no countdown begins at once`() {
        var late = Countdown(seconds: 60, from: 0)
        #expect(late.next(at: 58 * Self.second + 1) == .show(2))
        #expect(late.next(at: 70 * Self.second) == .begin)
        var none = Countdown(seconds: 0, from: 7)
        #expect(none.next(at: 7) == .begin)
    }

    @Test(arguments: ["61", "-1", "1.5", "soon"])
    func `other lengths are refused`(seconds: String) throws {
        #expect(try TakeOptions.parse(["--countdown", "60"]).countdown == 60)
        let error = #expect(throws: (any Error).self) { try TakeOptions.parse(["--countdown=\(seconds)"]) }
        if let error { #expect(TakeOptions.exitCode(for: error).rawValue == ExitStatus.usage) }
    }

    @Test func `the end of a take is its file, its length, or its problem`() {
        typealias Contents = DesktopNotifier.Contents
        var progress = TakeProgress()
        (progress.duration, progress.bytes) = (.seconds(7.4), 3_400_000)
        var summary = TakeSummary(
            output: "/v/a.mp4", size: PixelSize(width: 2, height: 2), progress: progress, reason: "stopped")
        #expect(
            TakeOutcome.finished(summary).notification
                == Contents(title: "Saved a.mp4", text: "7.4 s, 3.4 MB, in /v"))
        for output in [nil, TakeConfiguration.standardOutput] {
            summary.output = output
            #expect(
                TakeOutcome.finished(summary).notification == Contents(title: "The take has ended", text: "7.4 s"))
        }
        let failure = TakeFailure(exitStatus: 74, message: "The disk is full.", summary: summary)
        #expect(TakeOutcome.failed(failure).notification == Contents.problem("The disk is full."))
    }
}
