// Frames that change their size while they are published: what the publisher tells the server, and what nginx records.
import CoreTesting
import KineMeasure
import KineMedia
import KinePlatform
import KineRTMP
import RTMPTesting
import Testing

@testable import KinePublish

@Suite(.timeLimit(.minutes(10)), .tags(.real)) struct RTMPFormatChangeTests {
    /// - Parameter isBurst: the publisher gets all samples at once.
    @Test(arguments: [false, true])
    func `a new format is announced before its keyframe, and to the next connection at once`(isBurst: Bool) async throws
    {
        let format = VideoFormat(
            parameterSets: .h264(H264ParameterSets(sequence: [0x67, 0x64, 0, 0x1F, 1], picture: [0x68, 2])),
            size: PixelSize(width: 640, height: 480))
        func samples(_ times: Range<Int64>) -> [EncodedSample] {
            TestStream.samples(times).map { sample in
                var sample = sample
                if sample.type == .video, sample.isKeyframe, sample.presentationTime > .zero { sample.format = format }
                return sample
            }
        }
        let header = VideoTag.sequenceHeader(
            RTMPStreamFormat.Video(format, framesPerSecond: 25, bitrate: 2_000_000))
        let server = try StrictServerSocket()
        let told = Told()
        let publisher = try told.publisher("rtmp://127.0.0.1:\(server.port)/app/key")
        try await publisher.start()
        // The publisher holds back a single sample of audio until another sample follows, so the stream ends with a frame.
        let first = samples(0..<1980).dropLast()
        let isPublished = Monitor(!isBurst)
        publisher.loop.eventLoop.execute {
            _ = isPublished.wait(until: WaitLimit.deadline()) { $0 ? true : nil }
        }
        for sample in first { publisher.publish(sample) }
        isPublished.signal { $0 = true }
        #expect(await told.live())
        // Metadata, and a sequence header of each track; then metadata and the new header.
        let count = first.count + 3 + 2
        let before = try #require(
            await server.wait { $0.connections.last.flatMap { $0.media.count == count ? $0 : nil } })
        let again = try #require(before.media.lastIndex { $0.type == 18 })
        #expect(try StrictAMF.read(before.media[again].payload).last?["width"] == .number(640))
        #expect(before.media[again + 1].payload == header)
        #expect(before.media[again...].prefix(3).map(\.timestamp) == [1000, 1000, 1000])
        #expect(before.media[again + 2].payload.first == 0x17)
        #expect(TestStream.samples(in: before.media) == first.map(TestStream.expected))
        server.state.withLock { $0.cut = true }
        #expect(await told.accepted(2))
        for sample in samples(3000..<3500) { publisher.publish(sample) }
        #expect(await told.live(reconnects: 1))
        await publisher.finish()
        let seen = try #require(await server.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        #expect(seen.violation == nil)
        #expect(seen.media.filter { $0.type == 18 }.count == 1)
        #expect(seen.media.first { $0.type == 9 }?.payload == header)
    }

    @Test func `nginx gets the header of each format, and its file plays`() async throws {
        let stream = try ChangingStream()
        let server = try MediaServer(diesWithThread: false)
        let video = RTMPStreamFormat.Video(
            stream.formats[0], framesPerSecond: Double(ChangingStream.framesPerSecond))
        let publisher = RTMPPublisher(
            try RTMPSettings(setupInfo: ["url": server.address("show")]),
            format: RTMPStreamFormat(video: video, audio: nil))
        try await publisher.start()
        let count = 2 * ChangingStream.framesPerSecond
        for number in 0..<count { publisher.publish(stream.sample(number)) }
        let failure = await publisher.finish()
        #expect(failure == nil)
        // All frames are there before nginx has seen the end of the connection.
        try await wait(for: "all frames in nginx's file") { (try? server.recorded("show").count) == count }
        let tags = try FLVFile.read(server.file("show")).filter { $0.type == 9 }
        let change = try #require(
            tags.lastIndex { !$0.isSample && $0.payload.dropFirst().first == 0 }, "no sequence header")
        #expect(tags[..<change].count(where: \.isSample) == ChangingStream.framesPerSecond)
        let changed = RTMPStreamFormat.Video(
            stream.formats[1], framesPerSecond: Double(ChangingStream.framesPerSecond))
        #expect(tags[change].payload == VideoTag.sequenceHeader(changed))
        let sizes = try Tool.output(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v", "-show_entries", "frame=width,height", "-of", "csv=p=0",
                server.file("show"),
            ])
        let expected = ChangingStream.sizes.flatMap {
            [String](repeating: "\($0.width),\($0.height)", count: ChangingStream.framesPerSecond)
        }
        #expect(sizes.split(separator: "\n").map(String.init) == expected)
    }
}
