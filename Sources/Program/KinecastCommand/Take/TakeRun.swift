// Carries out the actions of TakeRunStateMachine, with one poll for signals, session events and COMMAND's end.
import Glibc
import KineClient
import KineMedia
import KinePlatform
import KineWire
import SystemPackage

/// Runs one take from this terminal.
final class TakeRun {
    /// The time for COMMAND to end by itself after the take, in nanoseconds.
    private static let commandGrace: Int64 = 3_000_000_000
    /// The time for COMMAND to end by itself after its window was closed, in nanoseconds. Together with `commandGrace`
    /// it equals the time that the engine keeps a private screen.
    private static let closingGrace: Int64 = 2_000_000_000
    /// The time for the engine to exit after its last message, in nanoseconds.
    private static let engineGrace: Int64 = 10_000_000_000

    /// The time to read the last lines after a signal, and all lines before a stop of this process, in nanoseconds.
    private static let readerGrace: Int64 = 2_000_000_000
    /// The time from the answer to a pause request to its event, in nanoseconds.
    private static let pauseGrace: Int64 = 10_000_000_000
    /// The time for an engine to enter its take in the registry.
    private static let registrationTimeout = Duration.seconds(60)

    /// Events that the session's task has stored for this thread.
    private struct Inbox {
        var events: [SessionEvent] = []
        /// The take's id, when the engine has entered it in the registry.
        var opening: String?
        var isSessionClosed = false
        /// Set if the engine does not answer the request to stop.
        var unanswered: ClientError?
    }

    private let configuration: TakeConfiguration
    private let confinement: ConfinementRequest
    /// A running engine; nil: the take's start starts one.
    private let engine: WaitingEngine?
    /// Nil before the engine is started.
    private var session: EngineSession?
    private let inbox = Monitor(Inbox())
    private let signals: SignalDescriptor
    /// The signals that this process was started to ignore, for example by nohup. COMMAND ignores them too.
    private let inheritedIgnored: [Int32]
    private let shownCommand: ShownCommand?
    private let commandOutput: FileDescriptor
    private let reporter: TakeReporter
    private let notifications: TakeNotifications?
    private var machine: TakeRunStateMachine
    private var command: CommandProcess?
    private var commandDeadline: Int64?
    private var exitStatus: Int32?
    private var isPaused = false
    private var isInterrupted = false

    /// The terminal signals that stop a job.
    private static let stopSignals = [SIGTSTP, SIGTTIN, SIGTTOU]

    /// From here on, this object receives the signals.
    init(
        configuration: TakeConfiguration, confinement: ConfinementRequest, command: ShownCommand?,
        reporter: TakeReporter, engine: WaitingEngine?,
        notifications: TakeNotifications?
    ) {
        // The root command itself ignores SIGXFSZ.
        inheritedIgnored = SignalDescriptor.ignored(among: Array(1..<32)).filter { ![SIGCHLD, SIGXFSZ].contains($0) }
        // A shell starts background jobs with SIGINT ignored, but `kill -INT` must end them too. SIGHUP stays ignored
        // after nohup. A reader that closes its pipe must not end the take by SIGPIPE.
        for signal in [SIGINT, SIGTERM, SIGCHLD] { Glibc.signal(signal, SIG_DFL) }
        Glibc.signal(SIGPIPE, SIG_IGN)
        signals = SignalDescriptor([SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGCHLD] + Self.stopSignals)
        (self.configuration, self.confinement, self.engine) = (configuration, confinement, engine)
        shownCommand = command
        commandOutput = configuration.writesToStandardOutput ? .standardError : .standardOutput
        self.reporter = reporter
        self.notifications = notifications
        machine = TakeRunStateMachine(hasCommand: command != nil)
    }

    /// Counts down, starts the engine, and runs the take to its end. Returns the exit status.
    ///
    /// - Parameter toggle: unlocked when the next toggle can find the take.
    func run(after seconds: Int, _ toggle: ToggleFile? = nil) throws(ClientError) -> Int32 {
        if countDown(seconds, toggle) {
            try runTake(toggle)
            waitForEngine()
        } else {
            let message = "The take was cancelled during its countdown; start it again."
            let failure = TakeFailure(exitStatus: ExitStatus.unavailable, message: message)
            reporter.report(.session(.ended(.failed(failure))))
            notifications?.countdownCancelled()
            exitStatus = ExitStatus.unavailable
        }
        waitForReaders()
        notifications?.end()
        return exitStatus ?? 0
    }

    /// Returns false once a signal or another toggle has cancelled the take.
    private func countDown(_ seconds: Int, _ toggle: ToggleFile?) -> Bool {
        guard seconds > 0 else { return true }
        var countdown = Countdown(seconds: seconds, from: MonotonicClock.now())
        toggle?.text = ToggleFile.counting
        defer {
            toggle?.text = ""
            reporter.countdown(0)
        }
        while true {
            if toggle?.text == ToggleFile.cancelled { return false }
            switch countdown.next(at: MonotonicClock.now()) {
            case .begin: return true
            case .show(let left):
                reporter.countdown(left)
                if left == 1 { notifications?.announce() }
            case .sleep(let instant):
                let look = toggle == nil ? instant : min(instant, MonotonicClock.now() + ToggleFile.interval)
                _ = MainThread.shared.poll([signals.descriptor], until: look)
                if hasEndingSignal() { return false }
            }
        }
    }

    private func runTake(_ toggle: ToggleFile?) throws(ClientError) {
        let session = try MainThread.shared.wait { [configuration, confinement, engine] () async throws(ClientError) in
            try await EngineSession.start(configuration, confinement: confinement, in: engine)
        }
        self.session = session
        listen(to: session)
        if toggle != nil || reporter.isJSON { note(session, in: toggle) }
        while exitStatus == nil {
            let deadline = commandDeadline
            let ready = MainThread.shared.poll([signals.descriptor], until: deadline)
            readEvents()
            if ready[0] { readSignals() }
            if let deadline, MonotonicClock.now() >= deadline {
                commandDeadline = nil
                handle(.graceOver)
            }
        }
    }

    private func listen(to session: EngineSession) {
        Task(executorPreference: MainThread.shared) { [inbox] in
            for await event in session.events { inbox.withLock { $0.events.append(event) } }
            await session.closed()
            inbox.withLock { $0.isSessionClosed = true }
        }
    }

    /// Notes the take for the next toggle. The engine answers once the take is in the registry, or has failed.
    private func note(_ session: EngineSession, in toggle: ToggleFile?) {
        let (timeout, inbox) = (Self.registrationTimeout, inbox)
        Task(executorPreference: MainThread.shared) {
            if let status = try? await session.status(within: timeout) {
                toggle?.text = status.id
                inbox.withLock { $0.opening = status.id }
            }
            toggle?.unlock()
        }
    }

    private func readEvents() {
        let (opening, events, unanswered) = inbox.withLock { inbox in
            defer { (inbox.opening, inbox.events, inbox.unanswered) = (nil, [], nil) }
            return (inbox.opening, inbox.events, inbox.unanswered)
        }
        if let opening { reporter.opening(opening) }
        if let unanswered { reporter.warning("\(unanswered)") }
        for event in events {
            switch event {
            case .engine(.paused): isPaused = true
            case .engine(.resumed): isPaused = false
            default: break
            }
            handle(.session(event))
        }
    }

    private func readSignals() {
        while let signal = signals.next() {
            if Self.stopSignals.contains(signal) {
                suspend(by: signal)
            } else if signal != SIGCHLD {
                isInterrupted = true
                handle(.interrupted)
            } else if let ending = command?.poll() {
                command = nil
                handle(.commandEnded(ending))
            }
        }
    }

    /// Stops this job, after Ctrl-Z or when it uses the terminal from the background, and returns when it continues.
    /// The person sees a stopped job, so the take pauses meanwhile.
    private func suspend(by signal: Int32) {
        guard let session else { return }
        let request = { (continues: Bool) in
            try MainThread.shared.wait { () async throws(ClientError) in
                if continues { try await session.resume() } else { try await session.pause() }
            }
        }
        let pauses = !isPaused && (try? request(false)) != nil
        if pauses { waitForPause() }
        waitForReaders(until: MonotonicClock.now() + Self.readerGrace)
        command?.signal(signal)
        signals.takeDefaultAction(of: signal)
        command?.signal(SIGCONT)
        // The take may be over, or another client has resumed it.
        if pauses { _ = try? request(true) }
    }

    /// Waits until the pause has been reported, since a stopped process reports nothing. A request's answer and its
    /// event reach this thread through different tasks.
    private func waitForPause() {
        let deadline = MonotonicClock.now() + Self.pauseGrace
        readEvents()
        while !isPaused, exitStatus == nil, MonotonicClock.now() < deadline {
            _ = MainThread.shared.poll(until: deadline)
            readEvents()
        }
    }

    private func handle(_ input: TakeRunStateMachine.Input) {
        for action in machine.handle(input) { perform(action) }
    }

    private func perform(_ action: TakeRunStateMachine.Action) {
        switch action {
        case .stop: stop()
        case .abort: session?.abort()
        case .startCommand(let environment): startCommand(environment)
        case .announceCommand: if let command { session?.commandStarted(process: command.pid) }
        case .awaitCommand: commandDeadline = MonotonicClock.now() + Self.closingGrace
        case .terminateCommand:
            command?.signal(SIGTERM)
            commandDeadline = MonotonicClock.now() + Self.commandGrace
        case .killCommand: command?.signal(SIGKILL)
        case .report(let report): self.report(report)
        case .exit(let status): exitStatus = status
        }
    }

    private func report(_ report: TakeRunStateMachine.Report) {
        reporter.report(report)
        if case .session(let event) = report { notifications?.report(event) }
    }

    /// The outcome comes as an event.
    private func stop() {
        Task(executorPreference: MainThread.shared) { [session, inbox] in
            do throws(ClientError) {
                _ = try await session?.stop()
            } catch {
                if case .noAnswer = error { inbox.withLock { $0.unanswered = error } }
            }
        }
    }

    private func startCommand(_ environment: [String]) {
        guard let shownCommand else { return }
        do {
            command = try CommandProcess(
                shownCommand, environment: environment, output: commandOutput, ignoring: inheritedIgnored)
        } catch {
            handle(
                .commandFailed(
                    "The command \(shownCommand.executable) cannot be started: \(error); check its permissions."))
        }
    }

    /// Waits until the engine and its helpers are gone, since a script may rely on that when this process exits. A
    /// signal ends the wait.
    private func waitForEngine() {
        let deadline = MonotonicClock.now() + Self.engineGrace
        session?.close()
        while !inbox.withLock({ $0.isSessionClosed }), MonotonicClock.now() < deadline {
            _ = MainThread.shared.poll([signals.descriptor], until: deadline)
            if hasEndingSignal() { return }
        }
    }

    /// Waits until all lines are read, without a limit; after a signal, at most two seconds.
    private func waitForReaders() {
        while !isInterrupted, case let pending = reporter.pending, !pending.isEmpty {
            _ = MainThread.shared.poll([signals.descriptor] + pending)
            _ = hasEndingSignal()
        }
        waitForReaders(until: MonotonicClock.now() + Self.readerGrace)
    }

    private func waitForReaders(until deadline: Int64) {
        while case let pending = reporter.pending, !pending.isEmpty, MonotonicClock.now() < deadline {
            _ = MainThread.shared.poll(pending, until: deadline)
        }
    }

    /// Reads the signals before or after the take. Returns true if one of them requests the end.
    private func hasEndingSignal() -> Bool {
        while let signal = signals.next() {
            if Self.stopSignals.contains(signal) {
                signals.takeDefaultAction(of: signal)
            } else if signal != SIGCHLD {
                isInterrupted = true
                return true
            }
        }
        return false
    }
}
