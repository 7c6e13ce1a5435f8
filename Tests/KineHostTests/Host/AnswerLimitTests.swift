// Whatever a take accepts fits in the messages that it answers with, and a message that does not fit is replaced by the reason.
import KineMedia
import KinePlatform
import KineServices
import KineTake
import KineText
import KineWire
import Testing

@testable import KineHost
@testable import KineSupervision

@Suite struct AnswerLimitTests {
    /// The longest texts in JSON: of four bytes each, and of two for one.
    private static let characters = ["😀", "\"", "ü", "x"]

    /// The status of an extension that says as much as it can, and then crashes with as many words.
    private func longestStatus(_ character: String) -> DestinationStatus {
        let long = String(repeating: character, count: 5000)
        var status = DestinationStatus(
            destination: 63, service: String(repeating: "s", count: 100), label: long.printable(limit: 200),
            phase: .launching)
        status.confinement = Set(Sandbox.Layer.allCases)
        var machine = ExtensionStateMachine(
            status: status,
            limits: ExtensionLimits(
                manifest: ServiceManifest(id: "s", name: "S", executable: "s"), supervision: SupervisionLimits()),
            now: 0)
        let info = Dictionary(uniqueKeysWithValues: (0..<100).map { ("\($0)" + long, long) })
        var statistics = ExtensionStatistics()
        (statistics.frames, statistics.audioSamples, statistics.bytes) = (.max, .max, .max)
        (statistics.queuedBytes, statistics.sentBytes, statistics.viewers) = (.max, .max, .max)
        let reports: [ExtensionReport] = [
            .started, .live(false, reason: long, code: ProblemCode(.connectFailed, ["host": long, "reason": long])),
            .state(long), .serviceInfo(info), .statistics(statistics),
            .links(BroadcastLinks(page: long, player: long, isRenewable: true)),
        ]
        _ = machine.handle(.timePassed, at: 0)
        _ = machine.handle(.launched(pid: .max), at: 0)
        _ = machine.handle(.startSent, at: 0)
        for report in reports { _ = machine.handle(.report(report.cleaned(of: [])), at: 0) }
        _ = machine.handle(.finishRequested, at: 0)
        _ = machine.handle(
            .exited(
                .exited(status: 255), stderrTail: long.cleaned(of: [], limit: 500, bytes: 1000), cappedAt: .max / 2),
            at: 0)
        return machine.status
    }

    @Test(arguments: characters)
    func `the end and the status of a take with 64 destinations fit, whatever they say`(_ character: String) throws {
        let statuses = Array(repeating: longestStatus(character), count: Destinations.most)
        let path = "/" + String(repeating: "p", count: 4000)
        var summary = TakeSummary(
            output: path, size: .init(width: 16384, height: 16384), progress: TakeProgress(), reason: path)
        summary.destinations = statuses
        _ = try ControlEncoder.frame(EngineMessage.event(.finished(summary)))
        _ = try ControlEncoder.frame(
            EngineMessage.event(
                .failed(TakeFailure(exitStatus: 1, message: path, alternative: nil, summary: summary))))
        var status = TakeStatus(id: "1", phase: .recording, output: path, source: path, progress: TakeProgress())
        status.destinations = statuses
        _ = try ControlEncoder.frame(EngineMessage.answer(id: .max, .success(.status(status))))
        _ = try ControlEncoder.frame(EngineMessage.event(.progress(status.progress)))
    }

    @Test func `service info is as long as its bytes allow, the first by their keys`() {
        let long = String(repeating: "x", count: 990)
        let info = ServiceInfo.bounded(["a": long, "b": long, "c": long, "d": long, "e": long, "f": "short"])
        #expect(info.keys.sorted() == ["a", "b", "c", "d", "f"])
        let many = ServiceInfo.bounded(Dictionary(uniqueKeysWithValues: (100..<200).map { ("\($0)", "") }))
        #expect(many.keys.sorted() == (100..<164).map { "\($0)" })
    }

    @Test func `a client gets the reason for an answer that does not fit, and the end of its take`() throws {
        let (client, end) = try ClientConnection.pair()
        let engine = try EngineConnection(adopting: end)
        var status = DestinationStatus(destination: 0, service: "s", label: "s", phase: .ended)
        status.link = String(repeating: "x", count: 1 << 20)
        var summary = TakeSummary(
            output: "/a.mp4", size: .init(width: 2, height: 2), progress: TakeProgress(), reason: "stopped")
        summary.destinations = [status]
        var take = TakeStatus(id: "1", phase: .recording, output: nil, source: "s", progress: TakeProgress())
        take.destinations = [status]
        let messages: [EngineMessage] = [
            .answer(id: 5, .success(.status(take))), .event(.warning(status.link ?? "")),
            .answer(id: 6, .failure(Refusal(.nothingCaptured))), .event(.finished(summary)),
            .event(.failed(TakeFailure(exitStatus: 74, message: "Full.", summary: summary))),
        ]
        for message in messages { engine.tell(message) }
        let received = try client.receive(until: MonotonicClock.now() + 60_000_000_000)
        #expect(received.count == 5)
        guard received.count == 5, case .answer(id: 5, .failure(let refusal)) = received[0],
            case .event(.warning(let warning, _)) = received[1], case .event(.failed(let failure)) = received[3],
            case .event(.failed(let other)) = received[4]
        else {
            Issue.record("\(received)")
            return
        }
        #expect(refusal.message.contains("cannot be sent") && warning.contains("the limit"))
        #expect(received[2] == messages[2])
        #expect(failure.exitStatus == ExitStatus.engineDied && failure.message.contains("cannot be sent"))
        #expect(failure.summary?.output == "/a.mp4" && failure.summary?.destinations.isEmpty == true)
        #expect(other.exitStatus == 74 && other.message == "Full." && other.summary?.output == "/a.mp4")
    }
}
