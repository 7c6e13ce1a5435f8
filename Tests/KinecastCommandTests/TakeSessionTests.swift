import KineControl
// What a client does with its take when something happens, in every order that matters.
import KineMedia
import KinePlatform
import Testing

@testable import KinecastCommand

@Suite struct TakeSessionTests {
    static let started = TakeStarted(
        id: "abcdefgh", output: "/tmp/a.mp4", size: PixelSize(width: 640, height: 480), environment: ["DISPLAY=:7"])
    static let summary = TakeSummary(
        output: "/tmp/a.mp4", size: PixelSize(width: 640, height: 480), progress: TakeProgress(), reason: "stopped")
    static let stop = TakeSession.Action.send(.stop(immediately: false))

    /// The actions without what is only told.
    func actions(_ session: inout TakeSession, _ input: TakeSession.Input) -> [TakeSession.Action] {
        session.handle(input).filter { if case .report = $0 { false } else { true } }
    }

    func running(command: Bool) -> TakeSession {
        var session = TakeSession(hasCommand: command)
        _ = session.handle(.message(.started(Self.started)))
        return session
    }

    @Test func `a signal stops, the summary ends with 0`() {
        var session = running(command: false)
        #expect(actions(&session, .interrupted) == [Self.stop])
        #expect(actions(&session, .message(.finished(Self.summary))) == [.exit(0)])
        #expect(actions(&session, .engineClosed) == [])
    }

    @Test func `a second signal ends at once and saves what there is`() {
        var session = running(command: false)
        _ = session.handle(.interrupted)
        #expect(
            actions(&session, .interrupted) == [
                .recover(output: "/tmp/a.mp4", cause: .interruptedTwice), .exit(ExitStatus.engineDied),
            ])
    }

    @Test func `a signal before the take runs stops it, and no command is started`() {
        var session = TakeSession(hasCommand: true)
        #expect(actions(&session, .interrupted) == [Self.stop])
        #expect(actions(&session, .message(.started(Self.started))) == [])
        #expect(actions(&session, .message(.finished(Self.summary))) == [.exit(0)])
    }

    @Test func `an engine that dies leaves its file to be recovered, and 70`() {
        var session = running(command: false)
        #expect(
            actions(&session, .engineClosed) == [
                .recover(output: "/tmp/a.mp4", cause: .engineDied), .exit(ExitStatus.engineDied),
            ])
    }

    @Test func `an engine that dies before the take ran leaves no file`() {
        var session = TakeSession(hasCommand: false)
        #expect(
            actions(&session, .engineClosed) == [
                .recover(output: nil, cause: .engineDied), .exit(ExitStatus.engineDied),
            ])
    }

    @Test func `a take that fails ends with its status`() {
        var session = running(command: false)
        #expect(actions(&session, .message(.failed(TakeFailure(exitStatus: 74, message: "full")))) == [.exit(74)])
    }

    @Test(arguments: [
        (ChildProcess.Ending.exited(status: 0), Int32(0)), (.exited(status: 3), 3), (.killed(signal: 11), 139),
    ])
    func `the command runs in the take's environment, and its end ends the take with its status`(
        ending: ChildProcess.Ending, status: Int32
    ) {
        var session = TakeSession(hasCommand: true)
        #expect(
            actions(&session, .message(.started(Self.started))) == [.startCommand(environment: ["DISPLAY=:7"])])
        #expect(actions(&session, .commandEnded(ending)) == [Self.stop])
        #expect(actions(&session, .message(.finished(Self.summary))) == [.exit(status)])
    }

    @Test func `a take that fails is not hidden by a command that succeeded`() {
        var session = running(command: true)
        _ = session.handle(.commandEnded(.exited(status: 0)))
        #expect(actions(&session, .message(.failed(TakeFailure(exitStatus: 74, message: "full")))) == [.exit(74)])
    }

    @Test func `a command that outlives the take is ended, and has no say in the status`() {
        var session = running(command: true)
        #expect(actions(&session, .message(.finished(Self.summary))) == [.terminateCommand])
        #expect(actions(&session, .graceOver) == [.killCommand])
        #expect(actions(&session, .commandEnded(.killed(signal: 9))) == [.exit(0)])
    }

    @Test func `a command that Ctrl-C ended too does not turn a stopped take into a failure`() {
        var session = running(command: true)
        #expect(actions(&session, .interrupted) == [Self.stop])
        #expect(actions(&session, .commandEnded(.killed(signal: 2))) == [])
        #expect(actions(&session, .message(.finished(Self.summary))) == [.exit(0)])
    }

    @Test func `an engine that dies takes the command with it`() {
        var session = running(command: true)
        #expect(
            actions(&session, .engineClosed) == [.recover(output: "/tmp/a.mp4", cause: .engineDied), .terminateCommand])
        #expect(actions(&session, .commandEnded(.exited(status: 1))) == [.exit(ExitStatus.engineDied)])
    }

    @Test func `a signal while the command is being ended kills it`() {
        var session = running(command: true)
        _ = session.handle(.message(.finished(Self.summary)))
        #expect(actions(&session, .interrupted) == [.killCommand])
    }

    @Test func `a command that cannot be started ends the take with 69`() {
        var session = running(command: true)
        #expect(actions(&session, .commandFailed("no")) == [Self.stop])
        #expect(actions(&session, .message(.finished(Self.summary))) == [.exit(ExitStatus.unavailable)])
    }

    @Test func `progress of a broadcast asks how its destinations are, and that of a recording is told as it is`() {
        var broadcast = TakeSession(hasCommand: false, hasDestinations: true)
        _ = broadcast.handle(.message(.started(Self.started)))
        #expect(broadcast.handle(.message(.progress(TakeProgress()))) == [.send(.status)])
        var recording = running(command: false)
        let message = EngineMessage.progress(TakeProgress())
        #expect(recording.handle(.message(message)) == [.report(.engine(message))])
    }

    @Test func `a destination that failed ends the take's status with 75 and the recording is told`() {
        var session = TakeSession(hasCommand: false, hasDestinations: true)
        _ = session.handle(.message(.started(Self.started)))
        let failure = TakeFailure(exitStatus: 75, message: "live crashed", summary: Self.summary)
        #expect(session.handle(.message(.failed(failure))) == [.report(.engine(.failed(failure))), .exit(75)])
        var other = TakeSession(hasCommand: false, hasDestinations: true)
        _ = other.handle(.message(.started(Self.started)))
        var summary = Self.summary
        var crashed = DestinationStatus(destination: 0, service: "live", label: "live", phase: .ended)
        crashed.ending = .crashed("signal 11")
        summary.destinations = [crashed]
        #expect(actions(&other, .message(.finished(summary))) == [.exit(75)])
    }

    @Test func `words after the last one change nothing`() {
        var session = running(command: false)
        _ = session.handle(.message(.finished(Self.summary)))
        #expect(session.handle(.message(.failed(TakeFailure(exitStatus: 74, message: "x")))) == [])
        #expect(session.handle(.graceOver) == [])
    }
}
