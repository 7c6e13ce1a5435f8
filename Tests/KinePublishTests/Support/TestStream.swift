// A stream whose every sample can be told from every other, and what arrives of it.
import KineMedia
import KinePlatform
import KinePublish
import KineRTMP
import RTMPTesting

enum TestStream {
    static let format = RTMPStreamFormat(
        video: .init(
            codec: .h264, decoderConfiguration: [1, 0x64, 0, 0x1F, 0xFF], size: PixelSize(width: 1280, height: 720),
            framesPerSecond: 25, bitrate: 2_000_000),
        audio: .init(
            type: .audioApp, codec: .aac, sampleRate: 48000, channels: 2, bitrate: 160_000,
            configuration: [0x11, 0x90], samplesPerAccessUnit: 1024, primingSamples: 1024))

    /// A frame every 40 ms with a keyframe each second, and audio every 20 ms, from one time to another in milliseconds.
    static func samples(_ times: Range<Int64>) -> [EncodedSample] {
        stride(from: times.lowerBound, to: times.upperBound, by: 20).flatMap { time in
            var samples: [EncodedSample] = []
            func add(_ type: SampleType, _ isKeyframe: Bool, _ count: Int) {
                samples.append(
                    EncodedSample(
                        type: type, presentationTime: .milliseconds(time), duration: .milliseconds(20),
                        isKeyframe: isKeyframe,
                        data: unit(type, isKeyframe, count, at: time)))
            }
            if time % 40 == 0 { add(.video, time % 1000 == 0, time % 1000 == 0 ? 70_000 : 3000 + Int(time % 97)) }
            add(.audioApp, true, 200)
            return samples
        }
    }

    /// A frame is one slice behind its length (ISO/IEC 14496-15, 5.3.4.2).
    private static func unit(_ type: SampleType, _ isKeyframe: Bool, _ count: Int, at time: Int64) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ Int(time) &* 7) }
        guard type == .video else { return bytes }
        let length = (0..<4).map { UInt8(truncatingIfNeeded: (count - 4) >> (24 - 8 * $0)) }
        return length + [isKeyframe ? 0x65 : 0x41] + bytes.dropFirst(5)
    }

    /// What goes before each frame: an access unit delimiter (ITU-T H.264, 7.3.2.4) behind its length.
    static let delimiter: [UInt8] = [0, 0, 0, 2, 9, 0xF0]

    /// The message that each sample has to become.
    static func expected(_ sample: EncodedSample) -> StrictRTMPServer.Message {
        let isVideo = sample.type == .video
        let head: [UInt8] = isVideo ? [sample.isKeyframe ? 0x17 : 0x27, 1, 0, 0, 0] + delimiter : [0xAF, 1]
        return .init(
            chunkStream: isVideo ? 6 : 4, type: isVideo ? 9 : 8, streamID: 1,
            timestamp: UInt32(sample.presentationTime.ticks(timescale: 1000)), payload: head + sample.data)
    }

    /// Without metadata and sequence headers.
    static func samples(in media: [StrictRTMPServer.Message]) -> [StrictRTMPServer.Message] {
        media.filter { $0.type != 18 && $0.payload.count > 1 && $0.payload[1] == 1 }
    }
}

/// The smallest that has the form: a configuration record, a keyframe and a frame after it.
struct NewerCodec {
    /// VideoPacketType of a frame: CodedFramesX, or CodedFrames (Enhanced RTMP v2, "ExVideoTagHeader").
    let packetType: UInt8
    let configuration: [UInt8]
    let keyframe: [UInt8]
    let frame: [UInt8]
    /// What goes before each frame (ITU-T H.265, 7.3.2.5).
    var delimiter: [UInt8] { packetType == 3 ? [0, 0, 0, 3, 0x46, 1, 0x50] : [] }

    /// hvcC (ISO/IEC 14496-15, 8.3.2.1.2): Main at level 3.1, one parameter set of each kind. Slices behind their lengths.
    static let hevc = NewerCodec(
        packetType: 3,
        configuration: [
            1, 1, 0x60, 0, 0, 0, 0x90, 0, 0, 0, 0, 0, 93, 0xF0, 0, 0xFC, 0xFD, 0xF8, 0xF8, 0, 0, 0x0F, 3, 0xA0, 0, 1,
            0, 3, 0x40, 1, 0x0C, 0xA1, 0, 1, 0, 3, 0x42, 1, 1, 0xA2, 0, 1, 0, 3, 0x44, 1, 0xC1,
        ],
        keyframe: [0, 0, 0, 5, 0x26, 1, 0xAF, 0x1B, 0x80], frame: [0, 0, 0, 4, 2, 1, 0xD0, 0x80])

    /// av1C (AV1 Codec ISO Media File Format Binding, 2.3.3). A sequence header and a frame, each OBU with its size.
    static let av1 = NewerCodec(
        packetType: 1, configuration: [0x81, 0, 0x0C, 0, 0x0A, 3, 0, 0, 0],
        keyframe: [0x0A, 3, 0, 0, 0, 0x32, 4, 0x10, 1, 2, 3], frame: [0x32, 3, 0x30, 4, 5])
}

/// What a publisher has told so far.
final class Told: Sendable {
    let events = Monitor<[RTMPEvent]>([])
    let keyframes = Monitor(0)

    func note(_ event: RTMPEvent) {
        if case .keyframeNeeded = event { return keyframes.signal { $0 += 1 } }
        events.signal { $0.append(event) }
    }

    var failures: [PublishFailure] {
        events.withLock { $0.compactMap { if case .failed(let failure) = $0 { failure } else { nil } } }
    }
    var interruptions: Int {
        events.withLock { $0.count { if case .interrupted = $0 { true } else { false } } }
    }
    /// How often it was told that the stream is live.
    var liveReports: Int { events.withLock { Self.liveReports($0) } }
    var status: RTMPStatus? { statuses.last }
    var states: [RTMPStatus.State] { statuses.map(\.state) }

    private var statuses: [RTMPStatus] {
        events.withLock { $0.compactMap { if case .status(let status) = $0 { status } else { nil } } }
    }

    /// Waits until servers have accepted the stream so often; each has a name.
    func accepted(_ count: Int = 1) async -> Bool {
        await events.next { events in
            let servers = events.map { event -> String?? in
                switch event {
                case .status(let status): .some(status.server)
                default: nil
                }
            }.compactMap(\.self)
            let isAccepted = [false] + servers.map { $0 != nil }
            return zip(isAccepted, isAccepted.dropFirst()).count { !$0 && $1 } >= count ? true : nil
        } == true
    }

    /// Waits until the stream is live after so many reconnects.
    func live(reconnects: Int = 0) async -> Bool {
        await events.next { events in
            events.contains {
                if case .status(let status) = $0 {
                    status.state == .live && status.reconnects == reconnects
                } else {
                    false
                }
            } ? true : nil
        } == true
    }

    static func liveReports(_ events: [RTMPEvent]) -> Int {
        events.count { if case .status(let status) = $0 { status.state == .live } else { false } }
    }

    func publisher(_ address: String, _ change: (inout RTMPSettings) -> Void = { _ in }) throws -> RTMPPublisher {
        var settings = try RTMPSettings(setupInfo: ["url": address])
        change(&settings)
        return RTMPPublisher(settings, format: TestStream.format) { self.note($0) }
    }
}
