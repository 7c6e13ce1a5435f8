// The host's loop with a client at the other end, in this process.
import Glibc
import KineMeasure
import KineMedia
import SystemPackage
import Testing
import ThreadTesting

@testable import KineHost
@testable import KinePlatform
@testable import KineWire

@Suite(.serialized) struct EngineHostTests {
    private static let timeout: Int64 = 60_000_000_000

    /// Runs a host in a thread of its own, in which no further thread can be started once it is there.
    private func host(_ body: (ClientConnection) throws -> Void) throws -> Int32? {
        let (client, engineEnd) = try ClientConnection.pair()
        let status = Monitor<Int32?>(nil)
        let thread = DedicatedThread(name: "host") {
            guard let host = try? EngineHost(client: engineEnd) else { return status.signal { $0 = -1 } }
            guard deny_threads() == 0 else { return status.signal { $0 = -2 } }
            let result = host.run()
            status.signal { $0 = result }
        }
        try body(client)
        client.close()
        thread.join()
        return status.withLock { $0 }
    }

    private func messages(
        _ client: ClientConnection, until isLast: (EngineMessage) -> Bool
    ) throws -> [EngineMessage] {
        var all: [EngineMessage] = []
        let deadline = MonotonicClock.now() + Self.timeout
        while !all.contains(where: isLast) {
            let new = try client.receive(until: deadline)
            if new.isEmpty { break }
            all += new
        }
        return all
    }

    private func events(_ client: ClientConnection, until isLast: (EngineEvent) -> Bool) throws -> [EngineEvent] {
        try messages(client) { if case .event(let event) = $0 { isLast(event) } else { false } }.compactMap {
            if case .event(let event) = $0 { event } else { nil }
        }
    }

    /// The answer to a request that is sent now.
    private func ask(_ client: ClientConnection, _ request: ClientRequest?) throws -> Result<EngineReply, Refusal> {
        try client.send(ClientMessage(id: 7, request))
        let answered = try messages(client) { if case .answer(id: 7, _) = $0 { true } else { false } }
        guard case .answer(_, let result)? = answered.last else { throw Errno.timedOut }
        return result
    }

    private static func isOver(_ event: EngineEvent) -> Bool {
        switch event {
        case .finished, .failed: true
        default: false
        }
    }

    @Test func `a process that may have no more threads still finishes its file`() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("take.mp4")
        let status = try host { client in
            var configuration = TakeConfiguration(source: .pattern(PixelSize(width: 64, height: 64)), output: path)
            configuration.audio.app = .none
            try client.send(.start(configuration))
            _ = try events(client) { if case .started = $0 { true } else { false } }
            try client.send(.stop(immediately: false))
            let last = try events(client, until: Self.isOver).last
            guard case .finished(let summary)? = last else {
                Issue.record("\(String(describing: last))")
                return
            }
            #expect(summary.output == path)
        }
        #expect(status == 0)
        #expect(access(path, R_OK) == 0)
    }

    @Test(arguments: [
        ClientMessage(id: 1, nil),
        ClientMessage(id: 1, .start(pattern, required: pattern.required() + ["windowsToBlur"])),
    ])
    func `a start of another version is refused in words, as one is that requires what is not known`(
        start: ClientMessage
    ) throws {
        let status = try host { client in
            try client.send(start)
            guard case .failed(let failure)? = try events(client, until: Self.isOver).last else {
                Issue.record("the client would wait for ever")
                return
            }
            #expect(failure.exitStatus == ExitStatus.unavailable && failure.message.contains("version"))
            #expect(failure.message.contains("windowsToBlur") == (start.request != nil))
        }
        #expect(status == ExitStatus.unavailable)
    }

    private static let pattern = {
        var configuration = TakeConfiguration(source: .pattern(PixelSize(width: 64, height: 64)), output: nil)
        configuration.audio.app = .none
        return configuration
    }()

    @Test func `a request of a later version, or an annotation too long, is refused, and the take goes on`() throws {
        let status = try host { client in
            try client.send(.start(Self.pattern, required: Self.pattern.required()))
            _ = try events(client) { if case .started = $0 { true } else { false } }
            let refusal = #expect(throws: Refusal.self) { try ask(client, nil).get() }
            #expect(refusal?.code == .otherVersion)
            let long = ClientRequest.annotate(["title": String(repeating: "x", count: 65536)])
            let other = #expect(throws: Refusal.self) { try ask(client, long).get() }
            #expect(other?.message.contains("An annotation has at most") == true)
            try client.send(.stop(immediately: false))
            guard case .finished? = try events(client, until: Self.isOver).last else {
                Issue.record("it has not finished")
                return
            }
        }
        #expect(status == 0)
    }

    @Test func `too many connections cost the newest of the process that has most, and kinecast last`() {
        func excess(_ guests: (process: Int32, count: Int, isCommandLine: Bool)...) -> Int? {
            EngineClients.excess(
                guests.flatMap { guest in
                    (0..<guest.count).map { _ in (process: guest.process, isCommandLine: guest.isCommandLine) }
                })
        }
        #expect(excess((1, 32, false), (2, 32, false), (3, 32, false), (4, 31, false), (5, 1, true)) == nil)
        #expect(excess((1, 32, false), (2, 31, false), (3, 32, false), (4, 32, false), (5, 2, true)) == 126)
        #expect(excess((1, 32, false), (2, 32, true), (3, 32, true), (4, 32, true), (5, 1, true)) == 31)
        // One of each process, kinecast the newest; then nothing but kinecast.
        let each = (0..<128).map { (process: Int32($0 + 10), isCommandLine: false) }
        #expect(EngineClients.excess(each + [(process: 1, isCommandLine: true)]) == 127)
        #expect(EngineClients.excess((0..<129).map { (process: Int32($0 + 10), isCommandLine: true) }) == 128)
    }

    @Test func `a connection has five seconds for its hello`() throws {
        let folder = try TemporaryDirectory()
        let (owner, far) = try ClientConnection.pair()
        let clients = try EngineClients(owner: far)
        let path = FilePath(folder.file("control.sock"))
        clients.listener = try ControlListener(path: path)
        let silent = try UnixSocket.connect(to: path)
        defer { try? silent.close() }
        let client = try ClientConnection(connectingTo: path)
        clients.accept(at: 0)
        #expect(clients.nextDeadline == 5_000_000_000)
        _ = clients.receive { _, _ in }
        clients.dismissSilent(at: 4_999_999_999)
        #expect(clients.nextDeadline == 5_000_000_000)
        clients.dismissSilent(at: 5_000_000_000)
        #expect(clients.nextDeadline == nil)
        clients.tellAll(.paused)
        #expect(try client.receive(until: MonotonicClock.now() + Self.timeout) == [.event(.paused)])
        withExtendedLifetime(owner) {}
    }

    /// Values that decode, and that arithmetic of the engine's would not survive.
    private static let unusable: [@Sendable (inout TakeConfiguration) -> Void] = [
        { $0.source = .pattern(PixelSize(width: .max, height: 2)) },
        { $0.source = .pattern(PixelSize(width: 0, height: 64)) },
        { $0.source = .virtual(PixelSize(width: -1, height: .min)) },
        { $0.source = .region(PixelRect(x: .max, y: 1, width: .max, height: 64)) },
        { $0.video.framesPerSecond = 0 }, { $0.video.framesPerSecond = .min },
        { $0.video.size = PixelSize(width: .max, height: .max) }, { $0.video.size = PixelSize(width: 65, height: 64) },
        { $0.video.rateControl = .averageBitrate(.max) }, { $0.video.rateControl = .averageBitrate(-1) },
        { $0.video.rateControl = .bitsPerSecondPerPixel(1e300) }, { $0.video.rateControl = .constantQuality(52) },
        { $0.video.excludedWindows = [.process(0)] },
        { $0.video.keyframeInterval = MediaTime(nanoseconds: .min) }, { $0.video.keyframeFrames = 0 },
        { $0.audio.sampleRate = 0 }, { $0.audio.channels = 1 << 40 }, { $0.audio.bitrate = .min },
        { $0.durationLimit = MediaTime(nanoseconds: .max) }, { $0.durationLimit = .zero },
        { $0.supervision.start = 1e300 }, { $0.supervision.held = -1 },
        { $0.output = "relative.mp4" }, { $0.output = "/tmp/a\u{0}b" },
        { $0.destinations = Array(repeating: .init(service: "x", label: "x"), count: 1000) },
    ]

    @Test(arguments: unusable.indices) func `a value that cannot be is refused in words`(index: Int) throws {
        var configuration = TakeConfiguration(source: .pattern(PixelSize(width: 64, height: 64)), output: nil)
        Self.unusable[index](&configuration)
        let status = try host { client in
            try client.send(.start(configuration))
            let last = try events(client, until: Self.isOver).last
            guard case .failed(let failure)? = last else {
                Issue.record("\(String(describing: last))")
                return
            }
            #expect(failure.exitStatus == ExitStatus.usage)
            #expect(failure.message.hasPrefix("The ") && failure.message.hasSuffix("."))
        }
        #expect(status == ExitStatus.usage)
    }
}
