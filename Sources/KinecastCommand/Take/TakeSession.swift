import KineControl
// What a client does with its take when something happens: a state machine without I/O. TakeDriver feeds it and carries
// out what it asks for.
import KinePlatform

/// The client's side of one take, with the command that may run in it.
struct TakeSession {
    enum Input {
        case message(EngineMessage)
        /// The control channel ended.
        case engineClosed
        /// The user asked to end, by SIGINT, SIGTERM or SIGHUP.
        case interrupted
        case commandEnded(ChildProcess.Ending)
        /// COMMAND could not be started; one sentence.
        case commandFailed(String)
        /// The grace given to COMMAND ran out.
        case graceOver
    }

    enum Action: Equatable {
        case send(ClientMessage)
        case startCommand(environment: [String])
        /// Ask COMMAND to end, and come back with `graceOver` unless it does.
        case terminateCommand
        case killCommand
        /// Kill the engine if it still runs, then finish its file in this process and tell the user.
        case recover(output: String?, cause: RecoveryCause)
        case report(Report)
        /// All is over; leave with that status.
        case exit(Int32)
    }

    enum RecoveryCause: Equatable {
        case engineDied
        /// The user would not wait.
        case interruptedTwice
    }

    /// What the user should see.
    enum Report: Equatable {
        case engine(EngineMessage)
        /// The end was asked for, and the file and the broadcasts are being finished.
        case finishing
        case commandEnded(ChildProcess.Ending)
        case commandFailed(String)
    }

    private enum CommandState: Equatable {
        case none, waiting, running, ended
    }

    private var command: CommandState
    /// Whether the take is broadcast. Progress does not tell of destinations, so their status is asked for each time.
    private let hasDestinations: Bool
    /// COMMAND's status, where it ended by itself while the take ran.
    private var commandStatus: Int32?
    private var output: String?
    private var interruptions = 0
    private var stopSent = false
    /// How the take ended, once it has.
    private var takeStatus: Int32?

    init(hasCommand: Bool, hasDestinations: Bool = false) {
        command = hasCommand ? .waiting : .none
        self.hasDestinations = hasDestinations
    }

    mutating func handle(_ input: Input) -> [Action] {
        switch input {
        case .message(let message): received(message)
        case .engineClosed: engineClosed()
        case .interrupted: interrupted()
        case .commandEnded(let ending): commandEnded(ending)
        case .commandFailed(let reason): commandFailed(reason)
        case .graceOver: command == .running && takeStatus != nil ? [.killCommand] : []
        }
    }

    private mutating func received(_ message: EngineMessage) -> [Action] {
        guard takeStatus == nil else { return [] }
        switch message {
        case .started(let started):
            output = started.output
            guard command == .waiting, !stopSent else { return [.report(.engine(message))] }
            command = .running
            return [.report(.engine(message)), .startCommand(environment: started.environment)]
        case .finished(let summary):
            return [.report(.engine(message))] + over(summary.exitStatus)
        case .failed(let failure):
            return [.report(.engine(message))] + over(failure.exitStatus)
        case .progress where hasDestinations:
            return [.send(.status)]
        case .status, .progress, .paused, .resumed, .warning, .refused, .destination:
            return [.report(.engine(message))]
        }
    }

    private mutating func engineClosed() -> [Action] {
        guard takeStatus == nil else { return [] }
        return [.recover(output: output, cause: .engineDied)] + over(ExitStatus.engineDied)
    }

    private mutating func interrupted() -> [Action] {
        interruptions += 1
        if takeStatus != nil { return command == .running ? [.killCommand] : [] }
        if interruptions == 1 { return stop() + [.report(.finishing)] }
        return [.recover(output: output, cause: .interruptedTwice)] + over(ExitStatus.engineDied)
    }

    private mutating func commandEnded(_ ending: ChildProcess.Ending) -> [Action] {
        guard command == .running else { return [] }
        command = .ended
        if let takeStatus { return [.exit(exitStatus(takeStatus))] }
        // A command that ends after the end was asked for (Ctrl-C reaches it too) has no say in how the take went.
        guard !stopSent else { return [.report(.commandEnded(ending))] }
        switch ending {
        case .exited(let status): commandStatus = status
        case .killed(let signal): commandStatus = 128 + signal
        }
        return [.report(.commandEnded(ending))] + stop()
    }

    private mutating func commandFailed(_ reason: String) -> [Action] {
        command = .ended
        commandStatus = ExitStatus.unavailable
        return [.report(.commandFailed(reason))] + stop()
    }

    private mutating func stop() -> [Action] {
        guard !stopSent else { return [] }
        stopSent = true
        return [.send(.stop(immediately: false))]
    }

    private mutating func over(_ status: Int32) -> [Action] {
        takeStatus = status
        return command == .running ? [.terminateCommand] : [.exit(exitStatus(status))]
    }

    /// COMMAND's own failure goes before the take's, which goes before success.
    private func exitStatus(_ take: Int32) -> Int32 {
        if let commandStatus, commandStatus != 0 { return commandStatus }
        return take
    }
}
