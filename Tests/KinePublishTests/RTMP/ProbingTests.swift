// How a server is found again between attempts, and at another address of its name.
import CoreTesting
import KineMeasure
import KinePlatform
import KineRTMP
import NIOCore
import NIOPosix
import Testing

@testable import KinePublish

@Suite(.timeLimit(.minutes(10)), .tags(.real)) struct ProbingTests {
    /// Nanoseconds: no attempt comes within any of these tests.
    private static let long: Int64 = 30_000_000_000

    @Test func `a server that starts to listen is found by a probe, not by the next attempt`() async throws {
        let port = try Loopback.freePort()
        let told = Told()
        let publisher = try told.publisher("rtmp://127.0.0.1:\(port)/app/key") { $0.firstDelay = Self.long }
        try await publisher.start()
        #expect(await told.events.next { Self.interruptions($0) == 1 ? true : nil } == true)
        let server = try StrictServerSocket(port: port)
        #expect(await server.wait { $0.connections.last?.phase == .metadata ? true : nil } == true)
        #expect(await told.accepted())
        #expect(told.events.withLock(Self.interruptions) == 1)
        let samples = TestStream.samples(0..<2000)
        for sample in samples { publisher.publish(sample) }
        await publisher.finish()
        let seen = try #require(await server.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        #expect(seen.violation == nil)
        #expect(TestStream.samples(in: seen.media) == samples.map(TestStream.expected))
    }

    @Test func `a server that stops listening and comes back is found as often as it does`() async throws {
        let port = try Loopback.freePort()
        let told = Told()
        let publisher = try told.publisher("rtmp://127.0.0.1:\(port)/app/key")
        for round in 0..<3 {
            let server = try StrictServerSocket(port: port)
            if round == 0 { try await publisher.start() }
            #expect(await server.wait { $0.connections.last?.phase == .metadata ? true : nil } == true)
            server.state.signal { $0.cut = true }
            #expect(await server.wait { $0.connections.last?.isOver == true ? true : nil } == true)
        }
        await publisher.finish()
    }

    @Test func `a server that takes connections and closes them is left alone until the next attempt`() async throws {
        let server = try StrictServerSocket()
        server.state.withLock { $0.cut = true }
        let told = Told()
        let publisher = try told.publisher("rtmp://127.0.0.1:\(server.port)/app/key") {
            $0.firstDelay = 3_000_000_000
        }
        let begun = ContinuousClock.now
        try await publisher.start()
        #expect(await server.wait { $0.connections.count == 2 ? true : nil } == true)
        // The wait is 2.4 seconds at least; a probe would have come after one.
        #expect(ContinuousClock.now - begun >= .seconds(2))
        #expect(told.events.withLock(Self.interruptions) == 1)
        await publisher.finish()
    }

    @Test func `many messages about networks do not delay the probe`() async throws {
        let server = try StrictServerSocket()
        let url = try RTMPURL("rtmp://127.0.0.1:\(server.port)/app/key")
        let found = Monitor(false)
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        eventLoop.execute {
            let dialer = Dialer(on: eventLoop) { channel in
                channel.close(promise: nil)
                found.signal { $0 = true }
            }
            dialer.probe(.init(url))
            Self.reportNetworks(dialer, on: eventLoop, until: found)
        }
        #expect(await found.next { $0 ? true : nil } == true)
    }

    /// Messages follow one another more quickly than a probe follows a message.
    private static func reportNetworks(_ dialer: Dialer, on eventLoop: any EventLoop, until found: Monitor<Bool>) {
        guard !found.withLock({ $0 }) else { return }
        dialer.networkReturned()
        eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(10)) {
            reportNetworks(dialer, on: eventLoop, until: found)
        }
    }

    @Test func `an address that failed last is left out while the name has another`() throws {
        let (a, b, c) = (
            try SocketAddress(ipAddress: "192.0.2.1", port: 1935),
            try SocketAddress(ipAddress: "203.0.113.2", port: 1935),
            try SocketAddress(ipAddress: "2001:db8::1", port: 1935)
        )
        let dialer = Dialer(on: MultiThreadedEventLoopGroup.singleton.any()) { _ in }
        let target = Dialer.Destination(try RTMPURL("rtmp://name/app/key"))
        #expect(dialer.allowed([a, b], target) == [a, b])
        dialer.lastFailedAddress = a
        #expect(dialer.allowed([a, b], target) == [b])
        #expect(dialer.allowed([a], target) == [a])
        dialer.lastFailedAddress = c
        #expect(dialer.allowed([c, a], target) == [a])
    }

    @Test func `a server redirects its publisher to no address that reaches less far than its own`() throws {
        let addresses = try ["127.0.0.1", "169.254.169.254", "192.168.1.1", "203.0.113.2", "224.0.0.1"].map {
            try SocketAddress(ipAddress: $0, port: 1935)
        }
        let dialer = Dialer(on: MultiThreadedEventLoopGroup.singleton.any()) { _ in }
        let url = try RTMPURL("rtmp://name/app/key")
        func allowed(_ scope: AddressScope?) -> [String] {
            dialer.allowed(addresses, .init(url, narrowest: scope)).compactMap(\.ipAddress)
        }
        #expect(allowed(.global) == ["203.0.113.2"])
        #expect(allowed(.privateNetwork) == ["192.168.1.1", "203.0.113.2"])
        #expect(allowed(.loopback) == ["127.0.0.1", "169.254.169.254", "192.168.1.1", "203.0.113.2"])
        // The user may give any address.
        #expect(allowed(nil).count == 5)
    }

    @Test func `those of the kernel's messages count that announce a way for a connection`() {
        func message(_ type: UInt16, _ body: [UInt8]) -> [UInt8] {
            var bytes: [UInt8] = []
            withUnsafeBytes(of: UInt32(16 + body.count)) { bytes += $0 }
            withUnsafeBytes(of: type) { bytes += $0 }
            return bytes + [UInt8](repeating: 0, count: 10) + body
        }
        func link(_ flags: UInt32) -> [UInt8] {
            var body = [UInt8](repeating: 0, count: 8)
            withUnsafeBytes(of: flags) { body += $0 }
            return message(16, body + [0, 0, 0, 0])
        }
        func isHeard(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes(RouteMessages.announceNetwork) }
        // IFF_UP, IFF_RUNNING, and IFF_LOWER_UP: with a cable and without (netdevice(7)).
        #expect(isHeard(link(0x1_0043)) && !isHeard(link(0x0003)))
        #expect(isHeard(message(20, [1, 2, 3])) && isHeard(message(24, [])))
        // A link, an address, a route that is gone.
        #expect(!isHeard(message(17, [0])) && !isHeard(message(21, [0])) && !isHeard(message(25, [0])))
        #expect(isHeard(message(21, [1, 2, 3]) + [0] + message(24, [])))
        // Truncated, invalid, empty.
        #expect(!isHeard(Array(message(24, [1, 2, 3, 4]).dropLast())) && !isHeard([0, 0, 0, 0]) && !isHeard([]))
        #expect(!isHeard([UInt8](repeating: 0, count: 64)))
    }

    private static func interruptions(_ events: [RTMPEvent]) -> Int {
        events.count { if case .interrupted = $0 { true } else { false } }
    }

    private static func interruptions(_ events: inout [RTMPEvent]) -> Int { interruptions(events) }
}
