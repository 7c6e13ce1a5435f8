// Carries out the actions of TakeRunStateMachine, with one poll for signals, the session's events and COMMAND's end.
import Glibc
import KineClient
import KineControl
import KinePlatform

/// Runs one take from this terminal.
final class TakeRun {
    /// The time that COMMAND has to end by itself after the take, in nanoseconds.
    private static let commandGrace: Int64 = 3_000_000_000
    /// The time that the engine has to exit after its last message, in nanoseconds.
    private static let engineGrace: Int64 = 10_000_000_000

    /// Events that the session's task has left for this thread.
    private struct Inbox {
        var events: [SessionEvent] = []
        var isSessionClosed = false
    }

    private let session: EngineSession
    private let inbox = Monitor(Inbox())
    private let signals: SignalDescriptor
    private let shownCommand: ShownCommand?
    private let reporter: TakeReporter
    private var machine: TakeRunStateMachine
    private var command: CommandProcess?
    private var commandDeadline: Int64?
    private var exitStatus: Int32?

    /// Starts the engine and asks it for the take.
    init(
        configuration: TakeConfiguration, command: ShownCommand?, reporter: TakeReporter
    ) throws(ClientError) {
        // A shell starts background jobs with SIGINT ignored, but `kill -INT` must end them too. SIGHUP stays ignored where
        // nohup did so. A reader that closes its pipe must not end the take by SIGPIPE.
        for signal in [SIGINT, SIGTERM] { Glibc.signal(signal, SIG_DFL) }
        Glibc.signal(SIGPIPE, SIG_IGN)
        signals = SignalDescriptor([SIGINT, SIGTERM, SIGHUP, SIGCHLD])
        session = try MainThread.shared.wait { () async throws(ClientError) in
            try await EngineSession.start(configuration)
        }
        shownCommand = command
        self.reporter = reporter
        machine = TakeRunStateMachine(hasCommand: command != nil)
    }

    /// Returns the exit status.
    func run() -> Int32 {
        listen()
        while exitStatus == nil {
            let deadline = commandDeadline
            let ready = MainThread.shared.poll([signals.descriptor], until: deadline)
            for event in newEvents() { handle(.session(event)) }
            if ready[0] { readSignals() }
            if let deadline, MonotonicClock.now() >= deadline {
                commandDeadline = nil
                handle(.graceOver)
            }
        }
        waitForEngine()
        return exitStatus ?? 0
    }

    private func listen() {
        Task(executorPreference: MainThread.shared) { [session, inbox] in
            for await event in session.events { inbox.withLock { $0.events.append(event) } }
            await session.closed()
            inbox.withLock { $0.isSessionClosed = true }
        }
    }

    private func newEvents() -> [SessionEvent] {
        inbox.withLock { inbox in
            defer { inbox.events = [] }
            return inbox.events
        }
    }

    private func readSignals() {
        while let signal = signals.next() {
            if signal != SIGCHLD {
                handle(.interrupted)
            } else if let ending = command?.poll() {
                command = nil
                handle(.commandEnded(ending))
            }
        }
    }

    private func handle(_ input: TakeRunStateMachine.Input) {
        for action in machine.handle(input) { perform(action) }
    }

    private func perform(_ action: TakeRunStateMachine.Action) {
        switch action {
        case .stop: session.requestStop()
        case .abort: session.abort()
        case .startCommand(let environment): startCommand(environment)
        case .terminateCommand:
            command?.signal(SIGTERM)
            commandDeadline = MonotonicClock.now() + Self.commandGrace
        case .killCommand: command?.signal(SIGKILL)
        case .report(let report): reporter.report(report)
        case .exit(let status): exitStatus = status
        }
    }

    private func startCommand(_ environment: [String]) {
        guard let shownCommand else { return }
        do {
            command = try CommandProcess(shownCommand, environment: environment)
        } catch {
            handle(
                .commandFailed(
                    "The command \(shownCommand.executable) cannot be started: \(error); check its permissions."))
        }
    }

    /// Waits until the engine and its helpers are gone, since a script may count on nothing being left when this process exits.
    /// A signal ends the wait.
    private func waitForEngine() {
        let deadline = MonotonicClock.now() + Self.engineGrace
        session.close()
        while !inbox.withLock({ $0.isSessionClosed }), MonotonicClock.now() < deadline {
            _ = MainThread.shared.poll([signals.descriptor], until: deadline)
            while let signal = signals.next() {
                if signal != SIGCHLD { return }
            }
        }
    }
}
