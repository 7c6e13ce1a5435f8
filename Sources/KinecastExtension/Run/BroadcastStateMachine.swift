// What a handler is called with, and when: the order of samples and requests. Pure: it is told what has come and what waits,
// and answers with the next step.
import KineMedia
import KineRelay

/// The life of one broadcast in an extension.
struct BroadcastStateMachine: Equatable {
    /// What is at the front of the streams.
    struct Front: Equatable {
        /// Bytes of the ring that are done with.
        var readPosition: UInt64 = 0
        /// When the oldest sample in the ring is due; nil: none is there.
        var record: MediaTime?
        /// The newest picture that was not taken.
        var picture: (sequence: UInt64, time: MediaTime)?

        static func == (a: Front, b: Front) -> Bool {
            a.readPosition == b.readPosition && a.record == b.record && a.picture?.sequence == b.picture?.sequence
                && a.picture?.time == b.picture?.time
        }
    }

    enum Step: Equatable {
        /// Nothing is to be done before something comes.
        case wait
        case start(ExtensionStart)
        case deliverRecord
        case deliverPicture
        case pause
        case resume
        case annotate([String: String])
        case renewLink
        case finish
        /// Over: how.
        case end(Ending)
    }

    enum Ending: Equatable, Sendable {
        /// `broadcastFinished` has returned.
        case finished
        /// The handler ended the broadcast, or could not begin it; the sentence.
        case failed(String)
        /// The engine has gone before anything began.
        case neverStarted
    }

    private enum Phase: Equatable {
        case waiting
        case running
        case finished
        case ended(Ending)
    }

    private enum Request: Equatable {
        case pause, resume, renewLink, finish
        case annotate([String: String])
    }

    private var phase = Phase.waiting
    private var start: ExtensionStart?
    /// What is to be done after a place in the streams, in order.
    private var requests: [(request: Request, after: StreamPosition)] = []
    private var isPaused = false
    private var engineIsGone = false
    private var failure: String?

    static func == (a: BroadcastStateMachine, b: BroadcastStateMachine) -> Bool {
        a.phase == b.phase && a.start == b.start && a.isPaused == b.isPaused && a.engineIsGone == b.engineIsGone
            && a.failure == b.failure && a.requests.elementsEqual(b.requests) { $0 == $1 }
    }

    /// A request came. A second start means nothing.
    mutating func receive(_ request: ExtensionRequest) {
        switch request {
        case .start(let start): if self.start == nil { self.start = start }
        case .pause(let position): requests.append((.pause, position))
        case .resume(let position): requests.append((.resume, position))
        case .annotate(let info, let position): requests.append((.annotate(info), position))
        case .renewLink(let position): requests.append((.renewLink, position))
        case .finish(let position, _): requests.append((.finish, position))
        }
    }

    /// Nothing will come any more. What has been sent is still handed out.
    mutating func engineGone() { engineIsGone = true }

    /// The handler gives up; only the first sentence counts.
    mutating func fail(_ sentence: String) { if failure == nil { failure = sentence } }

    /// What to do now. The caller does it before asking again, and has passed on every request that came before it looked
    /// at `front`: a request is carried out exactly after what was sent before it.
    mutating func next(_ front: Front) -> Step {
        if case .ended(let ending) = phase { return .end(ending) }
        if let failure { return end(.failed(failure)) }
        switch phase {
        case .waiting:
            if let start {
                phase = .running
                return .start(start)
            }
            return engineIsGone ? end(.neverStarted) : .wait
        case .running: return run(front)
        case .finished: return end(.finished)
        case .ended(let ending): return .end(ending)
        }
    }

    private mutating func run(_ front: Front) -> Step {
        var record = front.record
        var picture = front.picture
        if let (request, position) = requests.first {
            if front.readPosition >= position.samples { record = nil }
            if let sequence = picture?.sequence, sequence > position.pictures { picture = nil }
            if record == nil, picture == nil {
                requests.removeFirst()
                return carryOut(request) ?? run(front)
            }
        }
        switch (record, picture) {
        case (nil, nil): break
        case (_?, nil): return .deliverRecord
        case (nil, _?): return .deliverPicture
        case (let record?, let picture?): return record <= picture.time ? .deliverRecord : .deliverPicture
        }
        guard engineIsGone else { return .wait }
        phase = .finished
        return .finish
    }

    /// Nil where there is nothing to tell the handler.
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
        case .finish:
            phase = .finished
            return .finish
        }
    }

    private mutating func end(_ ending: Ending) -> Step {
        phase = .ended(ending)
        return .end(ending)
    }
}
