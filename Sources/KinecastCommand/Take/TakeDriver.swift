// Carries out what TakeSession decides: one poll loop over the signals, the engine's messages and COMMAND's end.
import CLinux
import Glibc
import KineContainers
import KineControl
import KinePlatform
import SystemPackage

/// Runs one take from this terminal.
final class TakeDriver {
    /// How long COMMAND has to end by itself when the take is over before it: nanoseconds.
    private static let commandGrace: Int64 = 3_000_000_000
    /// How long the engine has to clear up behind itself after its last message: nanoseconds.
    private static let engineGrace: Int64 = 10_000_000_000

    private let engine: EngineProcess
    private let signals: SignalDescriptor
    private let shownCommand: ShownCommand?
    private let reporter: TakeReporter
    /// The file that the recording is to replace: while it has its name, nothing of the recording is there.
    private let replaced: FileIdentity?
    private var session: TakeSession
    private var command: CommandProcess?
    private var commandDeadline: Int64?
    private var engineEnding: ChildProcess.Ending?
    private var exitStatus: Int32?

    /// Starts the engine and asks it for the take.
    init(
        configuration: TakeConfiguration, command: ShownCommand?, reporter: TakeReporter
    ) throws {
        // A shell starts background jobs with SIGINT ignored; a recorder that `kill -INT` does not end would surprise.
        // SIGHUP stays ignored where nohup says so. Writing to a reader who has left must not end the take.
        for signal in [SIGINT, SIGTERM] { Glibc.signal(signal, SIG_DFL) }
        Glibc.signal(SIGPIPE, SIG_IGN)
        signals = SignalDescriptor([SIGINT, SIGTERM, SIGHUP, SIGCHLD])
        replaced = configuration.output.flatMap(FileIdentity.init)
        engine = try EngineProcess.start()
        shownCommand = command
        self.reporter = reporter
        session = TakeSession(hasCommand: command != nil, hasDestinations: !configuration.destinations.isEmpty)
        // An engine that died at once is noticed by the loop: its channel is closed.
        try? engine.connection.send(.start(configuration))
    }

    /// Returns the exit status.
    func run() -> Int32 {
        while exitStatus == nil {
            let deadline = commandDeadline
            let ready = WakeSignal.poll(
                [signals.descriptor, engine.connection.descriptor.rawValue], until: deadline)
            if ready[1], engineEnding == nil || !engine.connection.isClosed { readMessages() }
            if ready[0] { readSignals() }
            if let deadline, MonotonicClock.now() >= deadline {
                commandDeadline = nil
                perform(session.handle(.graceOver))
            }
        }
        waitForEngine()
        return exitStatus ?? 0
    }

    private func readMessages() {
        var closed = false
        do {
            for message in try engine.connection.readAvailable() { perform(session.handle(.message(message))) }
            closed = engine.connection.isClosed
        } catch {
            reporter.warning(error.description)
            closed = true
        }
        if closed, exitStatus == nil {
            perform(session.handle(.engineClosed))
            // The channel stays readable for ever now; what is left to wait for is COMMAND, whose end is a signal.
            if exitStatus == nil { waitForCommandOnly() }
        }
    }

    private func readSignals() {
        while let signal = signals.take() {
            if signal != SIGCHLD {
                perform(session.handle(.interrupted))
                continue
            }
            if engineEnding == nil { engineEnding = engine.process.poll() }
            if let ending = command?.poll() {
                command = nil
                perform(session.handle(.commandEnded(ending)))
            }
        }
    }

    private func waitForCommandOnly() {
        while exitStatus == nil {
            let deadline = commandDeadline
            _ = WakeSignal.poll([signals.descriptor], until: deadline)
            readSignals()
            if let deadline, MonotonicClock.now() >= deadline {
                commandDeadline = nil
                perform(session.handle(.graceOver))
            }
        }
    }

    private func perform(_ actions: [TakeSession.Action]) {
        for action in actions {
            switch action {
            case .send(let message): try? engine.connection.send(message)
            case .startCommand(let environment): startCommand(environment)
            case .terminateCommand:
                command?.signal(SIGTERM)
                commandDeadline = MonotonicClock.now() + Self.commandGrace
            case .killCommand: command?.signal(SIGKILL)
            case .recover(let output, let cause): recover(output, cause)
            case .report(let report): reporter.report(report)
            case .exit(let status): exitStatus = status
            }
        }
    }

    private func startCommand(_ environment: [String]) {
        guard let shownCommand else { return }
        do {
            command = try CommandProcess(shownCommand, environment: environment)
        } catch {
            let reason = "The command \(shownCommand.executable) cannot be started: \(error); check its permissions."
            perform(session.handle(.commandFailed(reason)))
        }
    }

    private func recover(_ output: String?, _ cause: TakeSession.RecoveryCause) {
        if engineEnding == nil { engineEnding = engine.process.end(signal: SIGKILL, deadline: .max) }
        let how = engineEnding.map(HumanText.ending) ?? "no one knows how"
        let older = output.flatMap { path in replaced != nil && FileIdentity(path) == replaced ? path : nil }
        let recovery =
            older == nil
            ? output.map { path in Result { () throws(MP4Recovery.Error) in try MP4Recovery.recover(path) } } : nil
        reporter.engineLost(cause, how: how, lastWords: engine.log.lastWords(), recovery: recovery, older: older)
        // A file that could not be finished now can be later: its take stays in the list then.
        if case .failure(.storage)? = recovery { return }
        guard let registry = try? TakeRegistry.standard() else { return }
        for take in registry.list().dead where take.pid == engine.process.pid { _ = try? registry.dismiss(take.id) }
    }

    /// The engine says its last word before its helpers are gone; a script that reads our exit status may count on nothing being
    /// left. A user who is tired of waiting sends a signal.
    private func waitForEngine() {
        let deadline = MonotonicClock.now() + Self.engineGrace
        engine.connection.close()
        while engineEnding == nil, MonotonicClock.now() < deadline {
            engineEnding = engine.process.poll()
            if engineEnding != nil { return }
            _ = WakeSignal.poll([signals.descriptor], until: deadline)
            while let signal = signals.take() {
                if signal != SIGCHLD { return }
            }
        }
    }
}

/// Which file has a name.
private struct FileIdentity: Equatable {
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
