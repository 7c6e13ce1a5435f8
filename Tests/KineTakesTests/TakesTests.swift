// Takes that are followed: engines of the test in a real registry, on a clock of the test's.
import Glibc
import KineMeasure
import KineMedia
import SystemPackage
import Testing

@testable import KineTakes
@testable import KineWire

@Suite struct TakesTests {
    private static let second: Int64 = 1_000_000_000

    /// The connections of clients that have sent a request: a listing connects too, and sends none.
    private func followers(_ registration: Registration) -> [EngineConnection] {
        registration.listener.acceptWaiting(as: EngineConnection.self).connections.filter { connection in
            (try? connection.readAvailable())?.isEmpty == false
        }
    }

    @Test func `a take is followed from its registration until its engine has left`() throws {
        try TemporaryDirectory.with { base in
            let registry = try TakeRegistry(directory: base.appending("takes"))
            let watch = try Takes(registry)
            let registration = try registry.register(output: "/tmp/a.mp4", source: "pattern")
            #expect(watch.process(at: 0).events.isEmpty && watch.takes.map(\.record) == [registration.record])
            let engine = try #require(followers(registration).first)
            try engine.send(
                .event(
                    .finished(
                        TakeSummary(
                            output: "/tmp/a.mp4", size: PixelSize(width: 4, height: 2), progress: TakeProgress(),
                            reason: "stopped"))))
            #expect(watch.process(at: 1).events.count == 1 && watch.takes.map(\.phase) == [.ended])
            registration.unregister()
            engine.close()
            #expect(watch.process(at: 2).ended.map(\.phase) == [.ended] && watch.takes.isEmpty)
            #expect(watch.nextDeadline == nil)
        }
    }

    @Test func `a take that begins is asked again, since its status before did not say which audio it has`() throws {
        try TemporaryDirectory.with { base in
            let registry = try TakeRegistry(directory: base.appending("takes"))
            let watch = try Takes(registry)
            let registration = try registry.register(output: "/tmp/a.mp4", source: "pattern")
            _ = watch.process(at: 0)
            let engine = try #require(followers(registration).first)
            func answer(_ phase: TakePhase, isMicrophoneOn: Bool?) throws {
                var status = TakeStatus(
                    id: registration.record.id, phase: phase, output: nil, source: "pattern", progress: TakeProgress())
                status.isMicrophoneOn = isMicrophoneOn
                try engine.send(.answer(id: 1, .success(.status(status))))
                _ = watch.process(at: 1)
            }
            try answer(.starting, isMicrophoneOn: nil)
            #expect(watch.takes.map(\.status.isMicrophoneOn) == [nil])
            try engine.send(
                .event(
                    .started(
                        TakeStarted(
                            id: registration.record.id, output: nil, size: PixelSize(width: 4, height: 2),
                            environment: []))))
            _ = watch.process(at: 2)
            #expect(try engine.readAvailable().map(\.request) == [.status])
            try answer(.recording, isMicrophoneOn: true)
            #expect(watch.takes.map(\.status.isMicrophoneOn) == [true])
        }
    }

    @Test func `a take whose engine closes the connection and goes on is followed again after a second`() throws {
        try TemporaryDirectory.with { base in
            let registry = try TakeRegistry(directory: base.appending("takes"))
            let registration = try registry.register(output: "/tmp/a.mp4", source: "pattern")
            let watch = try Takes(registry)
            try #require(followers(registration).first).close()
            #expect(watch.process(at: 0).ended.isEmpty && watch.nextDeadline == Self.second)
            // Another take's beginning is no reason to try earlier.
            let other = try registry.register(output: nil, source: "pattern")
            _ = watch.process(at: Self.second - 1)
            let engines = followers(other)
            #expect(engines.count == 1 && followers(registration).isEmpty)
            _ = watch.process(at: Self.second)
            #expect(withExtendedLifetime(engines) { watch.nextDeadline } == nil)
            try #require(followers(registration).first).close()
            #expect(watch.process(at: 60 * Self.second).ended.isEmpty && watch.nextDeadline == 61 * Self.second)
            #expect(Set(watch.takes.map(\.record.id)) == [registration.record.id, other.record.id])
        }
    }

    @Test(arguments: [true, false])
    func `a take whose engine has died is over, also if its socket closes after the connection`(_ isLate: Bool) throws {
        try TemporaryDirectory.with { base in
            let registry = try TakeRegistry(directory: base.appending("takes"))
            let registration = try registry.register(output: "/tmp/a.mp4", source: "pattern")
            let watch = try Takes(registry)
            try #require(followers(registration).first).close()
            if isLate {
                #expect(watch.process(at: 0).ended.isEmpty && watch.takes.count == 1)
                #expect(watch.answered == [registration.record.id])
            }
            // As after its death: the socket refuses connections.
            shutdown(registration.listener.descriptor.rawValue, Int32(SHUT_RDWR))
            #expect(watch.process(at: Self.second).ended.map(\.phase) == [.starting])
            #expect(watch.takes.isEmpty && watch.nextDeadline == nil && registry.list().dead == [registration.record])
        }
    }

    @Test func `a take whose engine leaves before it accepts the connection is not said to have died`() throws {
        try TemporaryDirectory.with { base in
            let registry = try TakeRegistry(directory: base.appending("takes"))
            var registration: Registration? = try registry.register(output: "/tmp/a.mp4", source: "pattern")
            let watch = try Takes(registry)
            #expect(watch.takes.map(\.record) == [registration?.record] && watch.answered.isEmpty)
            // Its socket closes, and the waiting connection with it.
            registration = nil
            #expect(watch.process(at: 0).ended.isEmpty && watch.takes.isEmpty && watch.nextDeadline == nil)
        }
    }

    @Test func `an app's question is in its take while windows can show it, also of a take that begins later`() throws {
        try TemporaryDirectory.with { base in
            let registry = try TakeRegistry(directory: base.appending("takes"))
            let first = try registry.register(output: nil, source: "screen")
            let watch = try Takes(registry)
            let engine = try #require(first.listener.acceptWaiting(as: EngineConnection.self).connections.first)
            _ = try engine.readAvailable()
            watch.showsQuestions = true
            let second = try registry.register(output: nil, source: "screen")
            _ = watch.process(at: 0)
            let later = second.listener.acceptWaiting(as: EngineConnection.self).connections.first
            for messages in [try engine.readAvailable(), try later?.readAvailable() ?? []] {
                #expect(messages.contains { $0.request == .showPermissionQuestions(true) })
            }
            let question = PermissionInquiry(
                number: 1, name: "App", subject: PermissionSubject(identifier: "a", executable: "/a"), kinds: [.screen])
            for shown in [question, nil, question] {
                try engine.send(.event(.permissionAsked(shown)))
                _ = watch.process(at: 0)
                #expect(watch.takes.map(\.question) == [shown, nil])
            }
            watch.showsQuestions = false
            #expect(try engine.readAvailable().map(\.request) == [.showPermissionQuestions(false)])
            try engine.send(.event(.failed(TakeFailure(exitStatus: 77, message: "no"))))
            _ = watch.process(at: 0)
            #expect(watch.takes.map(\.question) == [nil, nil])
        }
    }

    @Test func `levels are asked of each take while they are wanted, also of one that begins later`() throws {
        try TemporaryDirectory.with { base in
            let registry = try TakeRegistry(directory: base.appending("takes"))
            let first = try registry.register(output: nil, source: "pattern")
            let takes = try Takes(registry)
            let engine = try #require(followers(first).first)
            takes.wantsLevels = true
            let second = try registry.register(output: nil, source: "pattern")
            _ = takes.process(at: 0)
            #expect(try engine.readAvailable().map(\.request) == [.showAudioLevels(true)])
            let asked = second.listener.acceptWaiting(as: EngineConnection.self).connections.map {
                (try? $0.readAvailable().map(\.request)) ?? []
            }
            #expect(asked.contains([.status, .follow(progress: false), .showAudioLevels(true)]), "\(asked)")
            takes.wantsLevels = false
            #expect(try engine.readAvailable().map(\.request) == [.showAudioLevels(false)])
        }
    }

    @Test func `requests to several takes are answered by number, and by no answer in time`() throws {
        try TemporaryDirectory.with { base in
            let registry = try TakeRegistry(directory: base.appending("takes"))
            let registrations = try ["a", "b"].map {
                try registry.register(output: "/tmp/\($0).mp4", source: "pattern")
            }
            let takes = try Takes(registry)
            _ = takes.process(at: 0)
            let engines = try registrations.map { try #require(followers($0).first) }
            var answers: [String: [Result<EngineReply, RequestError>]] = [:]
            func ask(_ request: ClientRequest, _ take: Int) {
                takes.send(request, to: registrations[take].record.id, at: 0) { answer in
                    answers["\(take)", default: []].append(answer.map(\.reply))
                }
            }
            ask(.pause, 0)
            ask(.resume, 0)
            ask(.mark(title: "x"), 1)
            let asked = try engines.map { try $0.readAvailable().filter { $0.request != .status } }
            #expect(asked.map { $0.map(\.request) } == [[.pause, .resume], [.mark(title: "x")]])
            // In another order; the other take's number is no answer here.
            try engines[0].send(.answer(id: asked[0][1].id, .success(.done)))
            try engines[0].send(.answer(id: asked[0][0].id, .failure(Refusal(.unavailable, "It does not pause."))))
            #expect(takes.process(at: 1).events.isEmpty)
            #expect(
                answers == ["0": [.success(.done), .failure(.refused(Refusal(.unavailable, "It does not pause.")))]])
            #expect(takes.nextDeadline == Takes.timeout)
            _ = takes.process(at: Takes.timeout)
            #expect(answers["1"] == [.failure(.noAnswer(registrations[1].record))] && takes.nextDeadline == nil)
            // An answer that is late changes nothing.
            try engines[1].send(.answer(id: asked[1][0].id, .success(.done)))
            _ = takes.process(at: Takes.timeout + 1)
            #expect(answers["1"]?.count == 1)
            takes.send(.pause, to: "nobody", at: 0) { answer in
                #expect(throws: RequestError.registry(.unknown("nobody", running: registrations.map(\.record)))) {
                    try answer.get()
                }
            }
        }
    }

    @Test(arguments: [true, false])
    func `the end of a take answers what waits, to stop with the end`(_ isProper: Bool) throws {
        try TemporaryDirectory.with { base in
            let registry = try TakeRegistry(directory: base.appending("takes"))
            let registration = try registry.register(output: "/tmp/a.mp4", source: "pattern")
            let takes = try Takes(registry)
            _ = takes.process(at: 0)
            let engine = try #require(followers(registration).first)
            var answers: [Result<TakeReply, RequestError>] = []
            for request in [ClientRequest.pause, .stop(immediately: false)] {
                takes.send(request, to: registration.record.id, at: 0) { answers.append($0) }
            }
            // A request that may take long is not given up while the engine sends messages.
            try engine.send(.event(.warning("slow")))
            _ = takes.process(at: Takes.timeout)
            #expect(answers.map { try? $0.get().reply } == [nil] && takes.nextDeadline != nil)
            let summary = TakeSummary(
                output: "/tmp/a.mp4", size: PixelSize(width: 4, height: 2), progress: TakeProgress(), reason: "stopped")
            if isProper { try engine.send(.event(.finished(summary))) } else { engine.close() }
            _ = takes.process(at: Takes.timeout + 1)
            guard isProper else {
                #expect(throws: RequestError.endedWithoutAnswer(registration.record)) { try answers.last?.get() }
                return
            }
            let stopped = try #require(answers.last).get()
            #expect(stopped.reply == .done)
            #expect(stopped.take.ending == .finished(summary))
            for request in [ClientRequest.pause, .stop(immediately: false)] {
                takes.send(request, to: String(registration.record.id.prefix(4)), at: 0) { answers.append($0) }
            }
            #expect(throws: RequestError.takeIsOver) { try answers[2].get() }
            #expect(try answers[3].get().take.ending == .finished(summary))
        }
    }
}
