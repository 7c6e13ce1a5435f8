// A session with an engine, with its inputs in every order.
import CoreTesting
import KineContainers
import KineMedia
import Testing

@testable import KineClient
@testable import KineTakes
@testable import KineWire

@Suite struct SessionStateMachineTests {
    /// Callers are numbers here.
    typealias Machine = SessionStateMachine<Int>

    static let started = TakeStarted(
        id: "abcdefgh", output: "/tmp/a.mp4", size: PixelSize(width: 640, height: 480), environment: [])
    static let summary = TakeSummary(
        output: "/tmp/a.mp4", size: PixelSize(width: 640, height: 480), progress: TakeProgress(), reason: "stopped")
    static let failure = TakeFailure(exitStatus: 74, message: "full")
    static let record = TakeRecord(id: "abcdefgh", pid: 7, output: "/tmp/a.mp4", source: "screen", started: 0)
    static let take = ClientError.TakeReference(id: "abcdefgh", pid: 7, output: "/tmp/a.mp4")
    static let death = EngineDeath(cause: .died, ending: .killed(signal: 9), file: .notBegun)
    static let status = TakeStatus(
        id: "abcdefgh", phase: .recording, output: nil, source: "screen", progress: TakeProgress())
    static let clip = ExportedClip(
        output: "/tmp/1.mp4", start: .zero, duration: .seconds(1), askedDuration: nil, bytes: 1, frames: 1)
    static let refusal = Refusal(.unavailable, "no")

    func owner() -> Machine {
        var machine = Machine(.owner(pid: 7, file: "/tmp/a.mp4"))
        _ = machine.handle(.message(.event(.started(Self.started))))
        return machine
    }

    func guest(follows: Bool = false) -> Machine { Machine(.guest(Self.record, follows: follows)) }

    private func event(_ event: EngineEvent) -> Machine.Input { .message(.event(event)) }

    private func reply(_ id: Int, _ reply: EngineReply = .done) -> Machine.Input {
        .message(.answer(id: id, .success(reply)))
    }

    @Test func `an engine's last message ends the session, and nothing behind it counts`() {
        var machine = owner()
        #expect(machine.handle(event(.finished(Self.summary))) == [.emit(.ended(.finished(Self.summary)))])
        #expect(machine.handle(event(.failed(Self.failure))) == [])
        #expect(machine.handle(.channelClosed(nil)) == [])
        #expect(machine.handle(.request(.stop(immediately: false), from: nil)) == [])
        #expect(machine.handle(.abort) == [])
    }

    /// What all clients are told of a change that another one has asked for.
    static let changes: [(ClientRequest, EngineEvent)] = [
        (.pause, .paused), (.resume, .resumed),
        (.setMicrophone(on: true), .microphone(on: true)),
        (.setAppAudio(on: false), .appAudio(on: false)),
        (.setAppAudioOutput("desk"), .appAudioOutput("desk")),
        (.setCamera(nil), .camera(nil)),
        (.switchSource(.window(7)), .sourceSwitched(.window(7))),
        (
            .removeDestination(4), .destination(.init(destination: 4, label: "x", kind: .ended(.finished)))
        ),
    ]

    @Test(arguments: changes)
    func `what another client has brought about is no answer, and one's own refusal is`(
        request: ClientRequest, change: EngineEvent
    ) {
        var machine = guest()
        _ = machine.handle(.request(request, from: 1))
        #expect(machine.handle(event(change)) == [.emit(.engine(change))])
        #expect(
            machine.handle(.message(.answer(id: 1, .failure(Self.refusal))))
                == [.answer(1, .failure(.refused(Self.refusal)))])
    }

    @Test func `of equal requests each has its own answer, in whatever order, and none after the take's end`() {
        var machine = guest()
        let request = ClientRequest.exportClip(ClipRequest(output: "/tmp/1.mp4", duration: nil))
        for caller in 1...3 {
            #expect(
                machine.handle(.request(request, from: 10 * caller))
                    == [.send(ClientMessage(id: caller, request)), .send(ClientMessage(id: 0, .status))])
        }
        let refusal = Refusal(.exportInProgress, "Another is written.")
        #expect(
            machine.handle(.message(.answer(id: 2, .failure(refusal)))) == [.answer(20, .failure(.refused(refusal)))])
        #expect(machine.handle(reply(1, .clip(Self.clip))) == [.answer(10, .success(.clip(Self.clip)))])
        #expect(machine.handle(reply(1, .clip(Self.clip))) == [])
        #expect(
            machine.handle(event(.finished(Self.summary))) == [
                .emit(.ended(.finished(Self.summary))), .answer(30, .failure(.takeIsOver)),
            ])
    }

    @Test func `an engine that dies leaves its file to be recovered by the client that started it`() {
        var machine = owner()
        #expect(machine.handle(.channelClosed(nil)) == [.recover(.died, output: "/tmp/a.mp4", hasBegun: true)])
        #expect(machine.handle(.recovered(Self.death)) == [.emit(.ended(.engineDied(Self.death)))])
        // It may have made the file already.
        var early = Machine(.owner(pid: 7, file: "/tmp/a.mp4"))
        #expect(early.handle(.channelClosed(nil)) == [.recover(.died, output: "/tmp/a.mp4", hasBegun: false)])
    }

    @Test func `a connection that breaks is told before the file is recovered, and another version has its own error`()
    {
        var machine = owner()
        #expect(
            machine.handle(.channelClosed(.protocolError(.version(theirs: 9)))) == [
                .emit(.connectionFailed(.otherVersion(theirs: 9))),
                .recover(.died, output: "/tmp/a.mp4", hasBegun: true),
            ])
    }

    @Test func `an engine that dies ends a guest's session, which leaves the file to others`() {
        var machine = guest()
        _ = machine.handle(.request(.stop(immediately: false), from: 1))
        let outcome = TakeOutcome.engineDied(EngineDeath(cause: .died, file: .leftAlone(path: "/tmp/a.mp4")))
        #expect(
            machine.handle(.channelClosed(nil)) == [
                .answer(1, .failure(.endedWithoutAnswer(Self.take))), .emit(.ended(outcome)),
            ])
    }

    @Test func `an engine that lets a guest go has its reason told`() {
        var machine = guest()
        _ = machine.handle(.request(.status, from: 1))
        #expect(machine.handle(event(.dismissed(Self.refusal))) == [])
        #expect(machine.handle(.channelClosed(nil)).first == .answer(1, .failure(.refused(Self.refusal))))
    }

    @Test func `a guest that follows recovers the file of an engine that died`() {
        var machine = guest(follows: true)
        #expect(machine.handle(.channelClosed(nil)) == [.recover(.died, output: "/tmp/a.mp4", hasBegun: false)])
        #expect(machine.handle(.recovered(Self.death)) == [.emit(.ended(.engineDied(Self.death)))])
        #expect(machine.handle(.close) == [.closeChannel, .finish])
    }

    @Test func `every client can end an engine at once, and recovers its file`() {
        var machine = owner()
        #expect(machine.handle(.abort) == [.recover(.aborted, output: "/tmp/a.mp4", hasBegun: true)])
        var guest = guest()
        #expect(guest.handle(.abort) == [.recover(.aborted, output: "/tmp/a.mp4", hasBegun: false)])
        #expect(guest.handle(.channelClosed(nil)) == [])
        #expect(guest.handle(.recovered(Self.death)) == [.emit(.ended(.engineDied(Self.death)))])
    }

    @Test(arguments: [
        ClientRequest.stop(immediately: false), .removeDestination(4), .setMicrophone(on: true), .setCamera(nil),
        .switchSource(.drawnRegion), .exportClip(ClipRequest(output: "/a.mp4", duration: nil)),
    ])
    func `an answer may take long while the engine says anything, and no longer`(request: ClientRequest) {
        var machine = guest()
        #expect(machine.handle(.request(request, from: 1, deadline: 10)).last == .send(ClientMessage(id: 0, .status)))
        #expect(machine.handle(reply(0, .status(Self.status))) == [])
        #expect(machine.handle(.time(10)) == [.send(ClientMessage(id: 0, .status))])
        #expect(machine.nextDeadline == 10 + EngineRequests<Int>.checkInterval)
        // Its end comes as an event of its own where the engine goes on after all.
        #expect(
            machine.handle(.time(10 + EngineRequests<Int>.checkInterval)) == [
                .answer(1, .failure(.noAnswer(Self.take)))
            ])
        #expect(machine.nextDeadline == nil)
    }

    @Test func `a recovery may take long`() {
        var machine = guest(follows: true)
        _ = machine.handle(.request(.stop(immediately: false), from: 1, deadline: 10))
        _ = machine.handle(.channelClosed(nil))
        #expect(machine.handle(.time(10)) == [])
        #expect(machine.handle(.recovered(Self.death)).last == .answer(1, .success(.done)))
    }

    @Test func `a stop is answered behind the take's last event`() {
        var machine = guest()
        _ = machine.handle(.request(.stop(immediately: true), from: 1))
        #expect(
            machine.handle(event(.failed(Self.failure)))
                == [.emit(.ended(.failed(Self.failure))), .answer(1, .success(.done))])
        #expect(machine.handle(.request(.stop(immediately: true), from: 2)) == [.answer(2, .success(.done))])
    }

    @Test func `an engine that does not answer in time fails the request and nothing else`() {
        var machine = guest()
        _ = machine.handle(.request(.status, from: 1, deadline: 10))
        _ = machine.handle(.request(.pause, from: 2, deadline: 20))
        #expect(machine.nextDeadline == 10)
        #expect(machine.handle(.time(9)) == [])
        #expect(machine.handle(.time(10)) == [.answer(1, .failure(.noAnswer(Self.take)))])
        #expect(machine.nextDeadline == 20)
        #expect(machine.handle(reply(1, .status(Self.status))) == [], "it comes too late")
        #expect(machine.handle(reply(2)) == [.answer(2, .success(.done))])
    }

    @Test func `a session that is closed waits for the engine that it started, and for no other`() {
        var machine = owner()
        #expect(machine.handle(.close) == [.closeChannel])
        #expect(machine.isClosing && !machine.isFinished)
        #expect(machine.handle(.engineExited) == [.finish])
        #expect(machine.isFinished)
        var guest = guest()
        #expect(guest.handle(.close) == [.closeChannel, .finish])
    }

    @Test func `an engine that was recovered is gone already when the session is closed`() {
        var machine = owner()
        _ = machine.handle(.abort)
        #expect(machine.handle(.close) == [])
        #expect(
            machine.handle(.recovered(Self.death))
                == [.emit(.ended(.engineDied(Self.death))), .closeChannel, .finish])
    }

    /// The past actions of a machine that limit its next ones.
    private struct Past: Hashable {
        var machine = ""
        var asked: Set<Int> = []
        var waiting: Set<Int> = []
        var recoveries = 0
        var ends = 0
        var channelIsClosed = false
        var isFinished = false
    }

    /// All states that can be reached, and in each all that can happen.
    @Test(
        .tags(.slow),
        arguments: [
            Machine.Role.owner(pid: 7), .guest(record, follows: false), .guest(record, follows: true),
        ])
    func `in every order each request is answered once, a session ends once, and nothing follows its end`(
        role: Machine.Role
    ) {
        let inputs: [Machine.Input] = [
            event(.started(Self.started)), event(.progress(TakeProgress())), event(.paused), reply(1), reply(2),
            .message(.answer(id: 1, .failure(Self.refusal))), event(.dismissed(Self.refusal)),
            event(.finished(Self.summary)), event(.failed(Self.failure)), .channelClosed(nil),
            .channelClosed(.peerTooSlow), .request(.pause, from: 1, deadline: 10),
            .request(.stop(immediately: false), from: 2), .request(.stop(immediately: false), from: nil), .abort,
            .recovered(Self.death), .time(10), .close, .engineExited, event(.samples(.failed("no"))),
        ]
        var seen: Set<Past> = []
        var open = [(machine: Machine(role), past: Past())]
        var endings = 0
        while let (machine, past) = open.popLast() {
            for input in inputs {
                // Each caller asks once, and only a recovery that was asked for comes back.
                if case .request(_, let caller?, _) = input, past.asked.contains(caller) { continue }
                if case .recovered = input, past.recoveries == 0 { continue }
                var machine = machine
                var next = past
                check(&machine, &next, input)
                next.machine = "\(machine)"
                if next.isFinished { endings += 1 }
                if seen.insert(next).inserted { open.append((machine, next)) }
            }
        }
        #expect(endings > 0)
    }

    private func check(_ machine: inout Machine, _ past: inout Past, _ input: Machine.Input) {
        if case .request(_, let caller?, _) = input {
            past.asked.insert(caller)
            past.waiting.insert(caller)
        }
        for action in machine.handle(input) {
            switch action {
            case .send: #expect(!past.channelIsClosed && past.ends == 0, "nothing is sent behind the end")
            case .askPerson: #expect(!past.channelIsClosed && past.ends == 0, "nobody is asked behind the end")
            case .withdrawQuestion: Issue.record("nothing was answered elsewhere")
            case .feed: #expect(!past.channelIsClosed, "no samples come behind the end")
            case .emit(let event):
                #expect(past.ends == 0 && !past.channelIsClosed, "nothing is told behind the end")
                if case .ended = event { past.ends += 1 }
            case .answer(let caller, _):
                #expect(past.waiting.remove(caller) != nil, "one answer for each request")
            case .recover:
                past.recoveries += 1
                #expect(past.recoveries == 1, "a file is recovered once")
            case .closeChannel:
                #expect(!past.channelIsClosed)
                past.channelIsClosed = true
            case .finish:
                #expect(!past.isFinished)
                past.isFinished = true
            }
        }
        #expect(past.isFinished == machine.isFinished)
        #expect(!past.channelIsClosed || past.waiting.isEmpty, "nobody waits for a closed session")
        #expect(past.ends == 0 || past.waiting.isEmpty, "nobody waits for a take that is over")
    }
}
