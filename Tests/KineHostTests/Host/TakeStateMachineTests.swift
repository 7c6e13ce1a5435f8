// The take's states: every series of events, whatever their instants.
import KineCapture
import KineMedia
import KineTake
import KineWire
import Testing

@testable import KineHost

@Suite struct TakeStateMachineTests {
    private typealias Event = TakeStateMachine.Event
    private typealias Action = TakeStateMachine.Action

    private static let failure = TakeFailure(exitStatus: 69, message: "No.")

    /// The actions seen on the way to a state.
    private struct History {
        enum Opening { case unasked, begun, cancelled, done, failed }

        var machine = TakeStateMachine()
        var events: [Event] = []
        var opening = Opening.unasked
        var began = false
        var awaitsWindow = false
        var hasAudio = false
        var commands = 0
        var announced = 0
        var finishes = 0
        var ends = 0
        var pausedAt: Int64?
        var latest = Int64.min

        mutating func advance(_ event: Event) -> String? {
            let before = (phase: machine.phase, opening: opening, ends: ends)
            let actions = machine.handle(event)
            events.append(event)
            for action in actions {
                if let problem = check(action) { return problem }
            }
            switch event {
            case .openRequested:
                if before.opening == .unasked, before.ends == 0 { opening = .begun }
                if !actions.isEmpty { return "the request to open gave \(actions)" }
            case .opened:
                let isAwaited = before.opening == .begun || before.opening == .cancelled
                if isAwaited { opening = .done }
                if isAwaited != (actions.count == 1) { return "opened gave \(actions)" }
            case .openFailed:
                let isAwaited = before.ends == 0 && before.opening != .done
                if isAwaited { opening = .failed }
                if isAwaited != (actions.count == 1) { return "a failed opening gave \(actions)" }
            case .pauseRequested where before.phase == .paused:
                if !actions.isEmpty { return "a pause of a paused take gave \(actions)" }
            case .pauseRequested, .resumeRequested:
                if actions.count != 1 { return "a request had \(actions.count) answers" }
            case .stopRequested:
                let isRunning = [.starting, .recording, .paused].contains(before.phase)
                if isRunning != (actions.count == 1) { return "stop in \(before) gave \(actions)" }
            case .commandAwaited, .began, .audioArrived:
                let isStarting = before.phase == .starting && before.opening == .done
                let wanted = isStarting ? startingActions(after: event) : []
                if case .audioArrived = event { hasAudio = true }
                if actions != wanted { return "\(event) in \(before) gave \(actions), not \(wanted)" }
            case .finished:
                let isAwaited = before.phase == .finishing && before.opening == .done
                if isAwaited != (actions.count == 1) { return "finished in \(before)" }
            }
            return checkPhase()
        }

        /// COMMAND and the announcement wait for the audio.
        private mutating func startingActions(after event: Event) -> [Action] {
            switch event {
            case .commandAwaited where !began && !awaitsWindow:
                awaitsWindow = true
                return hasAudio ? [.requestCommand] : []
            case .began:
                began = true
                return hasAudio ? [.announceStarted] : []
            case .audioArrived where !hasAudio:
                return began ? [.announceStarted] : awaitsWindow ? [.requestCommand] : []
            default: return []
            }
        }

        private mutating func check(_ action: Action) -> String? {
            switch action {
            case .startDestinations:
                return opening != .begun ? "destinations out of turn" : nil
            case .cancelOpening:
                defer { opening = .cancelled }
                return opening != .begun ? "cancelled out of turn" : nil
            case .requestCommand:
                commands += 1
                return commands > 1 || began || finishes > 0 ? "COMMAND out of turn" : nil
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
            case .finish(let instant):
                finishes += 1
                if finishes > 1 { return "finished twice" }
                if let pausedAt, instant != pausedAt { return "time of the pause was kept" }
                return instant < latest ? "an end in the past" : nil
            case .end:
                ends += 1
                return ends > 1 || finishes == 0 && opening != .cancelled ? "ended out of turn" : nil
            case .fail, .leave:
                ends += 1
                return ends > 1 || finishes > 0 || announced > 0 ? "left out of turn" : nil
            case .refuse(let reason):
                return reason.message.hasSuffix(".") ? nil : "a refusal that is no sentence"
            }
        }

        private func checkPhase() -> String? {
            let wanted: TakePhase =
                if ends > 0 {
                    .ended
                } else if finishes > 0 || opening == .cancelled {
                    .finishing
                } else if pausedAt != nil {
                    .paused
                } else {
                    announced > 0 ? .recording : .starting
                }
            return machine.phase == wanted ? nil : "the phase is \(machine.phase), not \(wanted)"
        }
    }

    private static let alphabet: [Event] = [
        .openRequested, .opened, .openFailed(failure), .commandAwaited(at: 9), .began(at: 10), .began(at: 30),
        .audioArrived,
        .pauseRequested(at: 5),
        .pauseRequested(at: 20), .resumeRequested(at: 8), .resumeRequested(at: 25), .stopRequested(.stopped, at: 15),
        .stopRequested(.clientLost, at: 40), .finished,
    ]

    private static let beginnings: [[Event]] = [
        [], [.openRequested], [.openRequested, .opened], [.openRequested, .stopRequested(.stopped, at: 7)],
    ]

    @Test(arguments: beginnings.indices)
    func `no series of events finishes twice, goes back in time or leaves a request unanswered`(beginning: Int) {
        var first = History()
        for event in Self.beginnings[beginning] { #expect(first.advance(event) == nil) }
        var level = [first]
        for _ in 0..<4 {
            var next: [History] = []
            for history in level {
                for event in Self.alphabet {
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

    /// A take that is open, and records since 100.
    private func recording() -> TakeStateMachine {
        var machine = TakeStateMachine()
        for event in [Event.openRequested, .opened, .began(at: 100), .audioArrived] { _ = machine.handle(event) }
        return machine
    }

    @Test func `a take is announced once its frames and its audio come, whichever is first, and may end before`() {
        var machine = TakeStateMachine()
        for event in [Event.openRequested, .opened] { _ = machine.handle(event) }
        var early = machine
        #expect(early.handle(.audioArrived).isEmpty && early.awaitsAudioSince == nil)
        #expect(early.handle(.began(at: 100)) == [.announceStarted])
        #expect(machine.handle(.began(at: 100)).isEmpty && machine.awaitsAudioSince == 100 && machine.isCapturing)
        var ended = machine
        #expect(machine.handle(.audioArrived) == [.announceStarted])
        #expect(machine.awaitsAudioSince == nil && machine.handle(.audioArrived).isEmpty)
        #expect(ended.handle(.stopRequested(.durationReached, at: 300)) == [.finish(at: 300)])
        #expect(ended.handle(.audioArrived).isEmpty && !ended.isCapturing)
    }

    @Test func `a command whose window is shown starts with the audio, and the take begins with the window`() {
        var machine = TakeStateMachine()
        for event in [Event.openRequested, .opened] { _ = machine.handle(event) }
        var silent = machine
        #expect(machine.handle(.audioArrived).isEmpty)
        #expect(machine.handle(.commandAwaited(at: 50)) == [.requestCommand])
        #expect(machine.awaitsAudioSince == nil && machine.phase == .starting && !machine.isCapturing)
        var ended = machine
        #expect(machine.handle(.began(at: 100)) == [.announceStarted])
        #expect(ended.handle(.stopRequested(.stopped, at: 70)) == [.finish(at: 70)])
        #expect(silent.handle(.commandAwaited(at: 50)).isEmpty && silent.awaitsAudioSince == 50)
        #expect(silent.handle(.audioArrived) == [.requestCommand] && silent.awaitsAudioSince == nil)
        #expect(silent.handle(.audioArrived).isEmpty)
    }

    @Test func `a take that is told to end while it is being opened ends at that instant, whether it opens or not`() {
        var opened = TakeStateMachine()
        _ = opened.handle(.openRequested)
        #expect(opened.handle(.stopRequested(.clientLost, at: 50)) == [.cancelOpening])
        var failed = opened
        #expect(opened.handle(.opened) == [.finish(at: 50)])
        #expect(opened.handle(.finished) == [.end(.clientLost)])
        #expect(failed.handle(.openFailed(Self.failure)) == [.end(.clientLost)])
    }

    @Test func `a take that cannot be opened fails, and without a request the engine just leaves`() {
        var machine = TakeStateMachine()
        _ = machine.handle(.openRequested)
        #expect(machine.handle(.openFailed(Self.failure)) == [.fail(Self.failure)])
        var idle = TakeStateMachine()
        #expect(idle.handle(.stopRequested(.clientLost, at: 1)) == [.leave])
        #expect(machine.phase == .ended && idle.phase == .ended)
    }

    @Test func `a take that is stopped while it is paused ends where the pause began`() {
        var machine = recording()
        #expect(machine.handle(.pauseRequested(at: 200)) == [.pause(at: 200)])
        #expect(machine.handle(.stopRequested(.stopped, at: 900)) == [.finish(at: 200)])
        #expect(machine.handle(.finished) == [.end(.stopped)])
        #expect(machine.phase == .ended)
    }

    @Test func `the first reason to stop is the one that is told`() {
        var machine = recording()
        #expect(
            machine.handle(.stopRequested(.sourceEnded("the window was closed"), at: 200))
                == [.finish(at: 200)])
        #expect(machine.handle(.stopRequested(.clientLost, at: 300)).isEmpty)
        #expect(machine.handle(.finished) == [.end(.sourceEnded("the window was closed"))])
    }

    // MARK: What its client gets

    @Test func `a take without a file ends with what it has drawn`() {
        let outcome = TakeOutcome(
            reason: .stopped, ending: .unrecorded(duration: .seconds(2), frames: 60), progress: TakeProgress(),
            size: PixelSize(width: 64, height: 48), nothing: .nothingCaptured(isRecorded: false), output: nil)
        guard case .finished(let summary) = outcome.event else {
            Issue.record("\(outcome.event)")
            return
        }
        #expect(outcome.exitStatus == 0 && summary.output == nil)
        #expect(summary.progress.duration == .seconds(2) && summary.progress.framesDrawn == 60)
    }

    @Test func `a full disk, a window that is gone and a person who cancels have codes of their own`() {
        func failure(_ reason: TakeStateMachine.StopReason, _ ending: Take.Ending) -> TakeFailure? {
            let outcome = TakeOutcome(
                reason: reason, ending: ending, progress: TakeProgress(), size: PixelSize(width: 2, height: 2),
                nothing: .nothingCaptured(isRecorded: true), output: nil)
            if case .failed(let failure) = outcome.event { return failure }
            return nil
        }
        let code = ProblemCode(.diskFull, ["file": "/a.mp4"])
        #expect(failure(.stopped, .recorded(.unfinished(.full(path: "/a.mp4"), path: "/a.mp4")))?.problem == code)
        let cause = TakeError.storage(.full(path: "/a.mp4")).failure
        let empty = Take.Ending.recorded(.empty(.full(path: "/a.mp4")))
        #expect(cause.problem == code && failure(.failed(cause), empty)?.problem == code)
        let gone = TakeError.source(.windowClosed).failure
        #expect(failure(.failed(gone), .unrecorded(duration: .zero, frames: 0))?.problem == ProblemCode(.windowGone))
        for cancelled in [VideoSourceError.regionCancelled, .screenCastDeclined] {
            let error = EngineError.take(.source(cancelled))
            #expect(error.failure.problem == ProblemCode(.cancelled), "the start of a take")
            #expect(error.refusal.problem == ProblemCode(.cancelled), "another source for one")
        }
        #expect(EngineError.take(.source(.regionNotDrawn)).failure.problem == nil)
        #expect(EngineError.take(.file(.alreadyExists(path: "/a"))).failure.problem?.name == "nameInUse")
        #expect(EngineError.unknownProgram.refusal.problem == ProblemCode(.notPermitted))
    }

    @Test(
        arguments: [
            (.storage(.full(path: "/a/b.mp4")), .storageFailed, "/a/b.mp4"),
            (.storage(.inUse(path: "/a/b.mp4")), .cannotCreate, "/a/b.mp4"), (.over, .noClip, "over"),
            (.nothingCaptured, .noClip, "try again"), (.exportInProgress, .exportInProgress, "try again"),
        ] as [(ClipError, Refusal.Code, String)])
    func `a clip that cannot be made is refused with a code and a sentence`(
        error: ClipError, code: Refusal.Code, words: String
    ) {
        let refusal = Refusal(error)
        #expect(refusal.code == code && refusal.message.contains(words) && refusal.message.hasSuffix("."))
    }
}
