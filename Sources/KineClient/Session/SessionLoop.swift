// Carries out what SessionStateMachine decides, on a thread of its own: one poll over the engine's messages, the engine's
// process and what the session's user asks.
import Glibc
import KineContainers
import KineControl
import KinePlatform
import KineRelay
import Synchronization

/// What reaches a session's thread, from any other.
final class SessionMailbox: Sendable {
    typealias Answer = Promise<Result<SessionAnswer, ClientError>>

    enum Letter {
        case input(SessionStateMachine.Input)
        case request(SessionRequest, deadline: Int64?, Answer)
    }

    private struct State {
        var letters: [Letter] = []
        var isOpen = true
    }

    private let state = Mutex(State())
    private let wake = WakeSignal()
    /// Fulfilled when the session's thread has nothing left to do.
    let finished = Promise<Void>()

    /// For poll: readable when a letter came.
    var descriptor: Int32 { wake.descriptor }

    func post(_ letter: Letter) {
        let isTaken = state.withLock { state in
            if state.isOpen { state.letters.append(letter) }
            return state.isOpen
        }
        if isTaken { wake.signal() } else { Self.refuse(letter) }
    }

    /// The letters since the last call, in order.
    func collect() -> [Letter] {
        wake.clear()
        return state.withLock { state in
            defer { state.letters = [] }
            return state.letters
        }
    }

    /// Nobody will read any more.
    func close() {
        let rest = state.withLock { state in
            state.isOpen = false
            defer { state.letters = [] }
            return state.letters
        }
        rest.forEach(Self.refuse)
        finished.fulfil(())
    }

    private static func refuse(_ letter: Letter) {
        if case .request(_, _, let answer) = letter { answer.fulfil(.failure(.takeIsOver)) }
    }
}

/// The thread's side of a session. Lives on that thread alone.
final class SessionLoop {
    private let mailbox: SessionMailbox
    private let events: AsyncStream<SessionEvent>.Continuation
    private let connection: ClientConnection
    private let engine: EngineProcess?
    /// The file that the recording is to replace: while it has its name, nothing of the recording is there.
    private let replaced: FileIdentity?
    private var machine: SessionStateMachine
    private var answers: [Int: SessionMailbox.Answer] = [:]
    private var lastRequest = 0
    /// A closed channel stays readable for ever.
    private var readsChannel = true

    init(
        owning engine: EngineProcess, hasDestinations: Bool, replacing replaced: FileIdentity?, mailbox: SessionMailbox,
        events: AsyncStream<SessionEvent>.Continuation
    ) {
        self.mailbox = mailbox
        self.events = events
        self.engine = engine
        self.replaced = replaced
        connection = engine.connection
        machine = SessionStateMachine(.owner(pid: engine.process.pid, hasDestinations: hasDestinations))
    }

    init(
        attachedTo record: TakeRecord, over connection: ClientConnection, mailbox: SessionMailbox,
        events: AsyncStream<SessionEvent>.Continuation
    ) {
        self.mailbox = mailbox
        self.events = events
        self.connection = connection
        engine = nil
        replaced = nil
        machine = SessionStateMachine(.guest(record))
    }

    func run() {
        while !machine.isFinished {
            let ready = wait()
            if ready.mailbox { mailbox.collect().forEach(read) }
            if ready.channel, readsChannel { readMessages() }
            if machine.isClosing, engine?.process.poll() != nil { handle(.engineExited) }
            if let deadline = machine.nextDeadline, MonotonicClock.now() >= deadline {
                handle(.time(MonotonicClock.now()))
            }
        }
        events.finish()
        mailbox.close()
    }

    private func wait() -> (mailbox: Bool, channel: Bool) {
        var entries = [pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)]
        // poll leaves out negative descriptors.
        entries.append(
            pollfd(fd: readsChannel ? connection.descriptor.rawValue : -1, events: connection.pollEvents, revents: 0))
        var deadline = machine.nextDeadline
        if machine.isClosing, let process = engine?.process {
            entries.append(pollfd(fd: process.exitDescriptor ?? -1, events: Int16(POLLIN), revents: 0))
            // Without such a descriptor it is looked at now and then: 5 ms is short of what a person notices.
            if process.exitDescriptor == nil { deadline = MonotonicClock.now() + 5_000_000 }
        }
        WakeSignal.poll(&entries, until: deadline)
        return (entries[0].revents != 0, entries[1].revents != 0)
    }

    private func read(_ letter: SessionMailbox.Letter) {
        switch letter {
        case .input(let input): handle(input)
        case .request(let request, let deadline, let answer):
            lastRequest += 1
            answers[lastRequest] = answer
            handle(.request(id: lastRequest, request, deadline: deadline))
        }
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

    private func handle(_ input: SessionStateMachine.Input) {
        for action in machine.handle(input) { perform(action) }
    }

    private func perform(_ action: SessionStateMachine.Action) {
        switch action {
        // A channel that takes nothing any more is closed, which the loop notices.
        case .send(let message): try? connection.send(message)
        case .emit(let event): events.yield(event)
        case .answer(let id, let result): answers.removeValue(forKey: id)?.fulfil(result)
        case .recover(let cause, let output, let hasBegun): recover(cause, output, hasBegun)
        case .closeChannel:
            readsChannel = false
            connection.close()
        case .finish: break
        }
    }

    private func recover(_ cause: EngineDeath.Cause, _ output: String?, _ hasBegun: Bool) {
        guard let engine else { return }
        let ending = engine.process.end(signal: SIGKILL, deadline: .max)
        let file: EngineDeath.File
        if let output, replaced != nil, FileIdentity(output) == replaced {
            file = .olderKept(path: output)
        } else if let output {
            do throws(MP4Recovery.Error) {
                file = .recovered(path: output, try MP4Recovery.recover(output))
            } catch {
                file = .unrecoverable(error)
            }
        } else {
            file = hasBegun ? .notRecorded : .notBegun
        }
        if !file.canBeRecoveredLater { KnownTakes.forget(engine: engine.process.pid) }
        handle(
            .recovered(EngineDeath(cause: cause, ending: ending, lastWords: engine.log.lastWords(), file: file)))
    }
}

extension EngineDeath.File {
    /// The take stays in the registry then.
    fileprivate var canBeRecoveredLater: Bool {
        if case .unrecoverable(.storage) = self { true } else { false }
    }
}

/// Which file has a name.
struct FileIdentity: Equatable {
    private let device: UInt64
    private let number: UInt64

    /// Nil where there is none.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
    }
}
