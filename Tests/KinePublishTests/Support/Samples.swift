// Samples that no decoder will ever see: only how they are passed on matters here.
import KineLive
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

    static let state = LiveRecord(.state, content: [])
}

extension SampleHistory<LiveRecord> {
    /// A history of H.264.
    init(byteLimit: Int = 8 << 20) { self.init(codec: .video(.h264), byteLimit: byteLimit) }

    /// Appends a sample, whose record has a fragment header of three bytes.
    mutating func append(_ type: SampleType = .video, key: Bool = false, bytes: Int = 100, at seconds: Double) {
        let sample = LiveSample(
            type: type, codec: type == .video ? .video(.h264) : .audio(.aac), presentationTime: .seconds(seconds),
            isKeyframe: key)
        let record = [UInt8](repeating: 7, count: bytes).withUnsafeBytes {
            LiveRecord(sample, fragmentHeader: [1, 2, 3], accessUnit: $0)
        }
        append(record, of: sample, at: Int64(seconds * 1e9))
    }
}
