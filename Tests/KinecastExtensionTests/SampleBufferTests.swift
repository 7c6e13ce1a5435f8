// The properties and bytes of the samples that a handler gets.
import Glibc
import KineMedia
import KineRings
import KinecastExtension
import KinecastExtensionTesting
import Testing

@Suite @BroadcastActor struct SampleBufferTests {
    /// Copies what can be copied of each sample.
    final class Collector: BroadcastSampleHandler {
        struct Seen {
            var type: SampleBufferType
            var format: SampleFormat
            var time: MediaTime
            var isKeyframe: Bool
            var isDiscontinuity: Bool
            var orientation: Orientation
            var damage: DamageRegion?
            var bytes: [UInt8]
            var pixels: [UInt8]?
        }
        private(set) var seen: [Seen] = []

        override func processSampleBuffer(
            _ sampleBuffer: borrowing SampleBuffer, with sampleBufferType: SampleBufferType
        ) async {
            seen.append(
                Seen(
                    type: sampleBufferType, format: sampleBuffer.format, time: sampleBuffer.presentationTime,
                    isKeyframe: sampleBuffer.isKeyframe, isDiscontinuity: sampleBuffer.isDiscontinuity,
                    orientation: sampleBuffer.orientation, damage: sampleBuffer.damage,
                    bytes: sampleBuffer.withBytes { span in span.withUnsafeBytes { Array($0) } },
                    pixels: sampleBuffer.withPixels { $0.copy() }))
        }
    }

    @Test(arguments: [PixelFormat.i420, .nv12, .bgra])
    func `a frame's pixels, time, damage and orientation are those that were sent`(format: PixelFormat) async throws {
        let size = PixelSize(width: 37, height: 21)
        let rehearsal = try ExtensionRehearsal(Collector.self, feed: RehearsalFeed(video: .raw(format, size)))
        try await rehearsal.start()
        let time = MediaTime(nanoseconds: 1_000_000_007)
        let corner = PixelRect(x: 17, y: 1, width: 2, height: 2)
        try await rehearsal.sendFrame(at: time, damage: [corner], orientation: .left) { $0.fill([10, 20, 30]) }
        #expect(await rehearsal.finish() == .finished)
        let seen = try #require(rehearsal.handler.seen.first)
        #expect(seen.format == .raw(format, size: size))
        #expect(seen.time == time && seen.orientation == .left && seen.isKeyframe)
        #expect(seen.damage?.rectangles() == [PixelRect(x: 16, y: 0, width: 16, height: 16)])
        let (luma, chroma) = (38 * 22, 19 * 11)
        let expected: [UInt8] =
            switch format {
            case .i420:
                [UInt8](repeating: 10, count: luma) + [UInt8](repeating: 20, count: chroma)
                    + [UInt8](repeating: 30, count: chroma)
            case .nv12: [UInt8](repeating: 10, count: luma) + [UInt8](repeating: 20, count: 2 * chroma)
            case .bgra: [UInt8](repeating: 10, count: 4 * luma)
            }
        #expect(seen.pixels == expected)
    }

    @Test func `encoded frames and audio come as bytes, without pixels`() async throws {
        let feed = RehearsalFeed(
            video: .encoded(PixelSize(width: 64, height: 48)), appAudio: .pcm, micAudio: .aac)
        let rehearsal = try ExtensionRehearsal(Collector.self, feed: feed)
        try await rehearsal.start()
        try await rehearsal.sendFrames(2)
        try await rehearsal.sendAudio(.audioApp, duration: .seconds(0.02))
        try await rehearsal.sendAudio(.audioMic, duration: .seconds(0.02))
        #expect(await rehearsal.finish() == .finished)
        let seen = rehearsal.handler.seen
        try #require(seen.count == 4)
        #expect(seen.map(\.isKeyframe) == [true, false, true, true])
        #expect(seen.allSatisfy { $0.pixels == nil && $0.damage == nil && !$0.isDiscontinuity })
        #expect(seen[0].bytes[4] == 0x65 && seen[1].bytes[4] == 0x41)
        #expect(seen[2].format == .pcm(sampleRate: 48000, channels: 2))
        #expect(seen[2].bytes.count == 1024 * 2 * 4)
        #expect(seen[3].bytes == [0x21, 0x10, 0x04, 0x60, 0x8c, 0x1c])
        #expect(seen[1].time == MediaTime(ticks: 1, timescale: 30))
    }

    @Test func `each frame has the format that its keyframe began`() async throws {
        let rehearsal = try ExtensionRehearsal(
            Collector.self, feed: RehearsalFeed(video: .encoded(PixelSize(width: 64, height: 48))))
        try await rehearsal.start()
        try await rehearsal.sendFrames(2)
        let format = VideoFormat(
            parameterSets: .h264(H264ParameterSets(sequence: [0x67, 1], picture: [0x68, 2])),
            size: PixelSize(width: 32, height: 16))
        for second in 1...2 {
            try await rehearsal.send(
                EncodedSample(
                    type: .video, presentationTime: .seconds(Double(second)), duration: .zero, isKeyframe: second == 1,
                    data: [0, 0, 0, 1, 0x65], format: second == 1 ? format : nil))
        }
        #expect(await rehearsal.finish() == .finished)
        let seen = rehearsal.handler.seen.map(\.format)
        try #require(seen.count == 4)
        #expect(seen[0] == rehearsal.handler.context.video && seen[1] == seen[0])
        #expect(seen[2] == .encoded(format) && seen[3] == seen[2])
    }
}
