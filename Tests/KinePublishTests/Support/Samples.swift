// Samples that no decoder will ever see: only how they are passed on matters here.
import KineMedia
import NIOCore

@testable import KinePublish

enum Samples {
    static let video = VideoFormat(
        parameterSets: .h264(H264ParameterSets(sequence: [0x67, 0x64, 0x00, 0x28, 1], picture: [0x68, 2])),
        size: PixelSize(width: 640, height: 360))

    static func audio(_ type: SampleType) -> AudioFormat {
        AudioFormat(
            type: type, codec: .aac, sampleRate: 48000, channels: 2, bitrate: 128_000, configuration: [0x11, 0x90],
            samplesPerAccessUnit: 1024, primingSamples: 1024)
    }

    static let format = LiveFormat(video: video, audio: [audio(.audioApp)])

    /// Frame `number` of a stream with a keyframe every `interval`, 30 a second.
    static func frame(_ number: Int, bytes: Int = 100, interval: Int = 10) -> EncodedSample {
        EncodedSample(
            type: .video, presentationTime: MediaTime(ticks: Int64(number), timescale: 30), duration: .zero,
            isKeyframe: number % interval == 0,
            data: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes))
    }

    static func record(
        _ type: SampleType = .video, key: Bool = false, bytes: Int = 100, at seconds: Double = 0
    ) -> LiveRecord {
        [UInt8](repeating: 7, count: bytes).withUnsafeBytes {
            LiveRecord(
                sample: type, fragmentHeader: [1, 2, 3], accessUnit: $0, time: .seconds(seconds), isKeyframe: key,
                arrival: Int64(seconds * 1e9))
        }
    }

    static let state = LiveRecord(.state, content: [], arrival: 0)
}
