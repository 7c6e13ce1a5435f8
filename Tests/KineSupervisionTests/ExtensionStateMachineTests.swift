// The life of a destination, on a clock of the test's own: what each fault becomes, and when.
import KineMedia
import KineServices
import KineWire
import Testing

@testable import KineSupervision

@Suite struct ExtensionStateMachineTests {
    typealias Machine = ExtensionStateMachine
    typealias Action = ExtensionStateMachine.Action

    static let second: Int64 = 1_000_000_000
    static let limit = 50 << 20

    static func machine(restarts: Int = 1) -> Machine {
        var manifest = ServiceManifest(id: "test", name: "Test", executable: "test")
        manifest.restarts = restarts
        return Machine(
            status: DestinationStatus(destination: 0, service: "test", label: "test", phase: .launching),
            limits: ExtensionLimits(manifest: manifest, supervision: SupervisionLimits()), now: 0)
    }

    /// A machine whose extension is live since second 1.
    static func live(restarts: Int = 1) -> Machine {
        var machine = machine(restarts: restarts)
        #expect(machine.handle(.timePassed, at: 0) == [.launch])
        #expect(machine.handle(.launched(pid: 7), at: 0) == [.announce(.phase(.launching))])
        #expect(machine.handle(.startSent, at: 0) == [.announce(.phase(.starting))])
        #expect(machine.handle(.report(.started), at: second) == [.beginFeeding, .announce(.phase(.live))])
        return machine
    }

    /// The event after a kill: the process is reaped a moment later.
    static let killed = Machine.Event.exited(.killed(signal: 9), stderrTail: nil, cappedAt: nil)

    @Test func `an extension that finishes in time has finished`() {
        var machine = Self.live()
        #expect(
            machine.handle(.finishRequested, at: 2 * Self.second)
                == [.endFeeding, .send(.finish(seconds: 5)), .announce(.phase(.finishing))])
        #expect(machine.handle(.report(.finished), at: 3 * Self.second) == [])
        #expect(!machine.isEnded)
        let exit = Machine.Event.exited(.exited(status: 0), stderrTail: nil, cappedAt: nil)
        #expect(machine.handle(exit, at: 3 * Self.second) == [.announce(.ended(.finished))])
        #expect(machine.isEnded && machine.status.phase == .ended && machine.status.ending == .finished)
    }

    @Test func `a removed destination finishes as at the take's end, and says that it was removed`() {
        var machine = Self.live()
        #expect(
            machine.handle(.removalRequested, at: 2 * Self.second)
                == [.endFeeding, .send(.finish(seconds: 5)), .announce(.phase(.finishing))])
        #expect(machine.handle(.removalRequested, at: 2 * Self.second) == [])
        #expect(machine.handle(.finishRequested, at: 2 * Self.second) == [], "the take ends meanwhile")
        _ = machine.handle(.report(.finished), at: 3 * Self.second)
        let exit = Machine.Event.exited(.exited(status: 0), stderrTail: nil, cappedAt: nil)
        #expect(machine.handle(exit, at: 3 * Self.second) == [.announce(.ended(.finished))])
        #expect(machine.status.isRemoved)
    }

    @Test func `a removed destination that crashes while it finishes is not started again`() {
        var machine = Self.live(restarts: 5)
        _ = machine.handle(.removalRequested, at: 2 * Self.second)
        let crash = Machine.Event.exited(.killed(signal: 11), stderrTail: nil, cappedAt: nil)
        #expect(machine.handle(crash, at: 3 * Self.second) == [.announce(.ended(.crashed("signal 11")))])
    }

    @Test func `a destination that is removed before it was live says so`() {
        var machine = Self.machine()
        _ = machine.handle(.timePassed, at: 0)
        _ = machine.handle(.launched(pid: 7), at: 0)
        #expect(machine.handle(.removalRequested, at: 0) == [.kill])
        guard case .announce(.ended(.failed(let reason)), _)? = machine.handle(Self.killed, at: 0).last else {
            Issue.record("it has not ended")
            return
        }
        #expect(reason.contains("removed"))
    }

    @Test func `of a service's information the newest is passed on, four times a second at most`() {
        var machine = Self.live()
        let told = { (count: Int) in [Action.announce(.serviceInfo(["viewers": "\(count)"]))] }
        let report = { (count: Int) in Machine.Event.report(.serviceInfo(["viewers": "\(count)"])) }
        #expect(machine.handle(report(1), at: 2 * Self.second) == told(1))
        #expect(machine.handle(report(1), at: 2 * Self.second) == [])
        for count in 2...100 { #expect(machine.handle(report(count), at: 2 * Self.second + 1) == []) }
        #expect(machine.nextDeadline == 2 * Self.second + Self.second / 4)
        #expect(machine.handle(.timePassed, at: 2 * Self.second + Self.second / 4) == told(100))
        #expect(machine.status.serviceInfo == ["viewers": "100"])
    }

    @Test func `a pause that has not settled when the take ends keeps no information back`() {
        var machine = Self.live()
        let report = { (count: Int) in Machine.Event.report(.serviceInfo(["viewers": "\(count)"])) }
        _ = machine.handle(.pauseRequested, at: 2 * Self.second)
        _ = machine.handle(report(1), at: 2 * Self.second)
        _ = machine.handle(report(2), at: 2 * Self.second)
        _ = machine.handle(.finishRequested, at: 2 * Self.second)
        #expect(machine.handle(.timePassed, at: 3 * Self.second) == [.announce(.serviceInfo(["viewers": "2"]))])
        #expect(machine.nextDeadline == 7 * Self.second)
    }

    @Test func `links are told when they change, and renewed where the extension can`() {
        var machine = Self.live()
        #expect(machine.handle(.report(.links(BroadcastLinks(page: "a"))), at: Self.second) == [.announce(.link("a"))])
        #expect(machine.handle(.linkRenewalRequested, at: Self.second) == [])
        let links = BroadcastLinks(page: "a", player: "b", isRenewable: true)
        #expect(machine.handle(.report(.links(links)), at: Self.second) == [.announce(.playerLink("b"))])
        #expect(machine.status.link == "a" && machine.status.playerLink == "b")
        #expect(machine.handle(.linkRenewalRequested, at: Self.second) == [.send(.renewLink)])
        let new = BroadcastLinks(page: "c", player: "d", isRenewable: true)
        #expect(
            machine.handle(.report(.links(new)), at: Self.second)
                == [.announce(.link("c")), .announce(.playerLink("d"))])
        _ = machine.handle(.finishRequested, at: 2 * Self.second)
        #expect(machine.handle(.linkRenewalRequested, at: 2 * Self.second) == [])
    }

    @Test func `one that has finished and does not go is killed a second later, and has finished still`() {
        var machine = Self.live()
        _ = machine.handle(.finishRequested, at: 2 * Self.second)
        _ = machine.handle(.report(.finished), at: 3 * Self.second)
        #expect(machine.nextDeadline == 4 * Self.second)
        #expect(machine.handle(.timePassed, at: 4 * Self.second) == [.kill])
        #expect(machine.handle(.timePassed, at: 5 * Self.second) == [])
        #expect(machine.handle(Self.killed, at: 4 * Self.second) == [.announce(.ended(.finished))])
    }

    @Test func `one that ignores the end of the take is stalled after its five seconds`() {
        var machine = Self.live()
        _ = machine.handle(.finishRequested, at: 2 * Self.second)
        #expect(machine.nextDeadline == 7 * Self.second)
        #expect(machine.handle(.timePassed, at: 7 * Self.second - 1) == [])
        #expect(machine.handle(.timePassed, at: 7 * Self.second) == [.kill])
        #expect(
            machine.handle(Self.killed, at: 7 * Self.second)
                == [.announce(.ended(.stalled("did not finish within 5 s")))])
    }

    @Test func `one that does not start is stalled after ten seconds`() {
        var machine = Self.machine(restarts: 0)
        _ = machine.handle(.timePassed, at: 0)
        _ = machine.handle(.launched(pid: 7), at: 0)
        #expect(machine.nextDeadline == nil, "the take's formats may take their time")
        _ = machine.handle(.startSent, at: 60 * Self.second)
        #expect(machine.nextDeadline == 70 * Self.second)
        #expect(machine.handle(.timePassed, at: 70 * Self.second) == [.kill])
        #expect(
            machine.handle(Self.killed, at: 70 * Self.second)
                == [.announce(.ended(.stalled("did not start within 10 s")))])
    }

    @Test func `two heartbeats missed are a stall, and each heartbeat is another thirty seconds`() {
        var machine = Self.live()
        #expect(machine.nextDeadline == 30 * Self.second)
        _ = machine.handle(.report(.heartbeat), at: 15 * Self.second)
        #expect(machine.nextDeadline == 45 * Self.second)
        #expect(machine.handle(.timePassed, at: 44 * Self.second) == [])
        #expect(machine.handle(.timePassed, at: 45 * Self.second) == [.endFeeding, .kill])
        #expect(
            machine.handle(Self.killed, at: 45 * Self.second)
                == [.announce(.restarting(after: .stalled("no heartbeat for 30 s")))])
    }

    @Test func `an extension that was stopped with the engine gets its time again`() {
        var machine = Self.live()
        _ = machine.handle(.held(since: 2 * Self.second), at: 3 * Self.second)
        #expect(machine.handle(.resumed(after: 60 * Self.second), at: 67 * Self.second) == [])
        _ = machine.handle(.held(since: 2 * Self.second), at: 68 * Self.second)
        #expect(machine.nextDeadline == 72 * Self.second)
        _ = machine.handle(.held(since: nil), at: 69 * Self.second)
        #expect(machine.nextDeadline == 97 * Self.second)
    }

    @Test func `a sample held for five seconds is a stall, one held shorter is not`() {
        var machine = Self.live()
        _ = machine.handle(.held(since: 2 * Self.second), at: 3 * Self.second)
        #expect(machine.nextDeadline == 7 * Self.second)
        _ = machine.handle(.held(since: nil), at: 6 * Self.second)
        #expect(machine.handle(.timePassed, at: 8 * Self.second) == [])
        _ = machine.handle(.held(since: 8 * Self.second), at: 9 * Self.second)
        #expect(machine.handle(.timePassed, at: 13 * Self.second) == [.endFeeding, .kill])
        #expect(
            machine.handle(Self.killed, at: 13 * Self.second)
                == [.announce(.restarting(after: .stalled("held a sample for 5 s")))])
    }

    @Test func `memory is warned of at 80 % once, and again only after it has fallen below 70 %`() {
        var machine = Self.live()
        let (high, middle, low) = (Self.limit * 81 / 100, Self.limit * 75 / 100, Self.limit * 69 / 100)
        let warning = Action.announce(.memoryWarning(resident: high, limit: Self.limit))
        #expect(machine.handle(.memory(resident: low), at: Self.second) == [])
        #expect(machine.handle(.memory(resident: high), at: Self.second) == [warning])
        #expect(machine.handle(.memory(resident: middle), at: Self.second) == [])
        #expect(machine.handle(.memory(resident: high), at: Self.second) == [])
        #expect(machine.handle(.memory(resident: low), at: Self.second) == [])
        #expect(machine.handle(.memory(resident: high), at: Self.second) == [warning])
        #expect(machine.status.residentMemory == high && machine.status.peakMemory == high)
    }

    @Test func `all of the limit may be used, a byte more ends it with the peak`() {
        var machine = Self.live(restarts: 0)
        _ = machine.handle(.memory(resident: Self.limit), at: Self.second)
        #expect(!machine.isEnded)
        #expect(machine.handle(.memory(resident: Self.limit + 1), at: Self.second) == [.endFeeding, .kill])
        #expect(
            machine.handle(Self.killed, at: Self.second)
                == [.announce(.ended(.memoryLimitExceeded(peak: Self.limit + 1, limit: Self.limit)))])
    }

    @Test func `what the kernel ended at its limit has exceeded it`() {
        var machine = Self.live(restarts: 0)
        let exit = Machine.Event.exited(.killed(signal: 9), stderrTail: nil, cappedAt: Self.limit)
        #expect(
            machine.handle(exit, at: 2 * Self.second)
                == [.endFeeding, .announce(.ended(.memoryLimitExceeded(peak: Self.limit, limit: Self.limit)))])
    }

    @Test func `a crash names the signal or the status and the last words, and is followed by one new start`() {
        var machine = Self.live()
        let crash = Machine.Event.exited(.killed(signal: 11), stderrTail: "a.swift:3: Fatal error: no", cappedAt: nil)
        let ending = DestinationEnding.crashed("signal 11: a.swift:3: Fatal error: no")
        #expect(machine.handle(crash, at: 2 * Self.second) == [.endFeeding, .announce(.restarting(after: ending))])
        #expect(machine.nextDeadline == 2 * Self.second + Self.second / 2)
        #expect(machine.handle(.timePassed, at: 2 * Self.second) == [])
        #expect(machine.handle(.timePassed, at: 3 * Self.second) == [.launch])
        #expect(machine.handle(.launched(pid: 8), at: 3 * Self.second) == [.announce(.phase(.launching))])
        #expect(machine.status.restarts == 1)
        _ = machine.handle(.startSent, at: 3 * Self.second)
        _ = machine.handle(.report(.started), at: 3 * Self.second)
        let second = Machine.Event.exited(.exited(status: 0), stderrTail: nil, cappedAt: nil)
        #expect(
            machine.handle(second, at: 4 * Self.second)
                == [.endFeeding, .announce(.ended(.crashed("exit status 0")))])
    }

    @Test func `an exit status tells more than the closed channel that comes before it`() {
        var machine = Self.live(restarts: 0)
        _ = machine.handle(.channelClosed, at: 2 * Self.second)
        let exit = Machine.Event.exited(.exited(status: 3), stderrTail: nil, cappedAt: nil)
        #expect(
            machine.handle(exit, at: 2 * Self.second + 1)
                == [.endFeeding, .announce(.ended(.crashed("exit status 3")))])
        var other = Self.live(restarts: 0)
        _ = other.handle(.channelClosed, at: 2 * Self.second)
        #expect(other.handle(.timePassed, at: 3 * Self.second) == [.endFeeding, .kill])
        #expect(
            other.handle(Self.killed, at: 3 * Self.second)
                == [.announce(.ended(.crashed("closed its control channel")))])
    }

    @Test func `pause and resume reach an extension in order, also one that starts while the take is paused`() {
        var machine = Self.live()
        #expect(machine.handle(.pauseRequested, at: 2 * Self.second) == [])
        #expect(machine.handle(.pauseRequested, at: 2 * Self.second) == [])
        // Audio from before the pause is still on its way.
        #expect(machine.nextDeadline == 2 * Self.second + 300_000_000)
        #expect(machine.handle(.timePassed, at: 3 * Self.second) == [.send(.pause), .announce(.phase(.paused))])
        _ = machine.handle(.annotateRequested(["scene": "2"]), at: 2 * Self.second)
        _ = machine.handle(Self.killed, at: 3 * Self.second)
        _ = machine.handle(.timePassed, at: 4 * Self.second)
        _ = machine.handle(.launched(pid: 8), at: 4 * Self.second)
        _ = machine.handle(.startSent, at: 4 * Self.second)
        #expect(
            machine.handle(.report(.started), at: 4 * Self.second)
                == [
                    .beginFeeding, .announce(.phase(.live)), .send(.annotate(["scene": "2"])), .send(.pause),
                    .announce(.phase(.paused)),
                ])
        #expect(machine.handle(.resumeRequested, at: 5 * Self.second) == [.send(.resume), .announce(.phase(.live))])
    }

    @Test func `a pause shorter than what is on its way is told before its end`() {
        var machine = Self.live()
        _ = machine.handle(.pauseRequested, at: 2 * Self.second)
        #expect(
            machine.handle(.resumeRequested, at: 2 * Self.second + 1)
                == [.send(.pause), .announce(.phase(.paused)), .send(.resume), .announce(.phase(.live))])
        #expect(machine.handle(.timePassed, at: 3 * Self.second) == [])
    }

    @Test func `a take that ends before its extension could start kills it, and was never live there`() {
        var machine = Self.machine()
        _ = machine.handle(.timePassed, at: 0)
        _ = machine.handle(.launched(pid: 7), at: 0)
        #expect(machine.handle(.finishRequested, at: 1) == [.kill])
        #expect(machine.handle(Self.killed, at: 2) == [.announce(.ended(Self.neverLive))])
    }

    @Test func `a take that ends between a crash and the new start keeps the crash`() {
        var machine = Self.live()
        _ = machine.handle(.exited(.exited(status: 3), stderrTail: nil, cappedAt: nil), at: 2 * Self.second)
        #expect(
            machine.handle(.finishRequested, at: 2 * Self.second) == [.announce(.ended(.crashed("exit status 3")))])
    }

    @Test func `keyframes are had once in two seconds, however often they are asked for`() {
        var machine = Self.live()
        let asked = (0..<100).flatMap { step in
            machine.handle(.report(.needsKeyframe), at: 2 * Self.second + step * Self.second / 25)
        }
        #expect(asked == [.requestKeyframe, .requestKeyframe])
    }

    @Test func `an extension that never stops talking is heard a few times a second`() {
        var machine = Self.live()
        let heard = (0..<10_000).flatMap { step in
            machine.handle(.report(.state("word \(step)")), at: 2 * Self.second + step * Self.second / 1000)
        }
        #expect(heard.count > 20 && heard.count < 70)
        #expect(machine.status.state == "word 9999")
        let next = machine.nextDeadline ?? 0
        #expect(machine.handle(.timePassed, at: next) == [.announce(.state("word 9999"))], "the newest word waited")
    }

    @Test func `a flood of words holds back no warning, and the newest links wait`() {
        var machine = Self.live()
        for step in 0..<100 { _ = machine.handle(.report(.state("word \(step)")), at: 2 * Self.second) }
        #expect(machine.handle(.report(.warning("Hot.")), at: 2 * Self.second) == [.announce(.warning("Hot."))])
        for step in 0..<100 {
            let links = BroadcastLinks(page: "page \(step)", player: "player \(step)", isRenewable: false)
            #expect(machine.handle(.report(.links(links)), at: 2 * Self.second) == [])
        }
        var heard: [Action] = []
        while let next = machine.nextDeadline, next < 4 * Self.second { heard += machine.handle(.timePassed, at: next) }
        #expect(
            heard == [
                .announce(.link("page 99")), .announce(.playerLink("player 99")), .announce(.state("word 99")),
            ])
    }

    @Test func `information that waited when the process crashed is told when the next one runs`() {
        var machine = Self.live()
        for count in 1...2 {
            _ = machine.handle(.report(.serviceInfo(["viewers": "\(count)"])), at: 2 * Self.second)
        }
        _ = machine.handle(Self.killed, at: 2 * Self.second)
        _ = machine.handle(.timePassed, at: 4 * Self.second)
        _ = machine.handle(.launched(pid: 8), at: 4 * Self.second)
        #expect(machine.handle(.timePassed, at: 4 * Self.second) == [.announce(.serviceInfo(["viewers": "2"]))])
    }
}
