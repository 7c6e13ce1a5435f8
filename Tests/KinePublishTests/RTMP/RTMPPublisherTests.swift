// The publisher with real servers, and with servers that misbehave.
import CoreTesting
import KineMedia
import KineRTMP
import RTMPTesting
import Testing

@testable import KinePublish

@Suite(.timeLimit(.minutes(10)), .tags(.real, .margins)) struct RTMPPublisherTests {
    @Test func `everything arrives in order, and the goodbye too`() async throws {
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
        #expect(told.status?.state == .finished && told.status?.droppedFrames == 0)
        #expect(told.status?.server == "Strict/1")
    }

    @Test func `a new connection begins with a keyframe, and timestamps go on`() async throws {
        let server = try StrictServerSocket()
        let told = Told()
        let publisher = try told.publisher("rtmp://127.0.0.1:\(server.port)/app/key")
        try await publisher.start()
        for sample in TestStream.samples(0..<1000) { publisher.publish(sample) }
        #expect(await told.live())
        server.state.withLock { $0.cut = true }
        #expect(await told.accepted(2))
        for sample in TestStream.samples(1520..<3000) { publisher.publish(sample) }
        #expect(await told.live(reconnects: 1))
        await publisher.finish()
        let seen = try #require(await server.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        #expect(seen.violation == nil)
        let arrived = TestStream.samples(in: seen.media)
        // Audio from the beginning, frames from the keyframe on, with the take's timestamps.
        let expected = TestStream.samples(1520..<3000).filter {
            $0.type != .video || $0.presentationTime >= .seconds(2)
        }
        #expect(arrived == expected.map(TestStream.expected))
        #expect(told.keyframes.withLock { $0 } > 0)
    }

    @Test func `a server that stops reading is left and tried again`() async throws {
        let server = try StrictServerSocket()
        let told = Told()
        let publisher = try told.publisher("rtmp://127.0.0.1:\(server.port)/app/key") {
            $0.stallDeadline = 1_000_000_000
        }
        try await publisher.start()
        for sample in TestStream.samples(0..<100) { publisher.publish(sample) }
        #expect(await told.live())
        server.state.withLock { $0.isDeaf = true }
        // More than the kernels at both ends hold, so that some of it has to wait.
        let keyframe = EncodedSample(
            type: .video, presentationTime: .milliseconds(100), duration: .zero, isKeyframe: true,
            data: [UInt8](repeating: 1, count: 1 << 20))
        for _ in 0..<7 { publisher.publish(keyframe) }
        let words = "taken nothing"
        #expect(await told.events.next { $0.contains { Self.isInterrupted($0, words) } ? true : nil } == true)
        server.state.withLock {
            $0.isDeaf = false
            $0.cut = true
        }
        #expect(await told.accepted(2))
        for sample in TestStream.samples(1000..<1100) { publisher.publish(sample) }
        #expect(await told.live(reconnects: 1))
        await publisher.finish()
    }

    @Test func `a network that takes less than the audio is left`() async throws {
        let server = try StrictServerSocket()
        let told = Told()
        let publisher = try told.publisher("rtmp://127.0.0.1:\(server.port)/app/key")
        try await publisher.start()
        server.state.withLock { $0.isDeaf = true }
        // Twelve MiB: more than the kernels at both ends hold, and four.
        for index in 0..<192 {
            publisher.publish(
                EncodedSample(
                    type: .audioApp, presentationTime: .milliseconds(Int64(index) * 20), duration: .zero,
                    isKeyframe: true, data: [UInt8](repeating: 1, count: 1 << 16)))
        }
        let words = "less than the audio"
        #expect(await told.events.next { $0.contains { Self.isInterrupted($0, words) } ? true : nil } == true)
        server.state.withLock { $0.isDeaf = false }
        await publisher.finish()
    }

    @Test func `a server that asks and asks and does not read is not answered without end`() async throws {
        let server = try StrictServerSocket()
        // Far more than the kernels at both ends hold.
        let pings = 256 << 20
        server.state.withLock { $0.pings = pings }
        let told = Told()
        // However slow the machine: what it notices first is to be the answers.
        let publisher = try told.publisher("rtmp://127.0.0.1:\(server.port)/app/key") {
            $0.stallDeadline = 3_600_000_000_000
        }
        try await publisher.start()
        let sent = try #require(await server.wait { $0.pingsSent })
        #expect(sent < pings)
        let words = "asks and reads no answers"
        #expect(await told.events.next { $0.contains { Self.isInterrupted($0, words) } ? true : nil } == true)
        await publisher.finish()
    }

    @Test func `a publisher that is let go says goodbye`() async throws {
        let server = try StrictServerSocket()
        var publisher: RTMPPublisher? = try Told().publisher("rtmp://127.0.0.1:\(server.port)/app/key")
        try await publisher?.start()
        for sample in TestStream.samples(0..<1000) { publisher?.publish(sample) }
        publisher = nil
        let seen = try #require(await server.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        #expect(seen.violation == nil && seen.phase == .deleted)
        #expect(TestStream.samples(in: seen.media) == TestStream.samples(0..<1000).map(TestStream.expected))
    }

    @Test(arguments: [VideoCodec.hevc, .av1])
    func `newer codecs arrive in extended tags`(codec: VideoCodec) async throws {
        let stream = codec == .hevc ? NewerCodec.hevc : NewerCodec.av1
        let server = try StrictServerSocket()
        let settings = try RTMPSettings(setupInfo: ["url": "rtmp://127.0.0.1:\(server.port)/app/key"])
        var format = TestStream.format
        format.video?.codec = codec
        format.video?.decoderConfiguration = stream.configuration
        let publisher = RTMPPublisher(settings, format: format)
        try await publisher.start()
        for (index, bytes) in [stream.keyframe, stream.frame].enumerated() {
            publisher.publish(
                EncodedSample(
                    type: .video, presentationTime: .milliseconds(Int64(index) * 40), duration: .milliseconds(40),
                    isKeyframe: index == 0, data: bytes))
        }
        await publisher.finish()
        let seen = try #require(await server.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        #expect(seen.violation == nil)
        let name = withUnsafeBytes(of: codec.fourCharacterCode.bigEndian) { Array($0) }
        func tag(_ head: UInt8, _ bytes: [UInt8]) -> [UInt8] { [head] + name + bytes }
        let expected = [
            tag(0x90, stream.configuration), tag(0x90 | stream.packetType, stream.delimiter + stream.keyframe),
            tag(0xA0 | stream.packetType, stream.delimiter + stream.frame),
        ]
        let frames = seen.media.filter { $0.type == 9 }
        #expect(frames.map(\.payload) == expected)
        #expect(frames.map(\.timestamp) == [0, 0, 40])
        let metadata = try StrictAMF.read(try #require(seen.media.first).payload)
        let number = name.reduce(0) { $0 * 256 + Int($1) }
        #expect(metadata.last?["videocodecid"] == .number(Double(number)))
    }

    @Test func `audio is announced once there is some`() async throws {
        let server = try StrictServerSocket()
        let publisher = try Told().publisher("rtmp://127.0.0.1:\(server.port)/app/key")
        try await publisher.start()
        for sample in TestStream.samples(0..<500) where sample.type == .video { publisher.publish(sample) }
        // It waits for audio for a second.
        #expect(await server.wait { ($0.connections.last?.media.count ?? 0) > 2 ? true : nil } == true)
        for sample in TestStream.samples(500..<1000) { publisher.publish(sample) }
        await publisher.finish()
        let seen = try #require(await server.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        #expect(seen.violation == nil)
        let expected = TestStream.samples(0..<1000).filter {
            $0.type == .video || $0.presentationTime >= .milliseconds(500)
        }
        #expect(TestStream.samples(in: seen.media) == expected.map(TestStream.expected))
        let metadata = try seen.media.filter { $0.type == 18 }.map { try StrictAMF.read($0.payload).last }
        #expect(metadata.map { $0?["audiocodecid"] != nil } == [false, true])
    }

    @Test func `a refused key is not tried again`() async throws {
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

    @Test func `a redirection is followed at a keyframe without a loss`() async throws {
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

    @Test func `what waits when the broadcast ends still goes, and then the goodbye`() async throws {
        let server = try StrictServerSocket()
        let publisher = try Told().publisher("rtmp://127.0.0.1:\(server.port)/app/key")
        try await publisher.start()
        server.state.withLock { $0.isDeaf = true }
        let frames = Self.largeFrames(7)
        for frame in frames { publisher.publish(frame) }
        async let finished = publisher.finish()
        // However often that is asked for.
        async let again = publisher.finish()
        server.state.withLock { $0.isDeaf = false }
        _ = await finished
        _ = await again
        let seen = try #require(await server.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        #expect(seen.violation == nil && seen.phase == .deleted)
        #expect(TestStream.samples(in: seen.media) == frames.map(TestStream.expected))
    }

    @Test(arguments: [true, false])
    func `a server that does not read the rest does not delay the end, and one that read nothing took nothing`(
        wasLive: Bool
    ) async throws {
        let server = try StrictServerSocket()
        let told = Told()
        let publisher = try told.publisher("rtmp://127.0.0.1:\(server.port)/app/key")
        try await publisher.start()
        if wasLive {
            for sample in TestStream.samples(0..<100) { publisher.publish(sample) }
            #expect(await told.live())
        }
        server.state.withLock { $0.isDeaf = true }
        for frame in Self.largeFrames(7) { publisher.publish(frame) }
        let begun = ContinuousClock.now
        let failure = await publisher.finish()
        Margin.atMost(6, (ContinuousClock.now - begun) / .seconds(1), "s", "the end beside a server that does not read")
        #expect(told.status?.state == (wasLive ? .finished : .failed))
        #expect(failure?.code == (wasLive ? nil : .neverAccepted))
        server.state.withLock { $0.isDeaf = false }
        // What went before arrived; the goodbye did not.
        let seen = try #require(await server.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        #expect(seen.phase != .deleted)
    }

    @Test func `after a redirection a server that does not read the rest is left`() async throws {
        let (first, second) = (try StrictServerSocket(), try StrictServerSocket())
        let told = Told()
        let publisher = try told.publisher("rtmp://127.0.0.1:\(first.port)/app/key")
        try await publisher.start()
        for sample in TestStream.samples(0..<500) { publisher.publish(sample) }
        #expect(await first.wait { ($0.connections.last?.media.count ?? 0) > 0 ? true : nil } == true)
        let address = "rtmp://127.0.0.1:\(second.port)/app"
        first.state.withLock {
            $0.isDeaf = true
            $0.hearsResets = true
            $0.request = .some(address)
        }
        #expect(await told.keyframes.next { $0 > 0 ? true : nil } == true)
        // All before the keyframe goes to the first server.
        for frame in Self.largeFrames(7, areKeyframes: false) { publisher.publish(frame) }
        for sample in TestStream.samples(1000..<1500) { publisher.publish(sample) }
        #expect(await second.wait { ($0.connections.last?.media.count ?? 0) > 0 ? true : nil } == true)
        let abandoned = try #require(await first.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        #expect(abandoned.violation == "reset")
        await publisher.finish()
    }

    /// More than the kernels at both ends hold, so that some of it has to wait.
    private static func largeFrames(_ count: Int, areKeyframes: Bool = true) -> [EncodedSample] {
        (0..<count).map { index in
            EncodedSample(
                type: .video, presentationTime: .milliseconds(100 + Int64(index) * 40), duration: .zero,
                isKeyframe: areKeyframes, data: [UInt8](repeating: UInt8(index), count: 1 << 20))
        }
    }

    @Test func `a server that is not there is tried as often as was set`() async throws {
        let told = Told()
        // Port 1 of this machine: nobody listens.
        let publisher = try told.publisher("rtmp://127.0.0.1:1/app/key") { $0.retries = 1 }
        try await publisher.start()
        #expect(
            await told.events.next { $0.contains { if case .failed = $0 { true } else { false } } ? true : nil } == true
        )
        #expect(told.interruptions == 1 && told.failures.count == 1)
        #expect(told.failures.first?.kind == .unreachable)
        #expect(told.failures.first?.description.contains("Connection refused") == true)
        await publisher.finish()
    }

    private static func isInterrupted(_ event: RTMPEvent, _ words: String) -> Bool {
        if case .interrupted(let failure, _) = event { failure.description.contains(words) } else { false }
    }
}
