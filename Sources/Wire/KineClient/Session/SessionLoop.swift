// Carries out the actions of SessionStateMachine on its own thread, with one poll for the engine's messages, the end of
// its process and the requests of the session's user.
import KinePlatform
import KineWire
import SystemPackage

/// The part of a session that runs on its thread. Used on that thread only.
final class SessionLoop {
    private let mailbox: SessionMailbox
    private let events: AsyncStream<SessionEvent>.Continuation
    private let connection: ClientConnection
    private let engine: EngineProcess?
    /// The file to be replaced by the recording. While it has the name, nothing is recorded under it.
    private let replaced: FileIdentity?
    private var machine: SessionMailbox.Machine
    /// Withdraws the question at the terminal.
    private var withdrawal: WakeSignal?
    /// False after the channel is closed, since poll would always report it as readable.
    private var readsChannel = true

    /// - Parameter engine: nil if another client started it.
    init(
        _ role: SessionMailbox.Machine.Role, over connection: ClientConnection, engine: EngineProcess? = nil,
        replacing replaced: FileIdentity? = nil, mailbox: SessionMailbox, events: AsyncStream<SessionEvent>.Continuation
    ) {
        machine = SessionMailbox.Machine(role)
        self.connection = connection
        self.engine = engine
        self.replaced = replaced
        self.mailbox = mailbox
        self.events = events
    }

    func run() {
        while !machine.isFinished {
            wait()
            mailbox.collect().forEach(handle)
            if readsChannel { readMessages() }
            if machine.isClosing, engine?.process.poll() != nil { handle(.engineExited) }
            if let deadline = machine.nextDeadline, MonotonicClock.now() >= deadline {
                handle(.time(MonotonicClock.now()))
            }
        }
        events.finish()
        mailbox.close()
        mailbox.feed?.end()
    }

    private func wait() {
        let ending = machine.isClosing ? engine.map { ReadableDescriptor($0.process.exitDescriptor) } : nil
        // Without a pidfd, the process is checked every 5 ms, faster than a person notices.
        let isBlind = ending.map { $0.descriptor < 0 } ?? false
        PollLoop.wait(
            for: ReadableDescriptor(mailbox.descriptor), readsChannel ? connection : nil, ending,
            until: isBlind ? MonotonicClock.now() + 5_000_000 : machine.nextDeadline)
    }

    private func readMessages() {
        do throws(ControlError) {
            for message in try connection.readAvailable() { handle(.message(message)) }
            guard connection.isClosed else { return }
            readsChannel = false
            handle(.channelClosed(nil))
        } catch {
            readsChannel = false
            handle(.channelClosed(error))
        }
    }

    private func handle(_ input: SessionMailbox.Machine.Input) {
        // Messages that the engine wrote before it died are still read.
        if case .channelClosed = input { mailbox.feed?.end() }
        for action in machine.handle(input) { perform(action) }
    }

    private func perform(_ action: SessionMailbox.Machine.Action) {
        switch action {
        case .send(let message): send(message)
        case .feed(let message): mailbox.feed?.received(message, over: connection)
        case .emit(let event):
            events.yield(event)
            if case .ended(let outcome) = event { mailbox.outcome.fulfil(.success(outcome)) }
        case .askPerson(let question): askPerson(question)
        case .withdrawQuestion: withdrawal?.signal()
        case .answer(let caller, let result): caller.fulfil(result)
        case .recover(let cause, let output, let hasBegun):
            handle(.recovered(recover(cause, output: output, hasBegun: hasBegun)))
        case .closeChannel:
            readsChannel = false
            connection.close()
            mailbox.outcome.fulfil(.failure(.takeIsOver))
        case .finish: break
        }
    }

    private func recover(_ cause: EngineDeath.Cause, output: String?, hasBegun: Bool) -> EngineDeath {
        if let engine { return engine.recover(cause, output: output, hasBegun: hasBegun, replacing: replaced) }
        let file =
            cause == .aborted ? OrphanedRecording.end(connection.peer, output) : OrphanedRecording.recover(output)
        return EngineDeath(cause: cause, file: file)
    }

    /// On its own thread, because a person may take long.
    private func askPerson(_ question: String) {
        let (mailbox, withdrawal) = (mailbox, WakeSignal())
        self.withdrawal = withdrawal
        do throws(Errno) {
            _ = try DedicatedThread(starting: "kine-question") {
                let answer = TerminalQuestion.controlling()?.ask(question, unless: withdrawal)
                mailbox.post(.request(.permissionAnswer(answer), from: nil))
            }
        } catch {
            handle(.request(.permissionAnswer(nil), from: nil))
        }
    }

    private func send(_ message: ClientMessage) {
        if let reason = connection.deliver(message) {
            handle(.message(.answer(id: message.id, .failure(Refusal(.invalidRequest, reason)))))
        }
    }
}
