// Sessions with processes that are no real engines, and with an engine's end of the channel in this process.
import Glibc
import KineControl
import KineMeasure
import KineMedia
import KinePlatform
import KineRelay
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

        func follow() async throws -> EngineSession {
            let (registry, record) = (registry, registration.record)
            return try await EngineSession.follow(progress: true) { () throws(TakeRegistry.Error) in (registry, record)
            }
        }

        /// Answers each message of the first client by `reply`, on a thread; the channel ends where that is nil.
        func serve(_ reply: @escaping @Sendable (ClientMessage) -> [EngineMessage]?) throws -> DedicatedThread {
            let registration = registration
            return try DedicatedThread(starting: "test-engine") {
                _ = WakeSignal.poll([registration.listener.descriptor.rawValue], until: nil)
                // A client that has gone already is not accepted.
                let accepted = registration.listener.acceptWaiting(as: EngineConnection.self).connections
                guard let connection = accepted.first else { return }
                while let messages = try? connection.receive(until: .max) {
                    for message in messages {
                        guard let answers = reply(message) else { return }
                        for answer in answers { try? connection.send(answer) }
                    }
                }
            }
        }
    }

    @Test func `an engine that cannot be started is a typed error`() async {
        let none = ClientError.engineNotFound(
            places: ["/nowhere/libexec/kinecast/kinecast-engine", "/nowhere/bin/kinecast-engine"])
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
        #expect(broken?.code == .engineCannotStart)
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

    @Test func `requests have their answers, and events come beside them in order`() async throws {
        let engine = try Engine()
        let summary = Self.summary
        let thread = try engine.serve { message in
            switch message {
            case .pause: [.commandNeeded(environment: ["DISPLAY=:7"]), .paused]
            case .commandStarted(let process): [.warning("\(process)")]
            case .resume: [.refused("It does not pause.", request: nil)]
            case .status: [.status(Self.status("abc", link: "http://a"))]
            case .annotate: []
            case .renewLinks: [Self.link("http://b")]
            case .stop: [.finished(summary)]
            case .setMicrophone(let isOn): [.microphone(on: isOn)]
            case .switchSource(let source): [.sourceSwitched(source)]
            case .setCamera(let camera): [.camera(camera)]
            case .exportClip, .start, .follow, .receiveSamples, .endSamples, .receiveFrames, .addDestination,
                .removeDestination, .permissionAnswer, .unknown:
                nil
            }
        }
        let session = try await engine.attach()
        try await session.pause()
        session.commandStarted(process: 7)
        await #expect(throws: ClientError.refused("It does not pause.")) { try await session.resume() }
        try await session.setMicrophone(isOn: true)
        try await session.switchSource(to: .focusedWindow)
        #expect(try await session.status().id == "abc")
        try await session.annotate(["title": "x"])
        try await session.setCamera(nil)
        #expect(try await session.links().destinations.first?.link == "http://a")
        _ = try await session.renewLinks()
        #expect(try await session.stop() == .finished(summary))
        session.close()
        var events: [SessionEvent] = []
        for await event in session.events { events.append(event) }
        #expect(
            events == [
                .commandNeeded(environment: ["DISPLAY=:7"]), .paused, .warning("7"), .microphone(isOn: true),
                .sourceSwitched(.focusedWindow), .camera(nil),
                .destination(DestinationEvent(destination: 0, label: "live", kind: .link("http://b"))),
                .ended(.finished(summary)),
            ])
        thread.join()
    }

    @Test func `a session that follows is told that the take runs, and asks how its destinations are`() async throws {
        let engine = try Engine()
        let status = Self.status("abc", link: "http://a")
        let started = TakeStarted(id: "abc", output: nil, size: PixelSize(width: 64, height: 48), environment: [])
        let thread = try engine.serve { message in
            switch message {
            case .follow(progress: true): [.status(status), .started(started), .paused, .progress(TakeProgress())]
            case .status: [.status(status), .finished(Self.summary)]
            default: nil
            }
        }
        let session = try await engine.follow()
        var events: [SessionEvent] = []
        for await event in session.events {
            events.append(event)
            if case .ended = event { break }
        }
        session.close()
        let progress = SessionEvent.progress(TakeProgress(), status.destinations)
        #expect(events == [progress, .started(started), .paused, progress, .ended(.finished(Self.summary))])
        thread.join()
    }

    @Test func `an engine of an older version that cannot be followed says so`() async throws {
        let engine = try Engine()
        let thread = try engine.serve { _ in [.refused("unknown", request: nil)] }
        await #expect(throws: ClientError.refused("unknown")) { try await engine.follow() }
        thread.join()
    }

    @Test func `a session that follows recovers the file of an engine that died`() async throws {
        let engine = try Engine()
        let thread = try engine.serve { message in
            if case .follow = message { [.status(Self.status("abc", link: nil))] } else { nil }
        }
        let session = try await engine.follow()
        // Asks something, upon which the engine is gone.
        await #expect(throws: ClientError.takeIsOver) { try await session.pause() }
        guard case .engineDied(let death) = try await session.outcome(), case .unrecoverable(.storage) = death.file
        else {
            Issue.record("nobody looked for the file")
            return
        }
        thread.join()
    }

    @Test func `a take without destinations has nobody to tell and no link`() async throws {
        let engine = try Engine()
        let thread = try engine.serve { message in
            if case .status = message { [.status(Self.status("abc", link: nil))] } else { [] }
        }
        let session = try await engine.attach()
        await #expect(throws: ClientError.noDestination(take: "abc")) { try await session.annotate(["title": "x"]) }
        await #expect(throws: ClientError.noLink(take: "abc")) { try await session.renewLinks() }
        session.close()
        await session.closed()
        thread.join()
    }

    @Test func `an engine that goes away is said to have ended without an answer`() async throws {
        let engine = try Engine()
        let thread = try engine.serve { _ in nil }
        let session = try await engine.attach()
        let record = engine.registration.record
        let take = ClientError.TakeReference(id: record.id, pid: record.pid, output: record.output)
        await #expect(throws: ClientError.endedWithoutAnswer(take)) { try await session.stop() }
        thread.join()
    }

    @Test func `an engine that does not answer is said not to`() async throws {
        let engine = try Engine()
        let thread = try engine.serve { _ in [] }
        let session = try await engine.attach()
        let error = await #expect(throws: ClientError.self) { try await session.status(within: .zero) }
        #expect(error?.code == .noAnswer)
        session.close()
        thread.join()
    }

    @Test func `a request that is too large to be sent is refused`() async throws {
        let engine = try Engine()
        let thread = try engine.serve { _ in [] }
        let session = try await engine.attach()
        let error = await #expect(throws: ClientError.self) {
            try await session.annotate(["title": String(repeating: "x", count: 2 << 20)])
        }
        #expect(error?.code == .refused)
        session.close()
        thread.join()
    }

    @Test func `a task that is cancelled waits no longer, and the session goes on`() async throws {
        let engine = try Engine()
        let thread = try engine.serve { message in
            if case .resume = message { [.resumed] } else { [] }
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
        let thread = try engine.serve { _ in [] }
        do { _ = try await engine.attach() }
        thread.join()  // the channel has ended
    }

    private static let summary = TakeSummary(
        output: "/tmp/a.mp4", size: PixelSize(width: 64, height: 48), progress: TakeProgress(), reason: "stopped")

    private static func status(_ id: String, link: String?) -> TakeStatus {
        var status = TakeStatus(id: id, phase: .recording, output: nil, source: "screen", progress: TakeProgress())
        if let link {
            var live = DestinationStatus(destination: 0, service: "live", label: "live", phase: .live)
            live.link = link
            status.destinations = [live]
        }
        return status
    }

    private static func link(_ link: String) -> EngineMessage {
        .destination(DestinationEvent(destination: 0, label: "live", kind: .link(link)))
    }
}
