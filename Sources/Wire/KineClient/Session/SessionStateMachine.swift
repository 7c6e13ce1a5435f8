// The course of a session with an engine as a state machine without I/O. SessionLoop sends inputs and performs actions.
import KineTakes
import KineWire

/// The client's side of a control channel, for the client that started the engine or for one that attached later.
/// `Caller` waits for an answer.
struct SessionStateMachine<Caller: Sendable> {
    enum Role: Equatable {
        /// This process started the engine, and recovers the file if it dies. `file`: its path, if there is one.
        case owner(pid: Int32, file: String? = nil)
        /// Another process started the engine. `follows`: this session gets the owner's events, and recovers the file
        /// if the owner did not.
        case guest(TakeRecord, follows: Bool)
    }

    enum Input {
        case message(EngineMessage)
        /// The control channel ended, or broke with this error.
        case channelClosed(ControlError?)
        /// `from`: nil: the answer is ignored. `deadline`: nanoseconds of CLOCK_MONOTONIC, if any.
        case request(ClientRequest, from: Caller?, deadline: Int64? = nil)
        /// End the engine now, and save the recording so far.
        case abort
        /// The engine has exited, and its file was recovered if possible.
        case recovered(EngineDeath)
        /// The time on CLOCK_MONOTONIC, in nanoseconds.
        case time(Int64)
        case close
        /// The engine's process has ended and was reaped.
        case engineExited
    }

    enum Action {
        case send(ClientMessage)
        /// Pass the message on to the reader of samples.
        case feed(SampleFeedMessage)
        case emit(SessionEvent)
        /// Ask the person at this process's terminal; their answer is the request `permissionAnswer`.
        case askPerson(String)
        /// Withdraw that question.
        case withdrawQuestion
        /// A stop request is answered after the take's last event.
        case answer(Caller, Result<EngineReply, ClientError>)
        /// Kill the engine if it still runs, recover its file, and send `recovered`. `hasBegun`: the engine had
        /// reported that the take runs.
        case recover(EngineDeath.Cause, output: String?, hasBegun: Bool)
        /// Close the channel; an engine whose take runs then finishes it.
        case closeChannel
        /// The session is done.
        case finish
    }

    private enum State: Equatable {
        case running
        case recovering(isClosing: Bool)
        case over(TakeOutcome)
        /// The channel is closed; the engine's process has not exited yet.
        case closing
        case finished
    }

    private let role: Role
    private var state = State.running
    private var started: TakeStarted?
    private var requests = EngineRequests<Caller>()
    /// The engine's reason for closing the channel.
    private var dismissal: Refusal?
    private var hasExited = false

    init(_ role: Role) { self.role = role }

    /// The time to send `Input.time` next; nil: never.
    var nextDeadline: Int64? { requests.nextDeadline }

    var isFinished: Bool { state == .finished }
    /// Whether the session waits for the engine's process to exit.
    var isClosing: Bool { state == .closing }

    mutating func handle(_ input: Input) -> [Action] {
        switch input {
        case .message(let message): state == .running ? received(message) : []
        case .channelClosed(let error): state == .running ? channelClosed(error) : []
        case .request(let request, let caller, let deadline): self.request(request, from: caller, deadline)
        case .abort: state == .running ? recover(.aborted) : []
        case .recovered(let death): recovered(death)
        case .time(let now): expire(now)
        case .close: close()
        case .engineExited: engineExited()
        }
    }

    private mutating func received(_ message: EngineMessage) -> [Action] {
        if let (caller, result) = requests.received(message) {
            return [.answer(caller, result.mapError { ClientError.refused($0) })]
        }
        // The answer may be one to a request that has timed out.
        return if case .event(let event) = message { received(event) } else { [] }
    }

    private mutating func received(_ event: EngineEvent) -> [Action] {
        switch event {
        case .samples(let message): return [.feed(message)]
        case .permissionQuestion(let question): return [.askPerson(question)]
        case .permissionAsked(let question): return question == nil ? [.withdrawQuestion] : []
        case .frames, .cameraShown: return []
        case .dismissed(let refusal):
            dismissal = refusal
            return []
        case .finished(let summary): return over(.finished(summary))
        case .failed(let failure): return over(.failed(failure))
        case .started(let take): started = take
        default: break
        }
        return [.emit(.engine(event))]
    }

    private mutating func channelClosed(_ error: ControlError?) -> [Action] {
        let told = error.map { [Action.emit(.connectionFailed(ClientError($0)))] } ?? []
        switch role {
        case .owner, .guest(_, follows: true):
            return told + recover(.died)
        case .guest(_, follows: false):
            let reason =
                error.map(ClientError.init) ?? dismissal.map(ClientError.refused) ?? .endedWithoutAnswer(reference)
            let failed = requests.removeAll().map { Action.answer($0.caller, .failure(reason)) }
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
        return [.emit(.ended(outcome))]
            + requests.removeAll().map { .answer($0.caller, Self.answerAfterEnd(to: $0.request)) }
    }

    private static func answerAfterEnd(to request: ClientRequest) -> Result<EngineReply, ClientError> {
        if case .stop = request { .success(.done) } else { .failure(.takeIsOver) }
    }

    private mutating func request(_ request: ClientRequest, from caller: Caller?, _ deadline: Int64?) -> [Action] {
        guard let caller else { return state == .running ? [.send(ClientMessage(id: 0, request))] : [] }
        switch state {
        case .running:
            return requests.add(request, from: caller, until: deadline).map(Action.send)
        case .recovering:
            _ = requests.add(request, from: caller, until: nil)
            return []
        case .over: return [.answer(caller, Self.answerAfterEnd(to: request))]
        case .closing, .finished: return [.answer(caller, .failure(.takeIsOver))]
        }
    }

    private mutating func expire(_ now: Int64) -> [Action] {
        let (late, messages) = requests.expire(at: now, isConnected: state == .running)
        return messages.map(Action.send) + late.map { .answer($0, .failure(.noAnswer(reference))) }
    }

    private mutating func close() -> [Action] {
        switch state {
        case .closing, .finished: return []
        case .recovering:
            state = .recovering(isClosing: true)
            return []
        case .running, .over: break
        }
        let answers = requests.removeAll().map { Action.answer($0.caller, .failure(.takeIsOver)) }
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

    private var reference: ClientError.TakeReference {
        switch role {
        case .owner(let pid, let file): .init(id: started?.id, pid: pid, output: started?.file ?? file)
        case .guest(let record, _): .init(id: record.id, pid: record.pid, output: started?.file ?? record.output)
        }
    }
}

extension SessionStateMachine.Action: Equatable where Caller: Equatable {}
