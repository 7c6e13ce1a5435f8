// Sessions with processes that are no real engines, and with an engine's end of the channel in this process.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import KineTakes
import KineText
import KineWire
import SystemPackage
import Testing

@testable import KineClient

@Suite struct EngineSessionTests {
    static let configuration = TakeConfiguration(source: .pattern(PixelSize(width: 64, height: 48)), output: nil)

    /// A registry with one take, and the engine's end of whatever connects to it.
    final class Engine: Sendable {
        let registry: TakeRegistry
        let registration: Registration
        private let folder: TemporaryDirectory

        init() throws {
            folder = try TemporaryDirectory()
            registry = try TakeRegistry(directory: FilePath(folder.file("takes")))
            registration = try registry.register(output: "/tmp/nowhere/a.mp4", source: "pattern")
        }

        func attach() async throws -> EngineSession {
            let (registry, record) = (registry, registration.record)
            return try await EngineSession.attach { () throws(TakeRegistry.Error) in (registry, record) }
        }

        /// Sends what `messages` has for each request of the first client, on a thread; the channel ends where that is
        /// nil.
        func serve(
            _ messages: @escaping @Sendable (ClientRequest, _ id: Int) -> [EngineMessage]?
        ) throws -> DedicatedThread {
            let registration = registration
            return try DedicatedThread(starting: "test-engine") {
                _ = WakeSignal.poll([registration.listener.descriptor.rawValue], until: nil)
                // A client that has gone already is not accepted.
                let accepted = registration.listener.acceptWaiting(as: EngineConnection.self).connections
                guard let connection = accepted.first else { return }
                while let requests = try? connection.receive(until: .max) {
                    for message in requests {
                        guard let request = message.request, let answers = messages(request, message.id) else { return }
                        for answer in answers { try? connection.send(answer) }
                    }
                }
            }
        }
    }

    @Test func `an engine that cannot be started is a typed error`() async {
        let none = ClientError.locator(
            .notFound(places: ["/nowhere/libexec/kinecast/kinecast-engine", "/nowhere/bin/kinecast-engine"]))
        await #expect(throws: none) {
            try await EngineSession.start(
                Self.configuration,
                locator: EngineLocator(named: nil, executable: "/nowhere/bin/x", command: nil, systemPlaces: []))
        }
        // A program for no machine: exec refuses it.
        let broken = await #expect(throws: ClientError.self) {
            let folder = try TemporaryDirectory()
            let path = try folder.write("\u{7f}ELF".utf8, to: "engine", permissions: .ownerReadWriteExecute)
            _ = try await EngineSession.start(Self.configuration, locator: EngineLocator(named: path))
        }
        let isRefusedByExec = if case .engineCannotStart? = broken { true } else { false }
        #expect(isRefusedByExec)
    }

    @Test func `an engine that ends without a word is told as dead, with how it ended`() async throws {
        let session = try await EngineSession.start(Self.configuration, locator: EngineLocator(named: "/bin/false"))
        let death = EngineDeath(cause: .died, ending: .exited(status: 1), file: .notBegun)
        #expect(try await session.outcome() == .engineDied(death))
        session.close()
        await session.closed()
        var events: [SessionEvent] = []
        for await event in session.events { events.append(event) }
        #expect(events == [.ended(.engineDied(death))])
        await #expect(throws: ClientError.takeIsOver) { try await session.pause() }
    }

    @Test(arguments: [false, true])
    func `an engine that dies before its first frame leaves no file, unless there was one before`(isOlder: Bool)
        async throws
    {
        let folder = try TemporaryDirectory()
        let (engine, path) = (folder.file("engine"), folder.file("a.mp4"))
        if isOlder { try folder.write("older".utf8, to: "a.mp4") }
        try folder.write(
            "#!/bin/sh\n: >>\(path.shellWord); kill -9 $$\n".utf8, to: "engine", permissions: .ownerReadWriteExecute)
        var configuration = Self.configuration
        configuration.output = path
        configuration.overwrite = isOlder
        let session = try await EngineSession.start(configuration, locator: EngineLocator(named: engine))
        guard case .engineDied(let death) = try await session.outcome() else {
            Issue.record("the engine did not die")
            return
        }
        #expect(death.file == (isOlder ? .olderKept(path: path) : .notBegun))
        #expect(access(path, F_OK) == (isOlder ? 0 : -1))
    }

    @Test func `an engine that does nothing is ended by an abort`() async throws {
        let session = try await EngineSession.start(Self.configuration, locator: EngineLocator(named: "/usr/bin/yes"))
        session.abort()
        guard case .engineDied(let death) = try await session.outcome() else {
            Issue.record("the engine did not die")
            return
        }
        #expect(death.cause == .aborted && death.file == .notBegun)
    }

    private static func done(_ id: Int) -> EngineMessage { .answer(id: id, .success(.done)) }

    private static func reply(_ id: Int, _ reply: EngineReply) -> EngineMessage { .answer(id: id, .success(reply)) }

    @Test func `requests have their answers, and events come beside them in order`() async throws {
        let engine = try Engine()
        let summary = Self.summary
        let refusal = Refusal(.unavailable, "It does not pause.")
        let clip = ExportedClip(
            output: "/tmp/1.mp4", start: .zero, duration: .seconds(1), askedDuration: nil, bytes: 1, frames: 1)
        let thread = try engine.serve { request, id in
            switch request {
            case .pause: [.event(.commandNeeded(environment: ["DISPLAY=:7"])), .event(.paused), Self.done(id)]
            case .commandStarted(let process): [.event(.warning("\(process)"))]
            case .resume: [.answer(id: id, .failure(refusal))]
            case .status: [Self.reply(id, .status(Self.status("abc", link: "http://a")))]
            case .renewLinks: [Self.reply(id, .status(Self.status("abc", link: "http://b")))]
            case .stop: [.event(.finished(summary))]
            case .annotate, .setMicrophone, .setAppAudio, .setAppAudioOutput, .showAudioLevels, .switchSource,
                .setCamera, .notePointer, .answerPermission(question: 4, isAllowed: nil):
                [Self.done(id)]
            case .addDestination: [Self.reply(id, .destinationAdded(3))]
            case .removeDestination: [Self.reply(id, .destinationRemoved(.finished))]
            case .exportClip: [Self.reply(id, .clip(clip))]
            case .mark(let title): [Self.reply(id, .marked(Chapter(start: .seconds(1), title: title ?? "")))]
            case .start, .follow, .receiveSamples, .endSamples, .receiveFrames, .permissionAnswer,
                .showPermissionQuestions, .answerPermission:
                nil
            }
        }
        let session = try await engine.attach()
        try await session.pause()
        session.commandStarted(process: 7)
        await #expect(throws: ClientError.refused(refusal)) { try await session.resume() }
        try await session.setMicrophone(isOn: true)
        try await session.switchSource(to: .focusedWindow)
        #expect(try await session.status().id == "abc")
        try await session.send(.annotate(["title": "x"]))
        try await session.setCamera(nil)
        try await session.send(.answerPermission(question: 4, isAllowed: nil))
        #expect(try await session.addDestination(.init(service: "live", label: "live")) == 3)
        #expect(try await session.removeDestination(3) == .finished)
        #expect(try await session.exportClip(to: "/tmp/1.mp4", duration: nil) == clip)
        let chapter = try await session.send(.mark(title: "a")) {
            if case .marked(let chapter) = $0 { chapter } else { nil }
        }
        #expect(chapter == Chapter(start: .seconds(1), title: "a"))
        #expect(try await session.stop() == .finished(summary))
        session.close()
        var events: [SessionEvent] = []
        for await event in session.events { events.append(event) }
        #expect(
            events == [
                .engine(.commandNeeded(environment: ["DISPLAY=:7"])), .engine(.paused), .engine(.warning("7")),
                .ended(.finished(summary)),
            ])
        thread.join()
    }

    @Test func `an engine that goes away is said to have ended without an answer`() async throws {
        let engine = try Engine()
        let thread = try engine.serve { _, _ in nil }
        let session = try await engine.attach()
        let record = engine.registration.record
        let take = ClientError.TakeReference(id: record.id, pid: record.pid, output: record.output)
        await #expect(throws: ClientError.endedWithoutAnswer(take)) { try await session.stop() }
        thread.join()
    }

    @Test func `an engine that does not answer is said not to`() async throws {
        let engine = try Engine()
        let thread = try engine.serve { _, _ in [] }
        let session = try await engine.attach()
        let record = engine.registration.record
        let take = ClientError.TakeReference(id: record.id, pid: record.pid, output: record.output)
        await #expect(throws: ClientError.noAnswer(take)) { try await session.status(within: .zero) }
        session.close()
        thread.join()
    }

    @Test func `a request that is too large to be sent is refused`() async throws {
        let engine = try Engine()
        let thread = try engine.serve { _, _ in [] }
        let session = try await engine.attach()
        let error = await #expect(throws: ClientError.self) {
            try await session.send(.annotate(["title": String(repeating: "x", count: 2 << 20)]))
        }
        let isRefused = if case .refused? = error { true } else { false }
        #expect(isRefused)
        session.close()
        thread.join()
    }

    @Test func `a task that is cancelled waits no longer, and the session goes on`() async throws {
        let engine = try Engine()
        let thread = try engine.serve { request, id in
            if case .resume = request { [Self.done(id)] } else { [] }
        }
        let session = try await engine.attach()
        let waiting = Task { () async throws(ClientError) in try await session.outcome() }
        waiting.cancel()
        await #expect(throws: ClientError.cancelled) { try await waiting.value }
        try await session.resume()
        session.close()
        thread.join()
    }

    @Test func `a session that nobody holds lets its engine go`() async throws {
        let engine = try Engine()
        let thread = try engine.serve { _, _ in [] }
        do { _ = try await engine.attach() }
        thread.join()  // the channel has ended
    }

    static let summary = TakeSummary(
        output: "/tmp/a.mp4", size: PixelSize(width: 64, height: 48), progress: TakeProgress(), reason: "stopped")

    static func status(_ id: String, link: String?) -> TakeStatus {
        var status = TakeStatus(id: id, phase: .recording, output: nil, source: "screen", progress: TakeProgress())
        if let link {
            var live = DestinationStatus(destination: 0, service: "live", label: "live", phase: .live)
            live.link = link
            status.destinations = [live]
        }
        return status
    }
}
