// The course of a session with an engine as a state machine without I/O. SessionLoop feeds it and carries out its actions.
import KineControl
import KineRelay

/// A request to the engine that has an answer.
enum SessionRequest: Equatable {
    case pause
    case resume
    case setMicrophone(on: Bool)
    case switchSource(TakeConfiguration.Source)
    case setCamera(TakeConfiguration.Camera?)
    case status
    /// Answered when the engine has accepted it.
    case receiveSamples(SampleRequest)
    /// To be told what the client that started the engine is told. Answered by a status.
    case follow(progress: Bool)
    /// Answered by a status, which says what destinations there are.
    case annotate([String: String])
    /// Answered by the first new link.
    case renewLinks
    /// Answered by the new destination's number. `reference`: of this request alone.
    case addDestination(TakeConfiguration.Destination, reference: Int)
    /// Answered by the destination's end.
    case removeDestination(Int)
    /// Answered when the clip's file is there, or cannot be.
    case exportClip(ClipRequest)
    /// Answered by the take's outcome.
    case stop(immediately: Bool)
    /// The take's outcome, without asking for its end.
    case outcome

    var messages: [ClientMessage] {
        switch self {
        case .pause: [.pause]
        case .resume: [.resume]
        case .setMicrophone(let isOn): [.setMicrophone(on: isOn)]
        case .switchSource(let source): [.switchSource(source)]
        case .setCamera(let camera): [.setCamera(camera)]
        case .status: [.status]
        case .receiveSamples(let request): [.receiveSamples(request)]
        case .follow(let progress): [.follow(progress: progress)]
        case .annotate(let information): [.annotate(information), .status]
        case .renewLinks: [.renewLinks]
        case .addDestination(let destination, let reference): [.addDestination(destination, reference: reference)]
        case .removeDestination(let number): [.removeDestination(number)]
        case .exportClip(let request): [.exportClip(request)]
        case .stop(let immediately): [.stop(immediately: immediately)]
        case .outcome: []
        }
    }

    /// Whether the engine may take as long as it needs. The time for an answer then limits only its silence: it is asked for its
    /// status as well, and again each time that is over.
    var mayTakeLong: Bool {
        switch self {
        // The desktop may ask the person which window to show, or they may draw a region.
        case .switchSource: true
        case .setMicrophone, .setCamera, .removeDestination, .exportClip, .stop: true
        default: false
        }
    }

    /// The answer to this request that a message of the engine holds; nil: none.
    func answer(in message: EngineMessage) -> SessionAnswer? {
        switch (self, message) {
        case (.pause, .paused), (.resume, .resumed): .done
        case (.setMicrophone(let wanted), .microphone(let isOn)): wanted == isOn ? .done : nil
        case (.switchSource(let wanted), .sourceSwitched(let source)): wanted == source ? .done : nil
        case (.setCamera(let wanted), .camera(let camera)): wanted == camera ? .done : nil
        case (.status, .status(let status)), (.follow, .status(let status)), (.annotate, .status(let status)):
            .status(status)
        case (.receiveSamples, .samples(.accepted)): .done
        case (.addDestination(_, let own), .destinationAdded(let number, let reference)):
            own == reference ? .added(number) : nil
        case (.removeDestination(let number), .destination(let event)) where event.destination == number:
            if case .ended(let ending) = event.kind { .removed(ending) } else { nil }
        case (.renewLinks, .destination(let event)): if case .link = event.kind { .done } else { nil }
        case (.exportClip(let request), .clip(let answer)): request.id == answer.id ? .clip(answer.result) : nil
        default: nil
        }
    }
}

enum SessionAnswer: Equatable {
    case done
    case status(TakeStatus)
    /// The number of a new destination.
    case added(Int)
    case removed(DestinationEnding)
    case clip(ClipAnswer.Result)
    case outcome(TakeOutcome)
}

/// The client's side of a control channel, for the client that started the engine or for one that came later.
struct SessionStateMachine {
    enum Role: Equatable {
        /// This process started the engine, and recovers the file if it dies. `file`: its path, if there is to be one.
        case owner(pid: Int32, file: String? = nil, hasDestinations: Bool)
        /// Another process started it. `follows`: this one is told what that one is told, and recovers the file where that has not
        /// done it.
        case guest(TakeRecord, follows: Bool)
    }

    enum Input: Equatable {
        case message(EngineMessage)
        /// The control channel ended, or broke for that reason.
        case channelClosed(ControlError?)
        /// `deadline`: nanoseconds of CLOCK_MONOTONIC; nil: none.
        case request(id: Int, SessionRequest, deadline: Int64?)
        /// A request to end the take that needs no answer.
        case stop(immediately: Bool)
        /// The samples are not wanted any more.
        case endSamples
        /// The program whose window is waited for runs as this process.
        case commandStarted(Int32)
        /// The answer to `askPerson`; nil: none.
        case personAnswered(Bool?)
        /// End the engine now, and save what there is.
        case abort
        /// The engine is gone, and its file was recovered if it could be.
        case recovered(EngineDeath)
        /// The time on CLOCK_MONOTONIC, in nanoseconds.
        case time(Int64)
        /// The user of the session has closed it.
        case close
        /// The engine's process has ended and was reaped.
        case engineExited
    }

    enum Action: Equatable {
        case send(ClientMessage)
        /// Pass on to the reader of samples.
        case feed(SampleFeedMessage)
        case emit(SessionEvent)
        /// Ask the person at this process's terminal, and come back with `personAnswered`.
        case askPerson(String)
        case answer(id: Int, Result<SessionAnswer, ClientError>)
        /// Kill the engine if it still runs, recover its file, and come back with `recovered`. `hasBegun`: it had said that the
        /// take runs.
        case recover(EngineDeath.Cause, output: String?, hasBegun: Bool)
        /// An engine whose take runs finishes it by itself then.
        case closeChannel
        /// Nothing is left to wait for.
        case finish
    }

    private enum State: Equatable {
        case running
        case recovering(isClosing: Bool)
        case over(TakeOutcome)
        /// The channel is closed, and the engine's process is waited for.
        case closing
        case finished
    }

    private struct Pending: Equatable {
        var id: Int
        var request: SessionRequest
        var deadline: Int64?
        /// Whether the engine has said anything since it was last asked.
        var isEngineAlive = false
    }

    /// The nanoseconds after which an engine that takes long is asked for its status again.
    static let checkInterval: Int64 = 10_000_000_000

    private let role: Role
    private var state = State.running
    private var started: TakeStarted?
    private var pending: [Pending] = []
    private var hasExited = false
    /// There are destinations, though the take may have begun without any.
    private var hasSeenDestination = false

    init(_ role: Role) { self.role = role }

    /// The time at which `Input.time` is due next; nil: never.
    var nextDeadline: Int64? { pending.compactMap(\.deadline).min() }

    var isFinished: Bool { state == .finished }
    /// Whether the end of the engine's process is waited for.
    var isClosing: Bool { state == .closing }

    mutating func handle(_ input: Input) -> [Action] {
        switch input {
        case .message(let message): state == .running ? received(message) : []
        case .channelClosed(let error): state == .running ? channelClosed(error) : []
        case .request(let id, let request, let deadline): self.request(id, request, deadline)
        case .stop(let immediately): state == .running ? [.send(.stop(immediately: immediately))] : []
        case .endSamples: state == .running ? [.send(.endSamples)] : []
        case .commandStarted(let process): state == .running ? [.send(.commandStarted(process: process))] : []
        case .personAnswered(let answer): state == .running ? [.send(.permissionAnswer(answer))] : []
        case .abort: state == .running ? recover(.aborted) : []
        case .recovered(let death): recovered(death)
        case .time(let now): expire(now)
        case .close: close()
        case .engineExited: engineExited()
        }
    }

    private mutating func received(_ message: EngineMessage) -> [Action] {
        for index in pending.indices where pending[index].deadline != nil && pending[index].request.mayTakeLong {
            pending[index].isEngineAlive = true
        }
        var events: [Action] = []
        switch message {
        case .commandNeeded(let environment): events = [.emit(.commandNeeded(environment: environment))]
        case .started(let take):
            started = take
            events = [.emit(.started(take))]
        case .progress(let progress):
            // Progress says nothing about destinations, so a status is asked for each time and shown instead.
            if showsDestinations { return [.send(.status)] }
            events = [.emit(.progress(progress, []))]
        case .status(let status):
            if showsDestinations { events = [.emit(.progress(status.progress, status.destinations))] }
        case .paused: events = [.emit(.paused)]
        case .resumed: events = [.emit(.resumed)]
        case .samples(let message): events = [.feed(message)]
        case .permissionQuestion(let question): events = [.askPerson(question)]
        case .screenLocked(let isLocked): events = [.emit(.screenLocked(isLocked))]
        case .microphone(let isOn): events = [.emit(.microphone(isOn: isOn))]
        case .sourceSwitched(let source): events = [.emit(.sourceSwitched(source))]
        case .camera(let camera): events = [.emit(.camera(camera))]
        case .clip, .frames: break
        case .warning(let text): events = [.emit(.warning(text))]
        case .destination(let event):
            hasSeenDestination = true
            events = [.emit(.destination(event))]
        case .destinationAdded: events = []
        case .refused(let reason, let reference):
            let isRefused = { (one: Pending) in
                // Engines of earlier versions answer in the order of the requests, and do not say which.
                guard let reference else { return one.request != .outcome }
                return one.request.messages.contains { reference.isOf(RequestReference($0)) }
            }
            guard let index = pending.firstIndex(where: isRefused) else {
                // Another client's pause has answered this one already.
                let isAnswered = reference.map { own in
                    [ClientMessage.pause, .resume].contains { own.isOf(RequestReference($0)) }
                }
                return isAnswered == true ? [] : [.emit(.warning(reason))]
            }
            return [.answer(id: pending.remove(at: index).id, .failure(.refused(reason)))]
        case .finished(let summary): return over(.finished(summary))
        case .failed(let failure): return over(.failed(failure))
        }
        let answers = pending.compactMap { one in
            one.request.answer(in: message).map { Action.answer(id: one.id, .success($0)) }
        }
        pending.removeAll { $0.request.answer(in: message) != nil }
        return events + answers
    }

    private mutating func channelClosed(_ error: ControlError?) -> [Action] {
        let told = error.map { [Action.emit(.connectionFailed(ClientError($0)))] } ?? []
        switch role {
        case .owner, .guest(_, follows: true):
            return told + recover(.died)
        case .guest(_, follows: false):
            let reason = error.map(ClientError.init) ?? .endedWithoutAnswer(reference)
            let failed = pending.filter { $0.request != .outcome }
                .map { Action.answer(id: $0.id, .failure(reason)) }
            pending.removeAll { $0.request != .outcome }
            let death = EngineDeath(cause: .died, file: .leftAlone(path: reference.output))
            return told + failed + over(.engineDied(death))
        }
    }

    private mutating func recover(_ cause: EngineDeath.Cause) -> [Action] {
        state = .recovering(isClosing: false)
        return [.recover(cause, output: reference.output, hasBegun: started != nil)]
    }

    private mutating func recovered(_ death: EngineDeath) -> [Action] {
        guard case .recovering(let isClosing) = state else { return [] }
        hasExited = true
        return over(.engineDied(death)) + (isClosing ? close() : [])
    }

    private mutating func over(_ outcome: TakeOutcome) -> [Action] {
        state = .over(outcome)
        defer { pending = [] }
        return [.emit(.ended(outcome))] + pending.map { .answer(id: $0.id, Self.answer($0.request, after: outcome)) }
    }

    private static func answer(
        _ request: SessionRequest, after outcome: TakeOutcome
    ) -> Result<SessionAnswer, ClientError> {
        switch request {
        case .stop, .outcome: .success(.outcome(outcome))
        case .pause, .resume, .setMicrophone, .switchSource, .setCamera, .status, .receiveSamples, .follow, .annotate,
            .renewLinks, .addDestination, .removeDestination, .exportClip:
            .failure(.takeIsOver)
        }
    }

    private mutating func request(_ id: Int, _ request: SessionRequest, _ deadline: Int64?) -> [Action] {
        switch state {
        case .running:
            pending.append(Pending(id: id, request: request, deadline: deadline))
            return (request.messages + (request.mayTakeLong ? [.status] : [])).map(Action.send)
        case .recovering:
            pending.append(Pending(id: id, request: request, deadline: nil))
            return []
        case .over(let outcome): return [.answer(id: id, Self.answer(request, after: outcome))]
        case .closing, .finished: return [.answer(id: id, .failure(.takeIsOver))]
        }
    }

    private mutating func expire(_ now: Int64) -> [Action] {
        let isDue = { (one: Pending) in one.deadline.map { $0 <= now } ?? false }
        let goesOn = { [isRecovering = state != .running] (one: Pending) in
            one.request.mayTakeLong && (one.isEngineAlive || isRecovering)
        }
        var actions: [Action] = []
        for index in pending.indices where isDue(pending[index]) && goesOn(pending[index]) {
            pending[index].deadline = now + Self.checkInterval
            pending[index].isEngineAlive = false
            if state == .running { actions = [.send(.status)] }
        }
        actions += pending.filter(isDue).map { .answer(id: $0.id, .failure(.noAnswer(reference))) }
        pending.removeAll(where: isDue)
        return actions
    }

    private mutating func close() -> [Action] {
        switch state {
        case .closing, .finished: return []
        case .recovering:
            state = .recovering(isClosing: true)
            return []
        case .running, .over: break
        }
        let answers = pending.map { Action.answer(id: $0.id, .failure(.takeIsOver)) }
        pending = []
        if case .owner = role, !hasExited {
            state = .closing
            return answers + [.closeChannel]
        }
        state = .finished
        return answers + [.closeChannel, .finish]
    }

    private mutating func engineExited() -> [Action] {
        hasExited = true
        guard state == .closing else { return [] }
        state = .finished
        return [.finish]
    }

    private var showsDestinations: Bool {
        switch role {
        case .owner(_, _, let hasDestinations): hasDestinations || hasSeenDestination
        case .guest(_, let follows): follows
        }
    }

    private var reference: ClientError.TakeReference {
        switch role {
        case .owner(let pid, let file, _): .init(id: started?.id, pid: pid, output: started?.file ?? file)
        case .guest(let record, _): .init(id: record.id, pid: record.pid, output: started?.file ?? record.output)
        }
    }
}
