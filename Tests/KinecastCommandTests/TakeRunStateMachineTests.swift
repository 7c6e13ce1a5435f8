// `record` and `broadcast`, with their inputs in every order.
import KineMedia
import KinePlatform
import KineWire
import Testing

@testable import KineClient
@testable import KinecastCommand

@Suite struct TakeRunStateMachineTests {
    typealias Machine = TakeRunStateMachine

    static let started = SessionEvent.engine(
        .started(
            TakeStarted(
                id: "abcdefgh", output: "/tmp/a.mp4", size: PixelSize(width: 640, height: 480),
                environment: ["DISPLAY=:7"])
        ))
    static let summary = TakeSummary(
        output: "/tmp/a.mp4", size: PixelSize(width: 640, height: 480), progress: TakeProgress(), reason: "stopped")
    static let finished = SessionEvent.ended(.finished(summary))
    /// The window that was shown was closed.
    static let closed = {
        var summary = Self.summary
        summary.isSourceEnded = true
        return SessionEvent.ended(.finished(summary))
    }()
    static let needed = SessionEvent.engine(.commandNeeded(environment: ["DISPLAY=:7"]))
    static let failed = SessionEvent.ended(.failed(TakeFailure(exitStatus: 74, message: "full")))
    static let died = SessionEvent.ended(
        .engineDied(EngineDeath(cause: .died, ending: .killed(signal: 9), file: .notBegun)))

    /// The actions without what is only told.
    func actions(_ machine: inout Machine, _ input: Machine.Input) -> [Machine.Action] {
        machine.handle(input).filter { if case .report = $0 { false } else { true } }
    }

    func running(command: Bool) -> Machine {
        var machine = Machine(hasCommand: command)
        _ = machine.handle(.session(Self.started))
        return machine
    }

    @Test func `a signal stops, and the summary ends with 0`() {
        var machine = running(command: false)
        #expect(machine.handle(.interrupted) == [.stop, .report(.finishing)])
        #expect(machine.handle(.session(Self.finished)) == [.report(.session(Self.finished)), .exit(0)])
        #expect(machine.handle(.session(Self.died)) == [])
    }

    @Test func `a second signal ends the engine immediately, and a third kills the command`() {
        var machine = running(command: true)
        _ = machine.handle(.interrupted)
        #expect(machine.handle(.interrupted) == [.abort])
        #expect(machine.handle(.interrupted) == [.killCommand])
        #expect(actions(&machine, .session(Self.died)) == [.terminateCommand])
        #expect(actions(&machine, .commandEnded(.killed(signal: 9))) == [.exit(ExitStatus.engineDied)])
    }

    @Test func `a signal before the take runs stops it, and no command is started`() {
        var machine = Machine(hasCommand: true)
        #expect(actions(&machine, .interrupted) == [.stop])
        #expect(actions(&machine, .session(Self.started)) == [])
        #expect(actions(&machine, .session(Self.finished)) == [.exit(0)])
    }

    @Test func `an engine that dies means 70`() {
        var machine = running(command: false)
        #expect(actions(&machine, .session(Self.died)) == [.exit(ExitStatus.engineDied)])
    }

    @Test func `a take that fails ends with its status`() {
        var machine = running(command: false)
        #expect(actions(&machine, .session(Self.failed)) == [.exit(74)])
    }

    @Test(arguments: [
        (ChildProcess.Ending.exited(status: 0), Int32(0)), (.exited(status: 3), 3), (.killed(signal: 11), 139),
    ])
    func `the command runs in the take's environment, and its end ends the take with its status`(
        ending: ChildProcess.Ending, status: Int32
    ) {
        var machine = Machine(hasCommand: true)
        #expect(actions(&machine, .session(Self.started)) == [.startCommand(environment: ["DISPLAY=:7"])])
        #expect(actions(&machine, .commandEnded(ending)) == [.stop])
        #expect(actions(&machine, .session(Self.finished)) == [.exit(status)])
    }

    @Test func `a take that fails is not hidden by a command that succeeded`() {
        var machine = running(command: true)
        _ = machine.handle(.commandEnded(.exited(status: 0)))
        #expect(actions(&machine, .session(Self.failed)) == [.exit(74)])
    }

    @Test func `a command that outlives the take is ended, and has no say in the status`() {
        var machine = running(command: true)
        #expect(actions(&machine, .session(Self.finished)) == [.terminateCommand])
        #expect(actions(&machine, .graceOver) == [.killCommand])
        #expect(actions(&machine, .commandEnded(.killed(signal: 9))) == [.exit(0)])
    }

    @Test func `a command that Ctrl-C ended too does not turn a stopped take into a failure`() {
        var machine = running(command: true)
        #expect(actions(&machine, .interrupted) == [.stop])
        #expect(actions(&machine, .commandEnded(.killed(signal: 2))) == [])
        #expect(actions(&machine, .session(Self.finished)) == [.exit(0)])
    }

    @Test func `an engine that dies takes the command with it`() {
        var machine = running(command: true)
        #expect(actions(&machine, .session(Self.died)) == [.terminateCommand])
        #expect(actions(&machine, .commandEnded(.exited(status: 1))) == [.exit(ExitStatus.engineDied)])
    }

    @Test func `a signal while the command is being ended kills it`() {
        var machine = running(command: true)
        _ = machine.handle(.session(Self.finished))
        #expect(actions(&machine, .interrupted) == [.killCommand])
    }

    @Test func `a command that cannot be started ends the take with 69`() {
        var machine = running(command: true)
        #expect(actions(&machine, .commandFailed("no")) == [.stop])
        #expect(actions(&machine, .session(Self.finished)) == [.exit(ExitStatus.unavailable)])
    }

    @Test func `the command's end asks for the stop, so the first signal after it is told and the second aborts`() {
        var machine = running(command: true)
        _ = machine.handle(.commandEnded(.exited(status: 0)))
        #expect(machine.handle(.interrupted) == [.report(.finishing)])
        #expect(machine.handle(.interrupted) == [.abort])
    }

    /// A machine whose command was started to open the window that is shown.
    func opening() -> Machine {
        var machine = Machine(hasCommand: true)
        #expect(
            machine.handle(.session(Self.needed)) == [.startCommand(environment: ["DISPLAY=:7"]), .announceCommand])
        return machine
    }

    @Test func `a command that opens the window starts before the take, once`() {
        var machine = opening()
        #expect(actions(&machine, .session(Self.needed)) == [])
        #expect(actions(&machine, .session(Self.started)) == [])
        #expect(actions(&machine, .commandEnded(.exited(status: 3))) == [.stop])
        #expect(actions(&machine, .session(Self.finished)) == [.exit(3)])
        var stopped = Machine(hasCommand: true)
        _ = stopped.handle(.interrupted)
        #expect(actions(&stopped, .session(Self.needed)) == [])
    }

    @Test(arguments: [(Int32(0), Int32(74)), (3, 3)])
    func `a command that ends before its window comes ends the take, and its failure counts first`(
        status: Int32, own: Int32
    ) {
        var machine = opening()
        #expect(actions(&machine, .commandEnded(.exited(status: status))) == [.stop])
        #expect(actions(&machine, .session(Self.failed)) == [.exit(own)])
    }

    @Test func `a command whose window does not come is ended with the take`() {
        var machine = opening()
        #expect(actions(&machine, .session(Self.failed)) == [.terminateCommand])
        #expect(actions(&machine, .commandEnded(.killed(signal: 15))) == [.exit(74)])
    }

    /// Whether the window closes or the command ends first is chance.
    @Test func `a command that closes its window may end by itself, and its status counts`() {
        var machine = opening()
        _ = machine.handle(.session(Self.started))
        #expect(actions(&machine, .session(Self.closed)) == [.awaitCommand])
        var other = machine
        #expect(actions(&machine, .commandEnded(.exited(status: 3))) == [.exit(3)])
        #expect(actions(&other, .graceOver) == [.terminateCommand])
        #expect(actions(&other, .graceOver) == [.killCommand])
        #expect(actions(&other, .commandEnded(.killed(signal: 9))) == [.exit(0)])
        var stopped = opening()
        _ = stopped.handle(.interrupted)
        #expect(actions(&stopped, .session(Self.closed)) == [.terminateCommand])
        // Of a window that was there before, the command knows nothing.
        var older = running(command: true)
        #expect(actions(&older, .session(Self.closed)) == [.terminateCommand])
    }

    @Test func `a destination that failed ends the take's status with 75`() {
        var machine = running(command: false)
        var summary = Self.summary
        var crashed = DestinationStatus(destination: 0, service: "live", label: "live", phase: .ended)
        crashed.ending = .crashed("signal 11")
        summary.destinations = [crashed]
        #expect(actions(&machine, .session(.ended(.finished(summary)))) == [.exit(ExitStatus.destinationFailed)])
    }

    /// The past actions of a machine that limit its next ones.
    private struct Past: Hashable {
        var machine: Machine
        var commandRuns = false
        var commandWasStarted = false
        var stops = 0
        var aborts = 0
        var takeIsOver = false
        var exits = 0
    }

    @Test(arguments: [false, true])
    func `in every order of all that can happen each promise holds`(hasCommand: Bool) {
        let inputs: [Machine.Input] = [
            .session(Self.started), .session(.engine(.paused)), .session(Self.finished), .session(Self.failed),
            .session(Self.needed), .session(Self.closed),
            .session(Self.died), .interrupted, .commandEnded(.exited(status: 0)), .commandEnded(.exited(status: 3)),
            .commandFailed("no"), .graceOver,
        ]
        var seen: Set<Past> = []
        var open = [Past(machine: Machine(hasCommand: hasCommand))]
        while let past = open.popLast() {
            guard seen.insert(past).inserted else { continue }
            // All that can be reached has been: at the end there is nothing left to do.
            if past.exits > 0 { continue }
            for input in inputs {
                // The driver reports no end of a command that does not run.
                switch input {
                case .commandEnded, .commandFailed: if !past.commandRuns { continue }
                default: break
                }
                open.append(check(past, input))
            }
        }
        #expect(seen.contains { $0.exits == 1 })
        #expect(!hasCommand || seen.contains { $0.commandWasStarted && $0.exits == 1 })
    }

    private func check(_ past: Past, _ input: Machine.Input) -> Past {
        var next = past
        switch input {
        case .commandEnded, .commandFailed: next.commandRuns = false
        case .session(.ended): next.takeIsOver = true
        default: break
        }
        for action in next.machine.handle(input) {
            switch action {
            case .stop:
                next.stops += 1
                #expect(next.stops == 1 && !past.takeIsOver, "the engine is asked to stop once, while the take runs")
            case .abort:
                next.aborts += 1
                #expect(next.aborts == 1 && next.stops == 1 && !past.takeIsOver, "only a second signal aborts")
            case .startCommand:
                #expect(!next.commandWasStarted && next.stops == 0, "a command starts once, and in no take that ends")
                next.commandWasStarted = true
                next.commandRuns = true
            case .announceCommand:
                #expect(next.commandRuns && !next.takeIsOver, "a command is named once it is started")
            case .awaitCommand, .terminateCommand:
                #expect(next.commandRuns && next.takeIsOver, "the command is ended with its take")
            case .killCommand: #expect(next.commandRuns, "only what runs is killed")
            case .report: #expect(past.exits == 0)
            case .exit:
                next.exits += 1
                #expect(next.exits == 1 && next.takeIsOver && !next.commandRuns, "it leaves when all is over, once")
            }
        }
        #expect(
            !next.takeIsOver || next.commandRuns || next.exits == 1,
            "it leaves as soon as all is over: \(past), \(input)")
        return next
    }
}
