// What follows the end of a connection: which server is tried again, how often, and with which authentication.
import CoreTesting
import KineMeasure
import KineRTMP
import RTMPTesting
import Testing

@testable import KinePublish

@Suite(.timeLimit(.minutes(10)), .tags(.real)) struct ReconnectingTests {
    /// Nanoseconds: short, so that many attempts are soon made.
    private static let short: Int64 = 20_000_000

    /// Connections with a `connect` command. Others were probes that came too late.
    private static func attempts(at server: StrictServerSocket) -> Int {
        server.state.withLock { $0.connections.count { !$0.connect.isEmpty } }
    }

    @Test(arguments: [false, true])
    func `a server that closes at the stream's name, or after its yes, each time has refused it`(
        accepts: Bool
    ) async throws {
        let server = try StrictServerSocket()
        server.state.withLock { ($0.closesAtStreamName, $0.cutsWhenPublished) = (!accepts, accepts) }
        let told = Told()
        let publisher = try told.publisher("rtmp://127.0.0.1:\(server.port)/app/secret") {
            $0.firstDelay = Self.short
        }
        // Either the yes or the end may come first.
        try? await publisher.start()
        #expect(await told.events.next { Self.hasFailed($0) ? true : nil } == true)
        #expect(told.states.allSatisfy { $0 == .starting || $0 == .failed }, "\(told.states)")
        #expect(told.failures.first?.kind == .refused)
        #expect(told.failures.first?.description.contains("check the stream key") == true)
        #expect(Self.attempts(at: server) == ReconnectPolicy.silentRefusals)
        await publisher.finish()
    }

    @Test func `a connection that lasts gives back all attempts`() async throws {
        let server = try StrictServerSocket()
        let told = Told()
        let publisher = try told.publisher("rtmp://127.0.0.1:\(server.port)/app/key") {
            $0.retries = 1
            $0.firstDelay = Self.short
            $0.provingTime = 0
        }
        try await publisher.start()
        for round in 1...3 {
            // Goes on until two measurements have seen something arrive.
            let before = told.liveReports
            var time = Int64(round) * 1_000_000
            while told.liveReports < before + 3 {
                // By the clock, as a screen does: a connection may be replaced meanwhile, and the next one needs a keyframe.
                for sample in TestStream.samples(time..<(time + 100)) { publisher.publish(sample) }
                time += 100
                try await Task.sleep(for: .milliseconds(100))
            }
            server.state.withLock { $0.cut = true }
            #expect(await told.accepted(round + 1))
        }
        #expect(told.failures.isEmpty && told.interruptions >= 3)
        await publisher.finish()
    }

    @Test func `each connection begins the authentication again`() async throws {
        let server = try StrictServerSocket(.asksForUser(opaque: "Zmlyc3Q="))
        let told = Told()
        let publisher = try told.publisher("rtmp://jo:password@127.0.0.1:\(server.port)/app/key") {
            $0.firstDelay = Self.short
        }
        try await publisher.start()
        #expect(await told.accepted())
        server.state.withLock {
            $0.behavior = .asksForUser(opaque: "c2Vjb25k")
            $0.cut = true
        }
        #expect(await told.accepted(2))
        #expect(told.failures.isEmpty)
        await publisher.finish()
    }

    @Test func `when a redirection leads nowhere, the original server is tried again`() async throws {
        let (server, nobody) = (try StrictServerSocket(), try Loopback.freePort())
        let told = Told()
        let publisher = try told.publisher("rtmp://127.0.0.1:\(server.port)/app/key") { $0.firstDelay = Self.short }
        try await publisher.start()
        for sample in TestStream.samples(0..<500) { publisher.publish(sample) }
        let address = "rtmp://127.0.0.1:\(nobody)/other"
        server.state.withLock { $0.request = .some(address) }
        #expect(await told.keyframes.next { $0 > 0 ? true : nil } == true)
        for sample in TestStream.samples(1000..<1500) { publisher.publish(sample) }
        #expect(await told.accepted(2))
        let asked = await server.wait { state in
            let asked = state.connections.filter { !$0.connect.isEmpty }
            return asked.count == 2 ? asked : nil
        }
        #expect(try #require(asked).allSatisfy { $0.connect["app"] == .string("app") })
        await publisher.finish()
    }

    @Test(arguments: [false, true])
    func `a server that refuses with another address is left for that one at once`(atConnect: Bool) async throws {
        let second = try StrictServerSocket()
        let address = "rtmp://127.0.0.1:\(second.port)/other"
        let first = try StrictServerSocket(
            atConnect ? .redirectsConnect(to: address) : .redirectsPublish(to: address + "/key"))
        let told = Told()
        let publisher = try told.publisher("rtmp://127.0.0.1:\(first.port)/app/key")
        try await publisher.start()
        #expect(await told.accepted())
        for sample in TestStream.samples(0..<500) { publisher.publish(sample) }
        await publisher.finish()
        let seen = try #require(await second.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        #expect(seen.violation == nil && seen.streamName == "key" && seen.connect["app"] == .string("other"))
        #expect(TestStream.samples(in: seen.media) == TestStream.samples(0..<500).map(TestStream.expected))
        #expect(told.interruptions == 0 && told.failures.isEmpty)
    }

    @Test func `the end during a redirection waits for the other server`() async throws {
        let (first, second) = (try StrictServerSocket(), try StrictServerSocket())
        second.state.withLock { $0.isDeaf = true }
        let told = Told()
        let publisher = try told.publisher("rtmp://127.0.0.1:\(first.port)/app/key")
        try await publisher.start()
        for sample in TestStream.samples(0..<1000) { publisher.publish(sample) }
        let address = "rtmp://127.0.0.1:\(second.port)/app"
        first.state.withLock { $0.request = .some(address) }
        #expect(await told.keyframes.next { $0 > 0 ? true : nil } == true)
        for sample in TestStream.samples(1000..<2000) { publisher.publish(sample) }
        #expect(await second.wait { $0.connections.isEmpty ? nil : true } == true)
        async let finished = publisher.finish()
        second.state.withLock { $0.isDeaf = false }
        _ = await finished
        let before = try #require(await first.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        let after = try #require(await second.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        #expect(before.violation == nil)
        #expect(after.violation == nil)
        let arrived = TestStream.samples(in: before.media) + TestStream.samples(in: after.media)
        #expect(arrived == TestStream.samples(0..<2000).map(TestStream.expected))
    }

    private static func hasFailed(_ events: [RTMPEvent]) -> Bool {
        events.contains { if case .failed = $0 { true } else { false } }
    }
}
