// The course of `record` and `broadcast` as a state machine without I/O. TakeRun sends inputs and performs actions.
import KineClient
import KinePlatform

/// One take of the command line, with its COMMAND if there is one.
struct TakeRunStateMachine: Hashable {
    enum Input {
        case session(SessionEvent)
        /// The user requested the end, by SIGINT, SIGTERM, SIGQUIT or SIGHUP.
        case interrupted
        case commandEnded(ChildProcess.Ending)
        /// COMMAND could not be started; one sentence.
        case commandFailed(String)
        /// The time for COMMAND to end is over.
        case graceOver
    }

    enum Action: Equatable {
        /// Ask the engine to end the take.
        case stop
        /// End the engine now, and save the recording so far.
        case abort
        case startCommand(environment: [String])
        /// Report COMMAND's process to the engine, if it runs.
        case announceCommand
        /// Wait for COMMAND to end; send `graceOver` if it does not.
        case awaitCommand
        /// Ask COMMAND to end, and wait like `awaitCommand`.
        case terminateCommand
        case killCommand
        case report(Report)
        /// Exit with this status.
        case exit(Int32)
    }

    /// Something to print for the user.
    enum Report: Equatable {
        case session(SessionEvent)
        /// The end was requested; the file and the broadcasts are being finished.
        case finishing
        case commandEnded(ChildProcess.Ending)
        case commandFailed(String)
    }

    private enum Command: Hashable {
        case none
        case waiting
        /// `opensWindow`: COMMAND was started to open the window that is shown.
        case running(opensWindow: Bool)
        /// COMMAND's window was closed, which ended the take. Programs close their windows when they end.
        case closing
        /// `status`: of a COMMAND that ended by itself or could not be started; nil: ignored.
        case ended(status: Int32?)
    }

    private enum Take: Hashable {
        case running
        /// The end was requested, by COMMAND's end or by the user.
        case stopping(byUser: Bool)
        case aborting
        case over(status: Int32)
    }

    private var command: Command
    private var take = Take.running

    init(hasCommand: Bool) { command = hasCommand ? .waiting : .none }

    mutating func handle(_ input: Input) -> [Action] {
        switch input {
        case .session(let event): received(event)
        case .interrupted: interrupted()
        case .commandEnded(let ending): isCommandRunning ? commandEnded(ending) : []
        case .commandFailed(let reason): isCommandRunning ? commandFailed(reason) : []
        case .graceOver: isOver ? graceOver() : []
        }
    }

    private var isCommandRunning: Bool {
        switch command {
        case .running, .closing: true
        case .none, .waiting, .ended: false
        }
    }

    private var isOver: Bool { if case .over = take { true } else { false } }

    private mutating func received(_ event: SessionEvent) -> [Action] {
        guard !isOver else { return [] }
        switch event {
        case .engine(.commandNeeded(let environment)) where command == .waiting && take == .running:
            command = .running(opensWindow: true)
            return [.startCommand(environment: environment), .announceCommand]
        case .engine(.started(let started)) where command == .waiting && take == .running:
            command = .running(opensWindow: false)
            return [.report(.session(event)), .startCommand(environment: started.environment)]
        case .ended(let outcome):
            if case .finished(let summary) = outcome, summary.isSourceEnded, take == .running,
                command == .running(opensWindow: true)
            {
                command = .closing
            }
            take = .over(status: outcome.exitStatus)
            return [.report(.session(event))] + endCommand()
        case .engine, .connectionFailed: return [.report(.session(event))]
        }
    }

    private func endCommand() -> [Action] {
        switch command {
        case .closing: [.awaitCommand]
        case .running: [.terminateCommand]
        case .none, .waiting, .ended: exit()
        }
    }

    private mutating func graceOver() -> [Action] {
        guard command == .closing else { return killCommand() }
        command = .running(opensWindow: true)
        return endCommand()
    }

    private mutating func interrupted() -> [Action] {
        switch take {
        case .running:
            take = .stopping(byUser: true)
            return [.stop, .report(.finishing)]
        case .stopping(byUser: false):
            take = .stopping(byUser: true)
            return [.report(.finishing)]
        case .stopping(byUser: true):
            take = .aborting
            return [.abort]
        case .aborting, .over: return killCommand()
        }
    }

    private mutating func commandEnded(_ ending: ChildProcess.Ending) -> [Action] {
        // The status is ignored if COMMAND ends after the take's end was requested: Ctrl-C reaches it too.
        let counts = take == .running || command == .closing
        command = .ended(status: counts ? ending.shellStatus : nil)
        if isOver { return exit() }
        let report = Action.report(.commandEnded(ending))
        guard take == .running else { return [report] }
        take = .stopping(byUser: false)
        return [report, .stop]
    }

    private mutating func commandFailed(_ reason: String) -> [Action] {
        command = .ended(status: ExitStatus.unavailable)
        let report = Action.report(.commandFailed(reason))
        if isOver { return [report] + exit() }
        guard take == .running else { return [report] }
        take = .stopping(byUser: false)
        return [report, .stop]
    }

    private func killCommand() -> [Action] { isCommandRunning ? [.killCommand] : [] }

    /// COMMAND's failure takes precedence over the take's.
    private func exit() -> [Action] {
        guard case .over(let status) = take else { return [] }
        if case .ended(let own?) = command, own != 0 { return [.exit(own)] }
        return [.exit(status)]
    }
}

extension ChildProcess.Ending {
    /// The status that a shell reports.
    fileprivate var shellStatus: Int32 {
        switch self {
        case .exited(let status): status
        case .killed(let signal): 128 + signal
        }
    }
}
