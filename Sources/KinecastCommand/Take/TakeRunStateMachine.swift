// The course of `record` and `broadcast` as a state machine without I/O. TakeRun feeds it and carries out its actions.
import KineClient
import KinePlatform

/// One take as the command line runs it, with the command that may run in it.
struct TakeRunStateMachine: Hashable {
    enum Input {
        case session(SessionEvent)
        /// The user asked to end, by SIGINT, SIGTERM, SIGQUIT or SIGHUP.
        case interrupted
        case commandEnded(ChildProcess.Ending)
        /// COMMAND could not be started; one sentence.
        case commandFailed(String)
        /// The time that COMMAND was given to end is over.
        case graceOver
    }

    enum Action: Equatable {
        /// Ask the engine to end the take.
        case stop
        /// End the engine now, and save what there is.
        case abort
        case startCommand(environment: [String])
        /// Ask COMMAND to end, and come back with `graceOver` unless it does.
        case terminateCommand
        case killCommand
        case report(Report)
        /// Leave with that exit status.
        case exit(Int32)
    }

    /// Something to print for the user.
    enum Report: Equatable {
        case session(SessionEvent)
        /// The end was asked for, and the file and the broadcasts are being finished.
        case finishing
        case commandEnded(ChildProcess.Ending)
        case commandFailed(String)
    }

    private enum Command: Hashable {
        case none
        case waiting
        case running
        /// `status`: of a COMMAND that ended by itself while the take ran or could not be started; nil: it does not count.
        case ended(status: Int32?)
    }

    private enum Take: Hashable {
        case running
        /// Its end was asked for, by COMMAND's end or by the user.
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
        case .commandEnded(let ending): command == .running ? commandEnded(ending) : []
        case .commandFailed(let reason): command == .running ? commandFailed(reason) : []
        case .graceOver: isOver ? killCommand() : []
        }
    }

    private var isOver: Bool { if case .over = take { true } else { false } }

    private mutating func received(_ event: SessionEvent) -> [Action] {
        guard !isOver else { return [] }
        switch event {
        case .started(let started) where command == .waiting && take == .running:
            command = .running
            return [.report(.session(event)), .startCommand(environment: started.environment)]
        case .ended(let outcome):
            take = .over(status: outcome.exitStatus)
            return [.report(.session(event))] + (command == .running ? [.terminateCommand] : exit())
        case .started, .progress, .paused, .resumed, .microphone, .sourceSwitched, .camera, .screenLocked, .warning,
            .connectionFailed, .destination:
            return [.report(.session(event))]
        }
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
        command = .ended(status: nil)
        if isOver { return exit() }
        let report = Action.report(.commandEnded(ending))
        // The status of a COMMAND that ends after the take's end was asked for does not count: Ctrl-C reaches it too.
        guard take == .running else { return [report] }
        switch ending {
        case .exited(let status): command = .ended(status: status)
        case .killed(let signal): command = .ended(status: 128 + signal)
        }
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

    private func killCommand() -> [Action] { command == .running ? [.killCommand] : [] }

    /// COMMAND's failure counts before the take's.
    private func exit() -> [Action] {
        guard case .over(let status) = take else { return [] }
        if case .ended(let own?) = command, own != 0 { return [.exit(own)] }
        return [.exit(status)]
    }
}
