// Every short series of events, from each stage of a destination's life: whatever happens in whatever order, the driver is
// never told to do what cannot be done.
import CoreTesting
import KineWire
import Testing

@testable import KineSupervision

@Suite struct ExtensionHistoryTests {
    private typealias Event = ExtensionStateMachine.Event
    private typealias Action = ExtensionStateMachine.Action

    /// A machine, its driver's state, and the way there.
    private struct History {
        var machine = ExtensionStateMachineTests.machine()
        var events: [Event] = []
        var now: Int64 = 0
        var hasProcess = false
        var isFed = false
        var finishSent = false
        var isPausedThere = false
        var ends = 0
        var launches = 0
        var announced: DestinationPhase?

        /// The violation of the driver's rules; nil: none.
        mutating func advance(_ event: Event, by time: Int64) -> String? {
            // A process that is not there can do nothing.
            switch event {
            case .launched, .report, .memory, .held, .protocolViolation, .formatOutgrown, .channelClosed, .exited,
                .startSent:
                if !hasProcess { return nil }
            default: break
            }
            now += time
            events.append(event)
            if case .exited = event { hasProcess = false }
            return perform(machine.handle(event, at: now)) ?? check()
        }

        private mutating func perform(_ actions: [Action]) -> String? {
            for action in actions {
                if ends > 0 { return "\(action) after the end" }
                switch action {
                case .launch:
                    if hasProcess { return "a second process" }
                    hasProcess = true
                    launches += 1
                    (finishSent, isPausedThere) = (false, false)
                    if let problem = perform(machine.handle(.launched(pid: 7), at: now)) { return problem }
                case .beginFeeding:
                    if isFed || !hasProcess { return "fed twice, or nobody" }
                    isFed = true
                case .endFeeding:
                    if !isFed { return "the end of a feed that was none" }
                    isFed = false
                case .send(let order):
                    if !hasProcess || finishSent { return "\(order) to nobody, or after its end" }
                    switch order {
                    case .finish: finishSent = true
                    case .pause:
                        if isPausedThere { return "paused twice" }
                        isPausedThere = true
                    case .resume:
                        if !isPausedThere { return "resumed and not paused" }
                        isPausedThere = false
                    case .annotate, .renewLink, .screenLocked: break
                    }
                case .kill: if !hasProcess { return "killed nobody" }
                case .requestKeyframe: if !isFed { return "a keyframe for nobody" }
                case .requestEncoding: if !isFed { return "less for nobody" }
                case .announce(.phase(let phase), _): announced = phase
                case .announce(.ended, _): ends += 1
                case .announce: break
                }
            }
            return nil
        }

        private func check() -> String? {
            if machine.isEnded != (ends == 1) { return "ended \(ends) times" }
            if machine.isEnded, hasProcess { return "ended with a process" }
            if isFed, !hasProcess { return "fed without a process" }
            if launches > 2 { return "started \(launches) times with one restart" }
            if ends == 0, let announced, machine.status.phase != announced {
                return "the phase is \(machine.status.phase), and \(announced) was announced"
            }
            if ends == 1, machine.status.ending == nil || machine.nextDeadline != nil { return "an end without a word" }
            return nil
        }
    }

    private static let alphabet: [(Event, Int64)] = {
        let second = ExtensionStateMachineTests.second
        let limit = ExtensionStateMachineTests.limit
        return [
            (.timePassed, second / 2), (.timePassed, 6 * second), (.timePassed, 31 * second), (.startSent, 0),
            (.report(.started), 0), (.report(.live(false, reason: "No.")), 0), (.report(.live(true, reason: nil)), 0),
            (.report(.needsKeyframe), 2 * second),
            (.report(.encoding(.init(averageBitrate: 1000))), 0), (.report(.failed("No.")), 0),
            (.report(.finished), 0), (.memory(resident: limit + 1), 0), (.held(since: 0), 0),
            (.protocolViolation("sent an invalid message"), 0), (.formatOutgrown, 0), (.channelClosed, 0),
            (.exited(.exited(status: 0), stderrTail: nil, cappedAt: nil), 0), (.impossible("No."), 0),
            (.pauseRequested, 0), (.resumeRequested, 0), (.annotateRequested([:]), 0), (.finishRequested, 0),
        ]
    }()

    private static let stages: [[Event]] = [
        [],
        [.timePassed],
        [.timePassed, .startSent],
        [.timePassed, .startSent, .report(.started)],
        [.timePassed, .startSent, .report(.live(false, reason: nil)), .report(.started)],
        [.timePassed, .startSent, .report(.started), .finishRequested],
        [.timePassed, .startSent, .report(.started), .channelClosed],
    ]

    @Test(.tags(.slow), arguments: stages.indices) func `no series of events asks for what cannot be done`(stage: Int) {
        var first = History()
        for event in Self.stages[stage] {
            if let problem = first.advance(event, by: 0) {
                Issue.record("\(problem) after \(first.events)")
                return
            }
        }
        var level = [first]
        for _ in 0..<4 {
            var next: [History] = []
            for history in level {
                for (event, time) in Self.alphabet {
                    var following = history
                    if let problem = following.advance(event, by: time) {
                        Issue.record("\(problem) after \(following.events)")
                        return
                    }
                    if following.events.count > history.events.count { next.append(following) }
                }
            }
            level = next
        }
    }

    @Test(arguments: stages.indices) func `whatever has happened, time and the death of the process lead to the end`(
        stage: Int
    ) {
        var first = History()
        for event in Self.stages[stage] { _ = first.advance(event, by: 0) }
        for (event, time) in Self.alphabet {
            for (other, later) in Self.alphabet {
                var history = first
                _ = history.advance(event, by: time)
                _ = history.advance(other, by: later)
                _ = history.advance(.finishRequested, by: 0)
                for _ in 0..<4 where history.hasProcess {
                    _ = history.advance(.timePassed, by: 10 * ExtensionStateMachineTests.second)
                    _ = history.advance(.exited(.killed(signal: 9), stderrTail: nil, cappedAt: nil), by: 0)
                }
                #expect(history.ends == 1, "\(history.events)")
            }
        }
    }
}
