// Carries out the actions of TakeRunStateMachine, with one poll for signals, session events and COMMAND's end.
import Glibc
import KineClient
import KineMedia
import KinePlatform
import KineWire

/// Runs one take from this terminal.
final class TakeRun {
    /// The time for the engine to exit after its last message, in nanoseconds.
    private static let engineGrace: Int64 = 10_000_000_000
    /// The time to read the last lines after a signal, and all lines before a stop of this process, in nanoseconds.
    private static let readerGrace: Int64 = 2_000_000_000
    /// The time from the answer to a pause request to its event, in nanoseconds.
    private static let pauseGrace: Int64 = 10_000_000_000

    private let configuration: TakeConfiguration
    private let confinement: ConfinementRequest
    /// A running engine; nil: the take's start starts one.
    private let engine: WaitingEngine?
    /// Nil before the engine is started.
    private var session: MainThreadSession?
    private var signals: TakeSignals
    private var command: CommandRun
    private let reporter: TakeReporter
    private let notifications: TakeNotifications?
    private var machine: TakeRunStateMachine
    private var exitStatus: Int32?

    /// From here on, this object receives the signals.
    init(
        configuration: TakeConfiguration, confinement: ConfinementRequest, command: ShownCommand?,
        reporter: TakeReporter, engine: WaitingEngine?,
        notifications: TakeNotifications?
    ) {
        let signals = TakeSignals()
        self.signals = signals
        (self.configuration, self.confinement, self.engine) = (configuration, confinement, engine)
        self.command = CommandRun(
            command, output: configuration.writesToStandardOutput ? .standardError : .standardOutput,
            ignoring: signals.inheritedIgnored)
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
                if signals.readUntilEnd() { return false }
            }
        }
    }

    private func runTake(_ toggle: ToggleFile?) throws(ClientError) {
        let session = try MainThreadSession(configuration, confinement: confinement, in: engine)
        self.session = session
        if toggle != nil || reporter.isJSON { session.note(in: toggle) }
        while exitStatus == nil {
            let deadline = command.deadline
            let ready = MainThread.shared.poll([signals.descriptor], until: deadline)
            readEvents()
            if ready[0] { readSignals() }
            if let deadline, MonotonicClock.now() >= deadline {
                command.endGrace()
                handle(.graceOver)
            }
        }
    }

    private func readEvents() {
        guard let arrivals = session?.receive() else { return }
        if let opening = arrivals.opening { reporter.opening(opening) }
        if let unanswered = arrivals.unanswered { reporter.warning("\(unanswered)") }
        for event in arrivals.events { handle(.session(event)) }
    }

    private func readSignals() {
        while let request = signals.next() {
            switch request {
            case .suspend(let signal): suspend(by: signal)
            case .end: handle(.interrupted)
            case .childEnded: if let ending = command.poll() { handle(.commandEnded(ending)) }
            }
        }
    }

    /// Stops this job, and returns when it continues. The person sees a stopped job, so the take pauses meanwhile.
    private func suspend(by signal: Int32) {
        guard let session else { return }
        let pauses = !session.isPaused && (try? session.pause()) != nil
        if pauses { waitForPause(of: session) }
        waitForReaders(until: MonotonicClock.now() + Self.readerGrace)
        command.signal(signal)
        signals.suspend(by: signal)
        command.signal(SIGCONT)
        // The take may be over, or another client has resumed it.
        if pauses { try? session.resume() }
    }

    /// Waits until the pause has been reported, since a stopped process reports nothing.
    private func waitForPause(of session: MainThreadSession) {
        let deadline = MonotonicClock.now() + Self.pauseGrace
        readEvents()
        while !session.isPaused, exitStatus == nil, MonotonicClock.now() < deadline {
            _ = MainThread.shared.poll(until: deadline)
            readEvents()
        }
    }

    private func handle(_ input: TakeRunStateMachine.Input) {
        for action in machine.handle(input) { perform(action) }
    }

    private func perform(_ action: TakeRunStateMachine.Action) {
        switch action {
        case .stop: session?.stop()
        case .abort: session?.abort()
        case .startCommand(let environment):
            if let problem = command.start(environment: environment) { handle(.commandFailed(problem)) }
        case .announceCommand: if let pid = command.pid { session?.commandStarted(process: pid) }
        case .awaitCommand: command.awaitEnd()
        case .terminateCommand: command.terminate()
        case .killCommand: command.signal(SIGKILL)
        case .report(let report): self.report(report)
        case .exit(let status): exitStatus = status
        }
    }

    private func report(_ report: TakeRunStateMachine.Report) {
        reporter.report(report)
        if case .session(let event) = report { notifications?.report(event) }
    }

    /// Waits until the engine and its helpers are gone, since a script may rely on that when this process exits. A
    /// signal ends the wait.
    private func waitForEngine() {
        guard let session else { return }
        let deadline = MonotonicClock.now() + Self.engineGrace
        session.close()
        while !session.isClosed, MonotonicClock.now() < deadline {
            _ = MainThread.shared.poll([signals.descriptor], until: deadline)
            if signals.readUntilEnd() { return }
        }
    }

    /// Waits until all lines are read, without a limit; after a signal, at most two seconds.
    private func waitForReaders() {
        while !signals.isInterrupted, case let pending = reporter.pending, !pending.isEmpty {
            _ = MainThread.shared.poll([signals.descriptor] + pending)
            _ = signals.readUntilEnd()
        }
        waitForReaders(until: MonotonicClock.now() + Self.readerGrace)
    }

    private func waitForReaders(until deadline: Int64) {
        while case let pending = reporter.pending, !pending.isEmpty, MonotonicClock.now() < deadline {
            _ = MainThread.shared.poll(pending, until: deadline)
        }
    }
}
