// The output of encoders, given to the publisher as it comes.
import CodecTesting
import CoreTesting
import KineCodecs
import KineContainers
import KineMedia
import KinePublish
import KineRTMP
import RTMPTesting
import Testing

@Suite(.timeLimit(.minutes(10)), .tags(.real)) struct EncodedPublishingTests {
    private static let size = PixelSize(width: 320, height: 192)

    /// A second of text and of silence.
    private func samples(_ video: OpenH264Encoder, _ audio: AACTrackEncoder) throws -> [EncodedSample] {
        var generator = SeededGenerator(seed: 2)
        let frame = TestFrame(size: Self.size)
        var samples: [EncodedSample] = []
        for number in 0..<30 {
            frame.write(frame.randomRect(using: &generator), using: &generator)
            samples.append(
                try video.encode(
                    frame.planes, changed: .full(size: Self.size), at: MediaTime(ticks: Int64(number), timescale: 30),
                    forceKeyframe: number == 15))
        }
        let silence = [Float](repeating: 0, count: audio.encoder.samplesPerFrame * audio.encoder.channels)
        for _ in 0..<48 {
            try audio.encode(interleaved: silence.span) { samples.append(audio.sample($0, type: .audioApp)) }
        }
        return samples.sorted { $0.presentationTime < $1.presentationTime }
    }

    @Test func `access units, parameter sets and the audio's format arrive as the encoders gave them`() async throws {
        let video = try OpenH264Encoder(
            VideoEncoderSettings(
                size: Self.size, rateControl: .averageBitrate(1_000_000), nominalFrameRate: 30))
        let audio = AACTrackEncoder(encoder: try AACEncoder(sampleRate: 48000, channels: 2, bitrate: 128_000))
        let sets = VideoParameterSets.h264(video.h264ParameterSets)
        let format = RTMPStreamFormat(
            video: .init(
                VideoFormat(parameterSets: sets, size: Self.size), framesPerSecond: 30, bitrate: 1_000_000),
            audio: audio.encoder.trackFormat(.audioApp))
        let server = try StrictServerSocket()
        let publisher = RTMPPublisher(
            try RTMPSettings(setupInfo: ["url": "rtmp://127.0.0.1:\(server.port)/app/key"]), format: format)
        try await publisher.start()
        let samples = try samples(video, audio)
        for sample in samples { publisher.publish(sample) }
        await publisher.finish()
        let seen = try #require(await server.wait { $0.connections.last.flatMap { $0.isOver ? $0 : nil } })
        #expect(seen.violation == nil)
        // The audio's priming comes before the stream begins.
        let expected = samples.filter { $0.presentationTime >= .zero }.map(TestStream.expected)
        #expect(TestStream.samples(in: seen.media) == expected)
        let headers = seen.media.filter { $0.type != 18 && $0.payload.count > 1 && $0.payload[1] == 0 }.map(\.payload)
        #expect(headers.contains([0x17, 0, 0, 0, 0] + sets.decoderConfigurationRecord))
        #expect(headers.contains([0xAF, 0] + audio.encoder.audioSpecificConfig))
    }
}
