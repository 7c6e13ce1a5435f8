// A destination is live only after its extension has started, and not while a report denies it.
import KineMedia
import KineWire
import Testing

@testable import KineSupervision

extension ExtensionStateMachineTests {
    static let neverLive = DestinationEnding.failed(
        "It was never live: the take ended before the broadcast had begun there.")
}

@Suite struct LivenessTests {
    private typealias Tests = ExtensionStateMachineTests
    private typealias Machine = ExtensionStateMachine

    private enum Step: CaseIterable {
        case launched, started, live, notLive, notLiveForAReason
    }

    @Test func `whatever is said in whatever order, it is live when it has started and did not say otherwise last`() {
        var level: [(steps: [Step], liveness: Liveness)] = [([], Liveness())]
        for _ in 0..<6 {
            level = level.flatMap { steps, liveness in
                Step.allCases.map { step in
                    var liveness = liveness
                    switch step {
                    case .launched: liveness.processLaunched()
                    case .started: liveness.started()
                    case .live: liveness.update(isLive: true, reason: nil)
                    case .notLive: liveness.update(isLive: false, reason: nil)
                    case .notLiveForAReason: liveness.update(isLive: false, reason: "No.")
                    }
                    return (steps + [step], liveness)
                }
            }
            for (steps, liveness) in level { check(steps, liveness) }
        }
    }

    /// Answers the same from the list of reports, read from its end.
    private func check(_ steps: [Step], _ liveness: Liveness) {
        func isLive(_ steps: ArraySlice<Step>) -> Bool {
            let run = steps.split(separator: .launched, omittingEmptySubsequences: false).last ?? []
            let word = run.last { $0 != .started }
            return run.contains(.started) && (word == nil || word == .live)
        }
        let wasLive = steps.indices.contains { isLive(steps[...$0]) }
        let phase: DestinationPhase = isLive(steps[...]) ? .live : wasLive ? .reconnecting : .starting
        let said = steps.last { [.live, .notLiveForAReason].contains($0) }
        let problem = said == .notLiveForAReason ? "No." : nil
        #expect(liveness.phase == phase, "\(steps)")
        #expect(liveness.hasBeenLive == wasLive, "\(steps)")
        #expect(liveness.problem == problem, "\(steps)")
        let failure = problem.map { DestinationEnding.failed("It was never live; the last reason: \($0)") }
        #expect(liveness.ending == (wasLive ? .finished : failure ?? Tests.neverLive), "\(steps)")
    }

    /// An extension that has said that it is not live yet, and has started.
    private func connecting() -> Machine {
        var machine = Tests.machine()
        _ = machine.handle(.timePassed, at: 0)
        _ = machine.handle(.launched(pid: 7), at: 0)
        _ = machine.handle(.startSent, at: 0)
        #expect(machine.handle(.report(.live(false, reason: nil)), at: 1) == [])
        #expect(machine.handle(.report(.started), at: 2) == [.beginFeeding])
        #expect(machine.status.phase == .starting)
        return machine
    }

    private let exit = Machine.Event.exited(.exited(status: 0), stderrTail: nil, cappedAt: nil)

    @Test func `a destination is starting until the server has said yes, and is fed meanwhile`() {
        var machine = connecting()
        #expect(machine.handle(.report(.live(true, reason: nil)), at: 3) == [.announce(.phase(.live))])
        #expect(machine.handle(.report(.live(true, reason: nil)), at: 4) == [])
        _ = machine.handle(.finishRequested, at: 5)
        _ = machine.handle(.report(.finished), at: 6)
        #expect(machine.handle(exit, at: 7) == [.announce(.ended(.finished))])
    }

    @Test func `one that never was live has failed, with the last reason that it gave`() {
        var machine = connecting()
        _ = machine.handle(.report(.live(false, reason: "No route.")), at: 3)
        #expect(machine.handle(.report(.live(false, reason: "The port is closed.")), at: 4) == [])
        #expect(machine.status.problem == "The port is closed.")
        _ = machine.handle(.finishRequested, at: 5)
        _ = machine.handle(.report(.finished), at: 6)
        let ending = DestinationEnding.failed("It was never live; the last reason: The port is closed.")
        #expect(machine.handle(exit, at: 7) == [.announce(.ended(ending))])
        #expect(machine.status.ending == ending)
    }

    @Test func `the code of a reason comes with it, is kept with it, and goes when it is live`() {
        var machine = connecting()
        let code = ProblemCode(.connectTimedOut, ["host": "h"])
        _ = machine.handle(.report(.live(false, reason: "No route.", code: code)), at: 3)
        _ = machine.handle(.report(.live(false, reason: nil)), at: 4)
        #expect(machine.status.code == code)
        #expect(
            machine.handle(.report(.warning("No route.", code: code)), at: 5)
                == [.announce(.warning("No route."), code: code)])
        _ = machine.handle(.report(.live(false, reason: "Odd.")), at: 6)
        #expect(machine.status.code == nil, "another reason")
        _ = machine.handle(.report(.live(false, reason: "No route.", code: code)), at: 7)
        var (ended, live, crashed, refused) = (machine, machine, machine, machine)
        _ = ended.handle(.finishRequested, at: 8)
        _ = ended.handle(.report(.finished), at: 9)
        _ = ended.handle(exit, at: 10)
        #expect(ended.status.ending?.name == "failed" && ended.status.code == code)
        _ = live.handle(.report(.live(true, reason: nil)), at: 8)
        #expect(live.status.code == nil)
        _ = crashed.handle(.protocolViolation("lied"), at: 8)
        _ = crashed.handle(Tests.killed, at: 9)
        #expect(crashed.status.code == nil)
        let final = ProblemCode(.streamRefused)
        _ = refused.handle(.report(.failed("The key is wrong.", code: final)), at: 8)
        _ = refused.handle(exit, at: 9)
        #expect(refused.status.code == final)
    }

    @Test func `a port in use is the code of an extension that cannot be started`() {
        var machine = Tests.machine(restarts: 0)
        let code = ProblemCode(.addressInUse, ["address": "127.0.0.1:80"])
        #expect(machine.handle(.impossible("Taken.", code: code), at: 0) == [.announce(.ended(.failed("Taken.")))])
        #expect(machine.status.code == code)
    }

    @Test func `an extension's code is cleaned of secrets, and dropped where it is none`() {
        func cleaned(_ code: ProblemCode) -> ExtensionReport {
            ExtensionReport.failed("No.", code: code).cleaned(of: ["hush"])
        }
        let code = ProblemCode(.streamRefused, ["words": "hush\u{1b}[2J"])
        #expect(cleaned(code) == .failed("No.", code: ProblemCode(.streamRefused, ["words": "… [2J"])))
        let long = ProblemCode(.streamRefused, ["words": String(repeating: "x", count: 5000)])
        guard case .failed(_, let short?) = cleaned(long) else {
            Issue.record("no code")
            return
        }
        #expect(short.values["words"]?.utf8.count ?? 0 <= 203)
        #expect(cleaned(ProblemCode(named: "mine", [:])) == .failed("No."))
    }

    @Test func `one that became live at the last moment has finished`() {
        var machine = connecting()
        _ = machine.handle(.finishRequested, at: 5)
        #expect(machine.handle(.report(.live(true, reason: nil)), at: 6) == [])
        _ = machine.handle(.report(.finished), at: 7)
        #expect(machine.handle(exit, at: 8) == [.announce(.ended(.finished))])
    }

    @Test func `one that says nothing of it and starts when the take has ended already has been live`() {
        var machine = Tests.machine()
        _ = machine.handle(.timePassed, at: 0)
        _ = machine.handle(.launched(pid: 7), at: 0)
        _ = machine.handle(.startSent, at: 0)
        _ = machine.handle(.finishRequested, at: 1)
        #expect(machine.handle(.report(.started), at: 2) == [])
        _ = machine.handle(.report(.finished), at: 3)
        #expect(machine.handle(exit, at: 4) == [.announce(.ended(.finished))])
    }

    @Test func `a lost connection is reconnecting, and has finished all the same`() {
        var machine = connecting()
        _ = machine.handle(.report(.live(true, reason: nil)), at: 3)
        #expect(
            machine.handle(.report(.live(false, reason: "Lost.")), at: 4) == [.announce(.phase(.reconnecting))])
        #expect(machine.status.problem == "Lost.")
        #expect(machine.handle(.report(.live(true, reason: nil)), at: 5) == [.announce(.phase(.live))])
        #expect(machine.status.problem == nil)
        _ = machine.handle(.report(.live(false, reason: "Lost.")), at: 6)
        _ = machine.handle(.finishRequested, at: 7)
        _ = machine.handle(.report(.finished), at: 8)
        #expect(machine.handle(exit, at: 9) == [.announce(.ended(.finished))])
    }

    @Test func `what is said in a pause is told at its end`() {
        var machine = connecting()
        _ = machine.handle(.pauseRequested, at: 3)
        #expect(machine.handle(.timePassed, at: Tests.second) == [.send(.pause), .announce(.phase(.paused))])
        #expect(machine.handle(.report(.live(true, reason: nil)), at: Tests.second) == [])
        #expect(
            machine.handle(.resumeRequested, at: 2 * Tests.second) == [.send(.resume), .announce(.phase(.live))])
        _ = machine.handle(.pauseRequested, at: 3 * Tests.second)
        _ = machine.handle(.timePassed, at: 4 * Tests.second)
        #expect(machine.handle(.report(.live(false, reason: "Lost.")), at: 4 * Tests.second) == [])
        #expect(
            machine.handle(.resumeRequested, at: 5 * Tests.second)
                == [.send(.resume), .announce(.phase(.reconnecting))])
    }

    @Test func `one that changes its mind all the time does not fill a terminal`() {
        var machine = connecting()
        var heard: [Machine.Action] = []
        for step in 0..<Int64(10_000) {
            let event = Machine.Event.report(.live(step % 2 == 0, reason: nil))
            heard += machine.handle(event, at: 10 + step * Tests.second / 1000)
        }
        #expect(heard.count > 20 && heard.count < 70)
        #expect(machine.status.phase == .reconnecting)
    }

    @Test func `the newest phase waits until it is allowed, however often it has changed`() throws {
        var machine = connecting()
        var heard = (0...50).flatMap { step in
            machine.handle(.report(.live(step % 2 == 0, reason: nil)), at: 10)
        }
        #expect(heard.count == 20 && heard.last == .announce(.phase(.reconnecting)))
        #expect(machine.status.phase == .live)
        let next = try #require(machine.nextDeadline)
        #expect(next == 10 + Tests.second / 4)
        #expect(machine.handle(.timePassed, at: next - 1) == [])
        heard = machine.handle(.timePassed, at: next)
        #expect(heard == [.announce(.phase(.live))])
        #expect(machine.handle(.timePassed, at: next + Tests.second / 2) == [], "nothing else waits")
    }
}
