// A session with an engine, with its inputs in every order.
import KineContainers
import KineControl
import KineMedia
import KinePlatform
import KineRelay
import Testing

@testable import KineClient

@Suite struct SessionStateMachineTests {
    typealias Machine = SessionStateMachine

    static let started = TakeStarted(
        id: "abcdefgh", output: "/tmp/a.mp4", size: PixelSize(width: 640, height: 480), environment: [])
    static let summary = TakeSummary(
        output: "/tmp/a.mp4", size: PixelSize(width: 640, height: 480), progress: TakeProgress(), reason: "stopped")
    static let failure = TakeFailure(exitStatus: 74, message: "full")
    static let record = TakeRecord(id: "abcdefgh", pid: 7, output: "/tmp/a.mp4", source: "screen", started: 0)
    static let death = EngineDeath(cause: .died, ending: .killed(signal: 9), file: .notBegun)
    static let status = TakeStatus(
        id: "abcdefgh", phase: .recording, output: nil, source: "screen", progress: TakeProgress())
    static let link = EngineMessage.destination(
        DestinationEvent(destination: 0, label: "live", kind: .link("http://a")))

    func owner(hasDestinations: Bool = false) -> Machine {
        var machine = Machine(.owner(pid: 7, file: "/tmp/a.mp4", hasDestinations: hasDestinations))
        _ = machine.handle(.message(.started(Self.started)))
        return machine
    }

    func guest(follows: Bool = false) -> Machine { Machine(.guest(Self.record, follows: follows)) }

    @Test func `an engine's last message ends the session, and nothing behind it counts`() {
        var machine = owner()
        #expect(
            machine.handle(.message(.finished(Self.summary))) == [.emit(.ended(.finished(Self.summary)))])
        #expect(machine.handle(.message(.failed(Self.failure))) == [])
        #expect(machine.handle(.channelClosed(nil)) == [])
        #expect(machine.handle(.stop(immediately: false)) == [])
        #expect(machine.handle(.abort) == [])
    }

    @Test func `each request for a clip has its own answer, and none after the take's end`() {
        var machine = guest()
        let requests = (1...3).map { ClipRequest(id: 10 * $0, output: "/tmp/\($0).mp4", duration: nil) }
        for (id, request) in zip(1..., requests) {
            #expect(
                machine.handle(.request(id: id, .exportClip(request), deadline: nil))
                    == [.send(.exportClip(request)), .send(.status)])
        }
        let refused = ClipAnswer.Result.failed(ClipFailure(.exportInProgress, "Another is written."))
        #expect(
            machine.handle(.message(.clip(ClipAnswer(id: 20, result: refused)))) == [
                .answer(id: 2, .success(.clip(refused)))
            ])
        let clip = ExportedClip(
            output: "/tmp/1.mp4", start: .zero, duration: .seconds(1), askedDuration: nil, bytes: 1, frames: 1)
        #expect(
            machine.handle(.message(.clip(ClipAnswer(id: 10, result: .exported(clip))))) == [
                .answer(id: 1, .success(.clip(.exported(clip))))
            ])
        #expect(machine.handle(.message(.clip(ClipAnswer(id: 10, result: .exported(clip))))) == [])
        #expect(
            machine.handle(.message(.finished(Self.summary))) == [
                .emit(.ended(.finished(Self.summary))), .answer(id: 3, .failure(.takeIsOver)),
            ])
    }

    @Test func `an engine that dies leaves its file to be recovered by the client that started it`() {
        var machine = owner()
        #expect(machine.handle(.channelClosed(nil)) == [.recover(.died, output: "/tmp/a.mp4", hasBegun: true)])
        #expect(machine.handle(.recovered(Self.death)) == [.emit(.ended(.engineDied(Self.death)))])
        // It may have made the file already.
        var early = Machine(.owner(pid: 7, file: "/tmp/a.mp4", hasDestinations: false))
        #expect(early.handle(.channelClosed(nil)) == [.recover(.died, output: "/tmp/a.mp4", hasBegun: false)])
    }

    @Test func `an added destination is answered by its own reference, a removed one by its end`() {
        var machine = owner()
        let one = SessionRequest.addDestination(.init(service: "live", label: "live"), reference: 1)
        let other = SessionRequest.addDestination(.init(service: "rtmp", label: "rtmp"), reference: 2)
        _ = machine.handle(.request(id: 10, one, deadline: nil))
        _ = machine.handle(.request(id: 11, other, deadline: nil))
        #expect(
            machine.handle(.message(.destinationAdded(4, reference: 2))) == [.answer(id: 11, .success(.added(4)))])
        #expect(
            machine.handle(.message(.destinationAdded(3, reference: 1))) == [.answer(id: 10, .success(.added(3)))])
        #expect(
            machine.handle(.request(id: 12, .removeDestination(3), deadline: nil))
                == [.send(.removeDestination(3)), .send(.status)])
        for (number, answers) in [(4, 0), (3, 1)] {
            let event = DestinationEvent(destination: number, label: "x", kind: .ended(.finished))
            let answer: [Machine.Action] = [.answer(id: 12, .success(.removed(.finished)))]
            #expect(
                machine.handle(.message(.destination(event))) == [.emit(.destination(event))] + answer.prefix(answers))
        }
    }

    @Test func `once a take has a destination, its progress is shown with the destinations`() {
        var machine = owner()
        let progress = EngineMessage.progress(TakeProgress())
        #expect(machine.handle(.message(progress)) == [.emit(.progress(TakeProgress(), []))])
        _ = machine.handle(.message(Self.link))
        #expect(machine.handle(.message(progress)) == [.send(.status)])
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
        _ = machine.handle(.request(id: 1, .stop(immediately: false), deadline: nil))
        _ = machine.handle(.request(id: 2, .outcome, deadline: nil))
        let outcome = TakeOutcome.engineDied(EngineDeath(cause: .died, file: .leftAlone(path: "/tmp/a.mp4")))
        let take = ClientError.TakeReference(id: "abcdefgh", pid: 7, output: "/tmp/a.mp4")
        #expect(
            machine.handle(.channelClosed(nil)) == [
                .answer(id: 1, .failure(.endedWithoutAnswer(take))), .emit(.ended(outcome)),
                .answer(id: 2, .success(.outcome(outcome))),
            ])
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
        SessionRequest.stop(immediately: false), .removeDestination(4), .setMicrophone(on: true), .setCamera(nil),
        .switchSource(.drawnRegion), .exportClip(ClipRequest(id: 9, output: "/a.mp4", duration: nil)),
    ])
    func `an answer may take long while the engine says anything, and no longer`(request: SessionRequest) {
        var machine = guest()
        #expect(machine.handle(.request(id: 1, request, deadline: 10)).last == .send(.status))
        _ = machine.handle(.message(.status(Self.status)))
        #expect(machine.handle(.time(10)) == [.send(.status)])
        #expect(machine.nextDeadline == 10 + Machine.checkInterval)
        // Its end comes as an event of its own where the engine goes on after all.
        let take = ClientError.TakeReference(id: "abcdefgh", pid: 7, output: "/tmp/a.mp4")
        #expect(
            machine.handle(.time(10 + Machine.checkInterval)) == [.answer(id: 1, .failure(.noAnswer(take)))])
        #expect(machine.nextDeadline == nil)
    }

    @Test func `a recovery may take long`() {
        var machine = guest(follows: true)
        _ = machine.handle(.request(id: 1, .stop(immediately: false), deadline: 10))
        _ = machine.handle(.channelClosed(nil))
        #expect(machine.handle(.time(10)) == [])
        let outcome = SessionAnswer.outcome(.engineDied(Self.death))
        #expect(machine.handle(.recovered(Self.death)).last == .answer(id: 1, .success(outcome)))
    }

    @Test func `progress of a broadcast asks how its destinations are, and that of a recording is told as it is`() {
        var broadcast = owner(hasDestinations: true)
        #expect(broadcast.handle(.message(.progress(TakeProgress()))) == [.send(.status)])
        #expect(broadcast.handle(.message(.status(Self.status))) == [.emit(.progress(TakeProgress(), []))])
        var recording = owner()
        #expect(recording.handle(.message(.progress(TakeProgress()))) == [.emit(.progress(TakeProgress(), []))])
    }

    @Test(arguments: [
        (SessionRequest.pause, [ClientMessage.pause], EngineMessage.paused, SessionAnswer.done),
        (.resume, [.resume], .resumed, .done),
        (.setMicrophone(on: true), [.setMicrophone(on: true), .status], .microphone(on: true), .done),
        (.setCamera(.init()), [.setCamera(.init()), .status], .camera(.init()), .done),
        (.setCamera(nil), [.setCamera(nil), .status], .camera(nil), .done),
        (.switchSource(.window(7)), [.switchSource(.window(7)), .status], .sourceSwitched(.window(7)), .done),
        (.status, [.status], .status(status), .status(status)),
        (.follow(progress: true), [.follow(progress: true)], .status(status), .status(status)),
        (.annotate(["title": "x"]), [.annotate(["title": "x"]), .status], .status(status), .status(status)),
        (.renewLinks, [.renewLinks], link, .done),
        (
            .stop(immediately: true), [.stop(immediately: true), .status], .finished(summary),
            .outcome(.finished(summary))
        ),
        (.outcome, [], .failed(failure), .outcome(.failed(failure))),
    ])
    func `each request sends its messages and has its answer`(
        request: SessionRequest, messages: [ClientMessage], reply: EngineMessage, answer: SessionAnswer
    ) {
        var machine = guest()
        #expect(machine.handle(.request(id: 3, request, deadline: 5)) == messages.map { .send($0) })
        // Messages to other clients are no answer.
        let warned = machine.handle(.message(.warning("slow")))
        #expect(warned == [.emit(.warning("slow"))])
        #expect(machine.handle(.message(reply)).contains(.answer(id: 3, .success(answer))))
        #expect(machine.nextDeadline == nil)
    }

    @Test func `a refusal answers its own request, however long others wait`() {
        var machine = guest()
        let clip = ClipRequest(id: 9, output: "/a.mp4", duration: nil)
        _ = machine.handle(.request(id: 1, .exportClip(clip), deadline: nil))
        _ = machine.handle(.request(id: 2, .removeDestination(0), deadline: nil))
        _ = machine.handle(.request(id: 3, .removeDestination(4), deadline: nil))
        _ = machine.handle(.request(id: 4, .annotate(["title": "x"]), deadline: nil))
        let refusals: [(ClientMessage, Int)] = [
            (.removeDestination(4), 3), (.annotate([:]), 4), (.exportClip(clip), 1),
        ]
        for (message, id) in refusals {
            let refusal = EngineMessage.refused("no", request: RequestReference(message))
            #expect(machine.handle(.message(refusal)) == [.answer(id: id, .failure(.refused("no")))])
            #expect(machine.handle(.message(refusal)) == [.emit(.warning("no"))])
        }
    }

    @Test func `an engine that cannot read a request refuses it by its name`() {
        var machine = guest()
        _ = machine.handle(.request(id: 1, .status, deadline: 5))
        _ = machine.handle(.request(id: 2, .removeDestination(4), deadline: nil))
        let refusal = EngineMessage.refused("no", request: RequestReference(.unknown("removeDestination")))
        #expect(machine.handle(.message(refusal)) == [.answer(id: 2, .failure(.refused("no")))])
    }

    @Test func `an older engine's refusal answers the oldest request, and without one it is a warning`() {
        var machine = guest()
        _ = machine.handle(.request(id: 1, .outcome, deadline: nil))
        _ = machine.handle(.request(id: 2, .pause, deadline: 5))
        _ = machine.handle(.request(id: 3, .status, deadline: 6))
        #expect(machine.handle(.message(.refused("no", request: nil))) == [.answer(id: 2, .failure(.refused("no")))])
        #expect(machine.handle(.message(.refused("no", request: nil))) == [.answer(id: 3, .failure(.refused("no")))])
        #expect(machine.handle(.message(.refused("no", request: nil))) == [.emit(.warning("no"))])
    }

    @Test func `a pause that another client's pause has answered is not refused as well`() {
        var machine = guest()
        _ = machine.handle(.request(id: 1, .pause, deadline: 5))
        #expect(machine.handle(.message(.paused)).contains(.answer(id: 1, .success(.done))))
        let refusal = EngineMessage.refused("paused already", request: RequestReference(.pause))
        #expect(machine.handle(.message(refusal)) == [])
    }

    @Test func `an engine that does not answer in time fails the request and nothing else`() {
        var machine = guest()
        _ = machine.handle(.request(id: 1, .status, deadline: 10))
        _ = machine.handle(.request(id: 2, .pause, deadline: 20))
        #expect(machine.nextDeadline == 10)
        #expect(machine.handle(.time(9)) == [])
        let take = ClientError.TakeReference(id: "abcdefgh", pid: 7, output: "/tmp/a.mp4")
        #expect(machine.handle(.time(10)) == [.answer(id: 1, .failure(.noAnswer(take)))])
        #expect(machine.nextDeadline == 20)
        #expect(machine.handle(.message(.paused)) == [.emit(.paused), .answer(id: 2, .success(.done))])
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
        var waiting: Set<Int> = []
        var recoveries = 0
        var ends = 0
        var channelIsClosed = false
        var isFinished = false
    }

    /// All states that can be reached, and in each all that can happen.
    @Test(arguments: [
        Machine.Role.owner(pid: 7, hasDestinations: false), .owner(pid: 7, hasDestinations: true),
        .guest(record, follows: false), .guest(record, follows: true),
    ])
    func `in every order each request is answered once, a session ends once, and nothing follows its end`(
        role: Machine.Role
    ) {
        let inputs: [Machine.Input] = [
            .message(.started(Self.started)), .message(.progress(TakeProgress())), .message(.paused),
            .message(.status(Self.status)), .message(.refused("no", request: nil)), .message(.finished(Self.summary)),
            .message(.failed(Self.failure)), .channelClosed(nil), .channelClosed(.peerTooSlow),
            .request(id: 1, .pause, deadline: 10), .request(id: 2, .stop(immediately: false), deadline: nil),
            .request(id: 3, .outcome, deadline: nil), .stop(immediately: false), .abort, .recovered(Self.death),
            .time(10), .close, .engineExited, .message(.samples(.failed("no"))), .endSamples,
        ]
        var seen: Set<Past> = []
        var open = [(machine: Machine(role), past: Past())]
        var endings = 0
        while let (machine, past) = open.popLast() {
            for input in inputs {
                // Each request has a number of its own, and only a recovery that was asked for comes back.
                if case .request(let id, _, _) = input, past.waiting.contains(id) { continue }
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
        if case .request(let id, _, _) = input { past.waiting.insert(id) }
        for action in machine.handle(input) {
            switch action {
            case .send: #expect(!past.channelIsClosed && past.ends == 0, "nothing is sent behind the end")
            case .askPerson: #expect(!past.channelIsClosed && past.ends == 0, "nobody is asked behind the end")
            case .feed: #expect(!past.channelIsClosed, "no samples come behind the end")
            case .emit(let event):
                #expect(past.ends == 0 && !past.channelIsClosed, "nothing is told behind the end")
                if case .ended = event { past.ends += 1 }
            case .answer(let id, _):
                #expect(past.waiting.remove(id) != nil, "one answer for each request")
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
