// The publisher's stream as ffmpeg receives it, tag for tag; RTMPBroadcastTests has nginx.
import CoreTesting
import KineMeasure
import KineMedia
import KinePlatform
import KinePublish
import KineRTMP
import Testing

@Suite(.timeLimit(.minutes(10)), .tags(.real)) struct RealServerTests {
    @Test func `ffmpeg as a server gets every sample at its time`() async throws {
        let folder = try TemporaryDirectory()
        let port = try Loopback.freePort()
        // Really encoded, since ffmpeg reads the frames before it writes them. All of it is published at once, so it is shorter
        // than what the queue holds.
        let maker = try ServerProgram(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=25:duration=2", "-f", "lavfi", "-i",
                "sine=frequency=440:duration=2", "-c:v", "libx264", "-bf", "0", "-g", "25", "-c:a", "aac", "-ar",
                "48000", "-ac", "2", folder.file("source.flv"),
            ])
        #expect(maker.wait() == .exited(status: 0))
        let source = try FLVFile.read(folder.file("source.flv"))
        let address = "rtmp://127.0.0.1:\(port)/live/show"
        let server = try ServerProgram(
            "ffmpeg",
            ["-v", "error", "-listen", "1", "-i", address, "-c", "copy", "-copyts", "-y", folder.file("got.flv")],
            log: folder.file("log"))
        var format = TestStream.format
        format.video?.decoderConfiguration = try Self.header(9, 5, source)
        format.audio?.configuration = try Self.header(8, 2, source)
        let told = Told()
        let publisher = RTMPPublisher(try RTMPSettings(setupInfo: ["url": address]), format: format) { told.note($0) }
        let samples = source.filter(\.isSample)
        try await Self.startWhenThere(publisher, told)
        for tag in samples {
            publisher.publish(
                EncodedSample(
                    type: tag.type == 9 ? .video : .audioApp, presentationTime: .milliseconds(Int64(tag.timestamp)),
                    duration: .zero, isKeyframe: tag.type == 8 || tag.isKeyframe,
                    data: Array(tag.accessUnit)))
        }
        await publisher.finish()
        await Self.ended(server)
        let got = try FLVFile.read(folder.file("got.flv")).filter(\.isSample)
        for type in [8, 9] {
            let (sent, arrived) = (samples.filter { $0.type == type }, got.filter { $0.type == type })
            #expect(arrived.map(\.payloadWithoutDelimiter) == sent.map(\.payload))
            #expect(arrived.map(\.timestamp) == sent.map(\.timestamp))
            #expect(type == 8 || arrived.allSatisfy { $0.payload != $0.payloadWithoutDelimiter })
        }
    }

    /// A server needs a moment before it listens; until then the publisher tries again by itself.
    private static func startWhenThere(_ publisher: RTMPPublisher, _ told: Told) async throws {
        try await publisher.start()
        #expect(await told.accepted())
    }

    private static func header(_ type: Int, _ length: Int, _ tags: [FLVTag]) throws -> [UInt8] {
        let tag = try #require(tags.first { $0.type == type && $0.payload[1] == 0 })
        return Array(tag.payload.dropFirst(length))
    }

    private static func ended(_ program: ServerProgram) async {
        await withCheckedContinuation { continuation in
            _ = DedicatedThread(name: "test-wait") {
                program.wait()
                continuation.resume()
            }
        }
    }
}
