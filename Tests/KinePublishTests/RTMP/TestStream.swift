// A stream whose every sample can be told from every other, and what arrives of it.
import KineMedia
import KinePlatform
import KinePublish
import KineRTMP
import RTMPTesting

enum TestStream {
    static let format = RTMPStreamFormat(
        video: .init(
            codec: .h264, decoderConfiguration: [1, 0x64, 0, 0x1F, 0xFF], width: 1280, height: 720, framesPerSecond: 25,
            bitrate: 2_000_000),
        audio: .init(specificConfiguration: [0x11, 0x90], sampleRate: 48000, channels: 2, bitrate: 160_000))

    /// Pictures every 40 ms with a keyframe each second, sound every 20 ms, from one time to another in milliseconds.
    static func samples(_ times: Range<Int64>) -> [EncodedSample] {
        stride(from: times.lowerBound, to: times.upperBound, by: 20).flatMap { time in
            var samples: [EncodedSample] = []
            func add(_ type: SampleType, _ isKeyframe: Bool, _ count: Int) {
                samples.append(
                    EncodedSample(
                        type: type, presentationTime: .milliseconds(time), duration: .milliseconds(20),
                        isKeyframe: isKeyframe,
                        data: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ Int(time) &* 7) }))
            }
            if time % 40 == 0 { add(.video, time % 1000 == 0, time % 1000 == 0 ? 70_000 : 3000 + Int(time % 97)) }
            add(.audioApp, true, 200)
            return samples
        }
    }

    /// The message that each sample has to become.
    static func expected(_ sample: EncodedSample) -> StrictRTMPServer.Message {
        let isVideo = sample.type == .video
        let head: [UInt8] = isVideo ? [sample.isKeyframe ? 0x17 : 0x27, 1, 0, 0, 0] : [0xAF, 1]
        return .init(
            chunkStream: isVideo ? 6 : 4, type: isVideo ? 9 : 8, streamID: 1,
            timestamp: UInt32(sample.presentationTime.ticks(timescale: 1000)), payload: head + sample.data)
    }

    /// Without metadata and sequence headers.
    static func samples(in media: [StrictRTMPServer.Message]) -> [StrictRTMPServer.Message] {
        media.filter { $0.type != 18 && $0.payload.count > 1 && $0.payload[1] == 1 }
    }
}

/// What a publisher has told so far.
final class Told: Sendable {
    let events = Monitor<[RTMPEvent]>([])
    let keyframes = Monitor(0)

    func note(_ event: RTMPEvent) { events.signal { $0.append(event) } }

    var failures: [PublishFailure] {
        events.withLock { $0.compactMap { if case .failed(let failure) = $0 { failure } else { nil } } }
    }
    var status: RTMPStatus? {
        events.withLock { $0.compactMap { if case .status(let status) = $0 { status } else { nil } }.last }
    }

    func publisher(_ address: String, _ change: (inout RTMPSettings) -> Void = { _ in }) throws -> RTMPPublisher {
        var settings = RTMPSettings(url: try RTMPURL(address))
        change(&settings)
        return RTMPPublisher(
            settings, format: TestStream.format, wantsKeyframe: { self.keyframes.signal { $0 += 1 } },
            observe: { self.note($0) })
    }
}
