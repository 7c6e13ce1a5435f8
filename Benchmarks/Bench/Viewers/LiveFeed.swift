// The live page's server without an engine: samples of a fixed size at their times, so that what the server itself costs can be seen.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import KineRings
import KineServices
import KineWire
import SystemPackage

/// A running kinecast-publish that is sent 2 Mbit/s. Used by the thread that made it: the server dies with that thread.
final class LiveFeed {
    /// The page's.
    let link: String
    var server: Int32 { child.pid }

    private let child: ChildProcess
    private let connection: SupervisorConnection
    private let sender: StreamSender
    private let isOver = Monitor(false)
    private let thread: DedicatedThread

    private static let framesPerSecond: Int64 = 30
    private static let audioRate: Int64 = 48_000
    /// Bytes of an access unit of AAC at 128 kbit/s, and of frames, a keyframe in two seconds, that make it 2 Mbit/s.
    private static let audioBytes = 341
    private static let keyframeBytes = 60_000
    private static let frameBytes = 6_910

    /// - Parameter setupInfo: its settings.
    init(setupInfo: [String: String] = [:]) throws {
        sender = try StreamSender(video: true, frames: nil, sampleRingBytes: 2 << 20)
        (connection, child) = try SupervisorConnection.starting("kinecast-publish", ["live"])
        try connection.send(.start(Self.start(sender, setupInfo)), descriptors: sender.descriptors)
        link = try Self.link(from: connection)
        let origin = MonotonicClock.now()
        thread = DedicatedThread(name: "feed") { [sender, connection, isOver] in
            Self.send(to: sender, from: origin) {
                // The server's reports are read: it would have to wait with them otherwise.
                _ = try? connection.receive(until: 0)
                return isOver.withLock { $0 }
            }
        }
    }

    deinit {
        isOver.withLock { $0 = true }
        thread.join()
        _ = child.end(signal: SIGKILL, deadline: MonotonicClock.now() + 1_000_000_000)
    }

    /// Sends frames and audio when they are due. Each sample's time is when it is sent, so that a late one counts as on time.
    private static func send(to sender: StreamSender, from origin: Int64, until isOver: () -> Bool) {
        let frame = [UInt8](repeating: 0x5A, count: frameBytes)
        let keyframe = [UInt8](repeating: 0x5A, count: keyframeBytes)
        let audio = [UInt8](repeating: 0x5A, count: audioBytes)
        var (frames, units): (Int64, Int64) = (0, 0)
        while !isOver() {
            let frameDue = origin + frames * 1_000_000_000 / framesPerSecond
            let audioDue = origin + units * 1024 * 1_000_000_000 / audioRate
            FrameRhythm.sleep(until: min(frameDue, audioDue))
            let time = MediaTime(nanoseconds: MonotonicClock.now() - origin)
            if frameDue <= audioDue {
                let isKeyframe = frames % (2 * framesPerSecond) == 0
                frames += 1
                sender.send(
                    EncodedSample(
                        type: .video, presentationTime: time, duration: .zero, isKeyframe: isKeyframe,
                        data: isKeyframe ? keyframe : frame))
            } else {
                units += 1
                sender.send(
                    EncodedSample(
                        type: .audioApp, presentationTime: time, duration: .zero, isKeyframe: true, data: audio))
            }
        }
    }

    private static func start(_ sender: StreamSender, _ setupInfo: [String: String]) -> ExtensionStart {
        // x264's for 1280×720; nobody decodes what is sent.
        let sets = H264ParameterSets(
            sequence: [
                0x67, 0x42, 0xC0, 0x1F, 0xDA, 0x01, 0x40, 0x16, 0xE8, 0x40, 0x00, 0x00, 0x03, 0x00, 0x40, 0x00, 0x00,
                0x0C, 0x83, 0xC6, 0x0C, 0xA8,
            ], picture: [0x68, 0xCE, 0x0F, 0xC8])
        return ExtensionStart(
            service: "live", setupInfo: setupInfo,
            stream: StreamDescription(
                framesPerSecond: Int(framesPerSecond),
                video: .init(VideoFormat(parameterSets: .h264(sets), size: PixelSize(width: 1280, height: 720))),
                frames: nil,
                audio: [
                    .init(
                        type: .audioApp, codec: .aac, sampleRate: Int(audioRate), channels: 2, bitrate: 128_000,
                        configuration: [0x11, 0x90], samplesPerAccessUnit: 1024, primingSamples: 0)
                ], sampleRingBytes: sender.sampleRingBytes), memoryLimit: ServiceManifest.memoryLimit)
    }

    /// The link that the server announces before it has started.
    private static func link(from connection: SupervisorConnection) throws -> String {
        let end = deadline(in: 60)
        while MonotonicClock.now() < end {
            for report in try connection.receive(until: end) {
                if case .failed(let why, _) = report { throw EngineTake.Failed(description: why) }
                if case .links(let links) = report { return links.page }
            }
        }
        throw EngineTake.Failed(description: "kinecast-publish announced no link within a minute.")
    }
}
