import KineControl
// The take's states: every series of six events, whatever their instants.
import Testing

@testable import KineEngine

@Suite struct TakeStateMachineTests {
    private typealias Event = TakeStateMachine.Event
    private typealias Action = TakeStateMachine.Action

    /// What has been seen on the way to a state.
    private struct History {
        var machine = TakeStateMachine()
        var events: [Event] = []
        var announced = 0
        var finishes = 0
        var ends = 0
        var pausedAt: Int64?
        var latest = Int64.min

        mutating func advance(_ event: Event) -> String? {
            let before = machine.phase
            let actions = machine.handle(event)
            events.append(event)
            for action in actions {
                if let problem = check(action) { return problem }
            }
            switch event {
            case .pauseRequested, .resumeRequested:
                if actions.count != 1 { return "a request had \(actions.count) answers" }
            case .stopRequested:
                let isRunning = before == .starting || before == .recording || before == .paused
                if isRunning != (actions.count == 1) { return "stop in \(before) gave \(actions)" }
            case .began:
                if (before == .starting) != (actions == [.announceStarted]) { return "began in \(before)" }
            case .finished:
                if (before == .finishing) != (actions.count == 1) { return "finished in \(before)" }
            }
            return checkPhase()
        }

        private mutating func check(_ action: Action) -> String? {
            switch action {
            case .announceStarted:
                announced += 1
                return announced > 1 || finishes > 0 ? "announced late or twice" : nil
            case .pause(let instant):
                defer { (pausedAt, latest) = (instant, instant) }
                if pausedAt != nil || finishes > 0 || announced == 0 { return "a pause out of turn" }
                return instant < latest ? "a pause in the past" : nil
            case .resume(let instant):
                defer { (pausedAt, latest) = (nil, instant) }
                if pausedAt == nil || finishes > 0 { return "a resume out of turn" }
                return instant < latest ? "a resume in the past" : nil
            case .finish(_, let instant):
                finishes += 1
                if finishes > 1 { return "finished twice" }
                if let pausedAt, instant != pausedAt { return "time of the pause was kept" }
                return instant < latest ? "an end in the past" : nil
            case .end:
                ends += 1
                return ends > 1 || finishes == 0 ? "ended out of turn" : nil
            case .refuse(let reason):
                return reason.hasSuffix(".") ? nil : "a refusal that is no sentence"
            }
        }

        private func checkPhase() -> String? {
            let wanted: TakePhase =
                if ends > 0 {
                    .ended
                } else if finishes > 0 {
                    .finishing
                } else if pausedAt != nil {
                    .paused
                } else {
                    announced > 0 ? .recording : .starting
                }
            return machine.phase == wanted ? nil : "the phase is \(machine.phase), not \(wanted)"
        }
    }

    @Test func `no series of events finishes twice, goes back in time or leaves a request unanswered`() {
        let alphabet: [Event] = [
            .began(at: 10), .began(at: 30), .pauseRequested(at: 5), .pauseRequested(at: 20), .resumeRequested(at: 8),
            .resumeRequested(at: 25), .stopRequested(.stopped, at: 15), .stopRequested(.clientLost, at: 40), .finished,
        ]
        var level = [History()]
        for _ in 0..<5 {
            var next: [History] = []
            for history in level {
                for event in alphabet {
                    var following = history
                    if let problem = following.advance(event) {
                        Issue.record("\(problem) after \(following.events)")
                        return
                    }
                    next.append(following)
                }
            }
            level = next
        }
    }

    @Test func `a take that is stopped while it is paused ends where the pause began`() {
        var machine = TakeStateMachine()
        _ = machine.handle(.began(at: 100))
        #expect(machine.handle(.pauseRequested(at: 200)) == [.pause(at: 200)])
        #expect(machine.handle(.stopRequested(.stopped, at: 900)) == [.finish(.stopped, at: 200)])
        #expect(machine.handle(.finished) == [.end(.stopped)])
        #expect(machine.phase == .ended)
    }

    @Test func `the first reason to stop is the one that is told`() {
        var machine = TakeStateMachine()
        _ = machine.handle(.began(at: 100))
        #expect(
            machine.handle(.stopRequested(.sourceEnded("the window was closed"), at: 200))
                == [.finish(.sourceEnded("the window was closed"), at: 200)])
        #expect(machine.handle(.stopRequested(.clientLost, at: 300)).isEmpty)
        #expect(machine.handle(.finished) == [.end(.sourceEnded("the window was closed"))])
    }
}
