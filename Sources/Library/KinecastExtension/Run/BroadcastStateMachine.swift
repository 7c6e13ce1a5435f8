// Decides the order in which a handler gets samples and requests. Pure: it gets the requests and the oldest samples,
// and returns the next step.
import KineRings
import KineWire

/// The course of one broadcast in an extension.
struct BroadcastStateMachine {
    typealias Front = SampleOrder<Step>.Front

    enum Step: Equatable {
        /// Wait for input.
        case wait
        case start(ExtensionStart)
        case deliverRecord
        case deliverFrame
        case pause
        case resume
        case annotate([String: String])
        case renewLink
        case screenLocked(Bool)
        case finish
        /// The broadcast is over.
        case end
    }

    private enum Phase {
        case waiting
        case running
        /// No further callback, except for a `finish` that was just returned.
        case over
    }

    private var phase = Phase.waiting
    private var start: ExtensionStart?
    /// The requests are those steps that carry them out.
    private var order = SampleOrder<Step>()
    private var isPaused = false
    private var engineIsGone = false

    /// Whether the first message has come.
    var hasStart: Bool { start != nil }

    /// Adds a request. A second start and requests of later versions are ignored.
    mutating func receive(_ request: ExtensionRequest) {
        switch request {
        case .start(let start): if self.start == nil { self.start = start }
        case .pause(let position): order.add(.pause, after: position)
        case .resume(let position): order.add(.resume, after: position)
        case .annotate(let info, let position): order.add(.annotate(info), after: position)
        case .renewLink(let position): order.add(.renewLink, after: position)
        case .screenLocked(let isLocked, let position): order.add(.screenLocked(isLocked), after: position)
        case .finish(let position, _): order.add(.finish, after: position)
        case .frameReceiver, .desktop, .unknown: break
        }
    }

    /// No more input will come. Samples and requests already sent are still delivered.
    mutating func engineGone() { engineIsGone = true }

    /// The handler has failed, or could not be started.
    mutating func fail() { phase = .over }

    /// The next step; carry it out before the next call. Before reading `front`, pass on every received request, so
    /// that a request is carried out exactly after the samples that were sent before it.
    mutating func next(_ front: Front) -> Step {
        switch phase {
        case .waiting:
            guard let start else { return engineIsGone ? .end : .wait }
            phase = .running
            return .start(start)
        case .running: return run(front)
        case .over: return .end
        }
    }

    private mutating func run(_ front: Front) -> Step {
        while true {
            switch order.next(front) {
            case .record: return .deliverRecord
            case .frame: return .deliverFrame
            case .request(let step): if note(step) { return step }
            case .none:
                guard engineIsGone else { return .wait }
                phase = .over
                return .finish
            }
        }
    }

    /// Notes a requested step. Returns false if the handler need not be called.
    private mutating func note(_ step: Step) -> Bool {
        switch step {
        case .pause, .resume:
            defer { isPaused = step == .pause }
            return isPaused != (step == .pause)
        case .finish: phase = .over
        default: break
        }
        return true
    }
}
