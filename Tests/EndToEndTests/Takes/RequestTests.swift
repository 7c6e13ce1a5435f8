// Clients of one take that ask at the same time, and a client of another version: real engines.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import KineWire
import ProcessTesting
import ScreenTesting
import SystemPackage
import Testing

@Suite(.tags(.real, .programs)) struct RequestTests {
    @Test func `a window is named by its title and application, as they were when the take began or switched`() throws {
        let screen = try PrivateScreen(size: PixelSize(width: 320, height: 240))
        try TestPlace.with { place in
            let painter = try Painter(display: screen.name)
            let window = painter.window(
                PixelRect(x: 0, y: 0, width: 90, height: 80), colour: 0x40_8040, isManaged: true)
            painter.setTitle(window, "Notes")
            painter.setApplication(window, "no-such-program")
            let id = "0x" + String(window, radix: 16)
            let take = try place.record(screen.name, "a.mp4", "--window", id)
            try take.event("started")
            painter.setTitle(window, "Later")
            let name = "Notes — No-such-program"
            let line = try place.run("status", "--json").output
            #expect(line.contains(#""source":"window \#(id)","sourceName":"\#(name)""#), "\(line)")
            #expect(try place.run("status").output.contains("  \(name)  "))
            let change = try place.run("switch", "--monitor", "screen", "--json")
            #expect(change.output.contains(#""source":"screen screen","sourceName":"Whole screen""#), "\(change)")
            #expect(try place.run("status").output.contains("  Whole screen  "))
            take.signal(SIGINT)
            let ended = try take.wait()
            #expect(ended.status == 0 && ended.output.contains(#""sourceName":"\#(name)""#), "\(ended)")
            #expect(ended.output.contains(#""sourceName":"Whole screen""#), "\(ended)")
        }
    }

    /// Two clients that have connected with the only take of a place.
    private func clients(_ place: TestPlace) throws -> [ClientConnection] {
        let record = try #require(try place.registry().list().running.first)
        return try (1...2).map { _ in try place.registry().connect(to: record) }
    }

    /// Has each client ask while the engine is stopped, so that it finds both requests at once. Returns their answers.
    private func ask(
        _ clients: [ClientConnection], _ requests: [ClientRequest], of engine: EngineUnderTest
    ) throws -> [Result<EngineReply, Refusal>?] {
        try StrangerProcess.stop(engine.process.pid)
        // Both have the same number: each counts its own.
        for (client, request) in zip(clients, requests) { try client.send(request, id: 1) }
        engine.process.signal(SIGCONT)
        let deadline = MonotonicClock.now() + RunningKinecast.timeout
        return try clients.map { client in
            while true {
                let messages = try client.receive(until: deadline)
                if messages.isEmpty { return nil }
                for case .answer(id: 1, let result) in messages { return result }
            }
        }
    }

    private func take(_ place: TestPlace) throws -> EngineUnderTest {
        var configuration = TakeConfiguration(source: .pattern(PixelSize(width: 320, height: 240)), output: nil)
        configuration.audio.app = .none
        configuration.clipBuffer = .seconds(5)
        configuration.wantsProgress = true
        let engine = try EngineUnderTest(configuration, in: place)
        try engine.wait("a second") { event in
            if case .progress(let progress) = event, progress.duration >= .seconds(1) { true } else { nil }
        }
        return engine
    }

    @Test func `of two clients that ask the same at the same time each has its own answer`() throws {
        try TestPlace.with { place in
            let engine = try take(place)
            let clients = try clients(place)
            #expect(try ask(clients, [.pause, .pause], of: engine) == [.success(.done), .success(.done)])
            let resumed = try ask(clients, [.resume, .resume], of: engine)
            #expect(resumed.count { $0 == .success(.done) } == 1)
            let clips = try ask(
                clients,
                (1...2).map { .exportClip(ClipRequest(output: place.path("\($0).mp4"), duration: nil)) }, of: engine)
            let refusals = clips.compactMap { if case .failure(let refusal)? = $0 { refusal.code } else { nil } }
            #expect(refusals == [.exportInProgress])
            let written = clips.compactMap { if case .success(.clip(let clip))? = $0 { clip.output } else { nil } }
            #expect(written.count == 1)
            for output in written { #expect(access(output, R_OK) == 0) }
            #expect(try engine.stop().exitStatus == 0)
        }
    }

    @Test func `a take has left the registry before its clients hear of its end`() throws {
        try TestPlace.with { place in
            let engine = try take(place)
            let client = try clients(place)[0]
            try client.send(.stop(immediately: false), id: 1)
            let deadline = MonotonicClock.now() + RunningKinecast.timeout
            var received: [EngineMessage] = []
            while !received.contains(where: { if case .event(.finished) = $0 { true } else { false } }) {
                let messages = try client.receive(until: deadline)
                try #require(!messages.isEmpty, "\(received)")
                received += messages
            }
            #expect(try place.registry().list() == .init())
            #expect(try engine.end().exitStatus == 0)
        }
    }

    /// A client's end whose hello has another protocol number.
    private struct LaterMessage: ControlMessage, Equatable {
        static var protocolNumber: Int? { ControlProtocol.number + 1 }
        let message: EngineMessage

        init(from decoder: any Decoder) throws { message = try EngineMessage(from: decoder) }
    }

    @Test func `a client of another number sees a take and ends it, and is told what to do about the rest`() throws {
        try TestPlace.with { place in
            let engine = try take(place)
            let id = try #require(try place.registry().list().running.first).id
            let client = try ControlConnection<LaterMessage, ClientMessage>(
                connectingTo: FilePath(place.path("runtime/kinecast/takes/\(id)/control.sock")))
            for (id, request) in [ClientRequest.status, .pause, .stop(immediately: false)].enumerated() {
                try client.send(ClientMessage(id: id, request))
            }
            var received: [EngineMessage] = []
            let deadline = MonotonicClock.now() + RunningKinecast.timeout
            while !received.contains(where: { if case .event(.finished) = $0 { true } else { false } }) {
                let messages = try client.receive(until: deadline)
                try #require(!messages.isEmpty, "\(received)")
                received += messages.map(\.message)
            }
            guard case .answer(id: 0, .success(.status(let status)))? = received.first,
                case .answer(id: 1, .failure(let refusal))? = received.dropFirst().first
            else {
                Issue.record("\(received)")
                return
            }
            #expect(status.id == id && status.phase == .recording)
            #expect(refusal.code == .otherVersion && refusal.message.contains("build the app again"))
            #expect(try engine.end().exitStatus == 0)
        }
    }
}
