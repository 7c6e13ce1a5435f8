// The course of a broadcast, event by event.
import KineClient
import KineMedia
import KineWire
import Testing

@testable import Kinecast

@Suite struct BroadcastProgressTests {
    typealias Action = BroadcastProgress.Action

    private static let started = SessionEvent.engine(
        .started(
            TakeStarted(id: "abcdefgh", output: nil, size: PixelSize(width: 2, height: 2), environment: [])))
    private static let noneLeft = SessionEvent.ended(.failed(TakeFailure(exitStatus: 75, message: "Nothing is left.")))

    /// With the destination as an engine describes it then.
    private static func event(
        _ kind: DestinationEvent.Kind, _ number: Int = 0, isRemoved: Bool = false
    ) -> SessionEvent {
        let label = number == 0 ? "rtmp (h/a)" : "live"
        var status = DestinationStatus(
            destination: number, service: number == 0 ? "rtmp" : "live", label: label, phase: .live)
        status.isRemoved = isRemoved
        switch kind {
        case .phase(let phase): status.phase = phase
        case .link(let link): status.link = link
        case .serviceInfo(let info): status.serviceInfo = info
        case .ended(let ending): (status.phase, status.ending) = (.ended, ending)
        case .log: return .engine(.destination(DestinationEvent(destination: number, label: label, kind: kind)))
        default: break
        }
        return .engine(.destination(DestinationEvent(destination: number, label: label, kind: kind, status: status)))
    }

    private static func progress(problem: String?) -> SessionEvent {
        var status = DestinationStatus(destination: 0, service: "rtmp", label: "rtmp (h/a)", phase: .starting)
        status.problem = problem
        var progress = TakeProgress()
        progress.destinations = [status]
        return .engine(.progress(progress))
    }

    private func starting(hasRecording: Bool = false) throws -> BroadcastProgress {
        var progress = BroadcastProgress()
        try progress.startRequested(hasRecording: hasRecording)
        progress.takeRequested()
        return progress
    }

    private func live(hasRecording: Bool = false) throws -> BroadcastProgress {
        var progress = try starting(hasRecording: hasRecording)
        _ = progress.received(Self.started)
        #expect(progress.received(Self.event(.phase(.live))) == [.begun, .tell(.live)])
        return progress
    }

    @Test func `it has begun with the first frame and a live service, whichever comes first`() throws {
        var progress = try starting()
        #expect(progress.received(Self.event(.phase(.launching))) == [])
        #expect(progress.received(Self.event(.phase(.live))) == [])
        #expect(!progress.isBroadcasting)
        #expect(progress.received(Self.started) == [.begun, .tell(.live)])
        #expect(progress.isBroadcasting && progress.takeID == "abcdefgh")
        #expect(try live().phase == .broadcasting)
    }

    @Test func `a service that says why it is not live yet has begun, and is told when it is`() throws {
        var progress = try starting()
        _ = progress.received(Self.started)
        #expect(progress.received(Self.progress(problem: nil)) == [])
        let actions = progress.received(Self.progress(problem: "The server is away."))
        #expect(actions == [.begun, .tell(.statistics(progress.destinations))])
        #expect(progress.received(Self.event(.phase(.live))) == [.tell(.live)])
        #expect(progress.received(Self.event(.phase(.reconnecting))).count == 1)
        #expect(progress.received(Self.event(.phase(.reconnecting))) == [])
        #expect(progress.received(Self.event(.phase(.live))) == [.tell(.live)])
    }

    @Test func `counts and log lines of an extension are told while it broadcasts`() throws {
        var progress = try live()
        let line = ExtensionLogLine(.info, "Connected.")
        #expect(progress.received(Self.event(.log(line))) == [.tell(.log(line, service: "rtmp"))])
        let actions = progress.received(Self.progress(problem: nil))
        #expect(actions.contains(.tell(.statistics(progress.destinations))) && progress.destinations.count == 1)
    }

    @Test func `a service that ends before it was live is the start's error`() throws {
        var progress = try starting()
        _ = progress.received(Self.event(.ended(.failed("The key is wrong."))))
        var other = progress
        let actions = progress.received(Self.noneLeft)
        #expect(other.received(Self.started) == actions)
        guard case .failedToBegin(let error)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(error.code == .serviceFailed && error.message.contains("rtmp (h/a) failed: The key is wrong"))
        progress.startFailed()
        #expect(progress.received(Self.noneLeft) == [])
        try progress.startRequested(hasRecording: false)
    }

    @Test func `an engine that cannot begin is the start's error`() throws {
        var progress = try starting()
        #expect(progress.received(Self.event(.ended(.failed("It was never live.")))) == [])
        let failure = TakeFailure(exitStatus: 69, message: "There is no display.")
        guard case .failedToBegin(let error)? = progress.received(.ended(.failed(failure))).first else {
            Issue.record("it has begun")
            return
        }
        #expect(error.code == .unavailable && error.message == "There is no display.")
    }

    @Test func `without a recording the end of the last service is the end, with the service's own reason`() throws {
        var progress = try live()
        #expect(progress.received(Self.event(.ended(.crashed("signal 11")))) == [])
        let outcome = TakeOutcome.failed(TakeFailure(exitStatus: 75, message: "Nothing is left."))
        #expect(progress.received(.ended(outcome)) == [.over(outcome)])
        let error = progress.error(of: outcome)
        #expect(error?.code == .serviceFailed && error?.message.contains("crashed (signal 11)") == true)
        progress.finished()
        #expect(progress.phase == .ready && !progress.isBroadcasting)
    }

    @Test func `with a recording it goes on, and the app is told`() throws {
        var progress = try live(hasRecording: true)
        let actions = progress.received(Self.event(.ended(.stalled("no heartbeat for 30 s"))))
        guard case .tell(.serviceEnded(let error))? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(error.code == .serviceFailed && progress.phase == .broadcasting && !progress.isBroadcasting)
        try progress.finishRequested()
        #expect(progress.received(Self.noneLeft) == [], "finishBroadcast tells it")
    }

    @Test func `one of two services that ends is a warning, and a removed one nothing at all`() throws {
        var progress = try live()
        _ = progress.received(Self.event(.phase(.launching), 1))
        #expect(progress.destinations.map(\.destination) == [0, 1] && progress.destinations[1].service == "live")
        _ = progress.received(Self.event(.phase(.live), 1))
        guard case .tell(.warning)? = progress.received(Self.event(.ended(.crashed("signal 11")))).first else {
            Issue.record("nothing was told")
            return
        }
        #expect(progress.isBroadcasting)
        #expect(progress.received(Self.event(.ended(.failed("It was never live.")), 1, isRemoved: true)) == [])
    }

    @Test func `a broadcast of which one service has finished well has finished well`() throws {
        let progress = try live()
        var (good, bad) = (
            DestinationStatus(destination: 0, service: "a", label: "a", phase: .ended),
            DestinationStatus(destination: 1, service: "b", label: "b", phase: .ended)
        )
        good.ending = .finished
        bad.ending = .failed("It was never live.")
        #expect(progress.failure(in: [good, bad]) == nil)
        let cut = progress.failure(in: [bad])
        #expect(cut?.code == .serviceFailed && cut?.message.contains("start the broadcast again") == false)
        bad.isRemoved = true
        #expect(progress.failure(in: [bad]) == nil)
    }

    @Test func `only what makes sense in its phase can be asked for`() throws {
        var progress = BroadcastProgress()
        #expect(throws: BroadcastError.notBroadcasting) { try progress.finishRequested() }
        try progress.startRequested(hasRecording: false)
        #expect(throws: BroadcastError.alreadyBroadcasting) { try progress.startRequested(hasRecording: false) }
        #expect(throws: BroadcastError.notBroadcasting) { try progress.finishRequested() }
        var running = try live()
        #expect(throws: BroadcastError.alreadyBroadcasting) { try running.startRequested(hasRecording: false) }
        try running.finishRequested()
        #expect(throws: BroadcastError.notBroadcasting) { try running.finishRequested() }
        running.finished()
        try running.startRequested(hasRecording: false)
    }

    @Test func `what another program finishes is not reconnecting, and who or what ended it is told`() throws {
        var progress = try live()
        #expect(progress.received(Self.event(.phase(.finishing))) == [])
        #expect(progress.received(Self.event(.ended(.finished))) == [])
        var summary = TakeSummary(
            output: nil, size: PixelSize(width: 2, height: 2), progress: TakeProgress(), reason: "the window was closed"
        )
        #expect(progress.received(.ended(.finished(summary))) == [.over(.finished(summary))])
        #expect(progress.error(of: .finished(summary)) == nil)
        summary.isSourceEnded = true
        let ended = try #require(progress.error(of: .finished(summary)))
        #expect(ended.code == .sourceEnded && ended.message.contains("as the window was closed"))
        #expect(RecordingError(.sourceEnded(summary.reason)).code == .sourceEnded)
        summary.isStoppedAtDesktop = true
        #expect(progress.error(of: .finished(summary))?.code == .userStopped)
    }

    @Test func `addresses and information are told when they change`() throws {
        var progress = try live()
        let link = "https://example.org/1"
        #expect(progress.received(Self.event(.link(link))).count == 1)
        #expect(progress.received(Self.event(.link(link))) == [])
        #expect(progress.broadcastURL?.absoluteString == link)
        let info = ["viewers": "3"]
        #expect(progress.received(Self.event(.serviceInfo(info))) == [.tell(.serviceInfoChanged(info))])
        #expect(progress.received(Self.event(.serviceInfo(info))) == [])
        #expect(progress.received(Self.event(.phase(.paused))) == [])
        #expect(progress.received(.engine(.paused)) == [.tell(.paused)] && progress.isPaused)
        #expect(progress.received(.engine(.resumed)) == [.tell(.resumed)] && !progress.isPaused)
        #expect(progress.pauseChanges == 2)
        #expect(progress.received(.engine(.screenLocked(true))) == [.tell(.screenLocked(true))])
    }
}
