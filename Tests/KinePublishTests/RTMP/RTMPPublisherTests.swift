// The publisher with real servers, and with servers that misbehave.
import KineMedia
import KineRTMP
import RTMPTesting
import Testing

@testable import KinePublish

@Suite(.timeLimit(.minutes(2))) struct RTMPPublisherTests {
    @Test func everythingArrivesInOrderAndTheGoodbyeToo() async throws {
        let server = try StrictServerSocket()
        let told = Told()
        let publisher = try told.publisher("rtmp://127.0.0.1:\(server.port)/app/key?token=a/b")
        try await publisher.start()
        let samples = TestStream.samples(0..<3000)
        for sample in samples { publisher.publish(sample) }
        await publisher.finish()
        let seen = try #require(await server.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        #expect(seen.violation == nil)
        #expect(seen.streamName == "key?token=a/b")
        let arrived = TestStream.samples(in: seen.media)
        #expect(arrived == samples.map(TestStream.expected))
        #expect(told.status?.state == .finished && told.status?.droppedPictures == 0)
        #expect(told.status?.server == "Strict/1")
    }

    @Test func aLostConnectionIsMadeAnewFromAKeyframeAndTimesGoOn() async throws {
        let server = try StrictServerSocket()
        let told = Told()
        let publisher = try told.publisher("rtmp://127.0.0.1:\(server.port)/app/key")
        try await publisher.start()
        for sample in TestStream.samples(0..<1000) { publisher.publish(sample) }
        #expect(await server.wait { ($0.connections.last?.media.count ?? 0) > 50 ? true : nil } == true)
        server.state.withLock { $0.cut = true }
        #expect(await server.wait { $0.connections.first?.isOver == true ? true : nil } == true)
        #expect(await server.wait { $0.connections.last?.phase == .metadata ? true : nil } == true)
        #expect(await told.events.next { $0.contains { Self.isReconnected($0) } ? true : nil } == true)
        for sample in TestStream.samples(1520..<3000) { publisher.publish(sample) }
        await publisher.finish()
        let seen = try #require(await server.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        #expect(seen.violation == nil)
        let arrived = TestStream.samples(in: seen.media)
        // Sound from the beginning; pictures from the keyframe on, with the take's times.
        let expected = TestStream.samples(1520..<3000).filter {
            $0.type != .video || $0.presentationTime >= .seconds(2)
        }
        #expect(arrived == expected.map(TestStream.expected))
        #expect(told.keyframes.withLock { $0 } > 0)
    }

    @Test func aServerThatStopsReadingIsLeftAndTriedAgain() async throws {
        let server = try StrictServerSocket()
        let told = Told()
        let publisher = try told.publisher("rtmp://127.0.0.1:\(server.port)/app/key") {
            $0.stallDeadline = 1_000_000_000
        }
        try await publisher.start()
        server.state.withLock { $0.isDeaf = true }
        // More than the kernels at both ends hold, so that some of it has to wait.
        let keyframe = EncodedSample(
            type: .video, presentationTime: .zero, duration: .zero, isKeyframe: true,
            data: [UInt8](repeating: 1, count: 1 << 20))
        for _ in 0..<7 { publisher.publish(keyframe) }
        #expect(await told.events.next { $0.contains { Self.isInterrupted($0) } ? true : nil } == true)
        server.state.withLock {
            $0.isDeaf = false
            $0.cut = true
        }
        #expect(await told.events.next { $0.contains { Self.isReconnected($0) } ? true : nil } == true)
        await publisher.finish()
    }

    @Test func aRefusedKeyIsNotTriedAgain() async throws {
        let server = try StrictServerSocket(
            .refusesPublish(code: "NetStream.Publish.BadName", description: "unknown stream"))
        let told = Told()
        let publisher = try told.publisher("rtmp://127.0.0.1:\(server.port)/app/secret-key")
        let failure = await #expect(throws: PublishFailure.self) { try await publisher.start() }
        #expect(failure?.kind == .refused && failure?.description.contains("secret-key") == false)
        #expect(told.failures.count == 1)
        await publisher.finish()
        #expect(server.state.withLock(\.connections).count == 1)
    }

    @Test func aRequestToReconnectIsFollowedAtAKeyframeWithoutALoss() async throws {
        let (first, second) = (try StrictServerSocket(), try StrictServerSocket())
        let told = Told()
        let publisher = try told.publisher("rtmp://127.0.0.1:\(first.port)/app/key")
        try await publisher.start()
        for sample in TestStream.samples(0..<1000) { publisher.publish(sample) }
        let address = "rtmp://127.0.0.1:\(second.port)/other"
        first.state.withLock { $0.request = .some(address) }
        #expect(await told.keyframes.next { $0 > 0 ? true : nil } == true)
        for sample in TestStream.samples(1000..<2000) { publisher.publish(sample) }
        #expect(await second.wait { ($0.connections.last?.media.count ?? 0) > 0 ? true : nil } == true)
        await publisher.finish()
        let before = try #require(await first.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        let after = try #require(await second.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        #expect(before.violation == nil && after.violation == nil)
        #expect(after.connect["app"] == .string("other"))
        let arrived = TestStream.samples(in: before.media) + TestStream.samples(in: after.media)
        #expect(arrived == TestStream.samples(0..<2000).map(TestStream.expected))
    }

    @Test func nobodyThereIsTriedAsOftenAsWasSaid() async throws {
        let told = Told()
        // Port 1 of this machine: nobody listens.
        let publisher = try told.publisher("rtmp://127.0.0.1:1/app/key") { $0.retries = 1 }
        try await publisher.start()
        #expect(
            await told.events.next { $0.contains { if case .failed = $0 { true } else { false } } ? true : nil } == true
        )
        #expect(told.failures.first?.kind == .unreachable)
        #expect(told.failures.first?.description.contains("Connection refused") == true)
        await publisher.finish()
    }

    private static func isInterrupted(_ event: RTMPEvent) -> Bool {
        if case .interrupted(let failure, _) = event { failure.description.contains("taken nothing") } else { false }
    }

    private static func isReconnected(_ event: RTMPEvent) -> Bool {
        if case .status(let status) = event { status.state == .live && status.reconnects == 1 } else { false }
    }
}
