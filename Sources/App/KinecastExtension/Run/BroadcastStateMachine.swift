// Decides the order in which a handler gets samples and requests. Pure: it gets the requests and the oldest samples,
// and returns the next step.
import KineMedia
import KineRings
import KineWire

/// The course of one broadcast in an extension.
struct BroadcastStateMachine {
    typealias Front = SampleOrder<Request>.Front

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

    enum Request {
        case pause, resume, renewLink, finish
        case annotate([String: String])
        case screenLocked(Bool)
    }

    private var phase = Phase.waiting
    private var start: ExtensionStart?
    private var order = SampleOrder<Request>()
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
            case .request(let request): if let step = carryOut(request) { return step }
            case .none:
                guard engineIsGone else { return .wait }
                phase = .over
                return .finish
            }
        }
    }

    /// Nil if the handler need not be called.
    private mutating func carryOut(_ request: Request) -> Step? {
        switch request {
        case .pause:
            guard !isPaused else { return nil }
            isPaused = true
            return .pause
        case .resume:
            guard isPaused else { return nil }
            isPaused = false
            return .resume
        case .annotate(let info): return .annotate(info)
        case .renewLink: return .renewLink
        case .screenLocked(let isLocked): return .screenLocked(isLocked)
        case .finish:
            phase = .over
            return .finish
        }
    }
}
