// A codec other than H.264 in a real browser: what the page is told of it is what browsers take.
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import Synchronization
import SystemPackage
import Testing

@testable import KinePublish

@Suite(.serialized, .tags(.real)) struct CodecPageTests {
    @Test(arguments: ["webcodecs", "mse"])
    func `a browser plays AV1 by what the page is told of it`(way: String) async throws {
        let clip = try await blocking { try AV1Clip() }
        let server = try await LiveServer.start(
            LiveSettings(setupInfo: [:]), format: LiveFormat(video: clip.format, audio: []), events: .init())
        let link = try #require(LiveLink(server.links.page))
        let isOver = Mutex(false)
        let source = DedicatedThread(name: "frames") {
            let origin = MonotonicClock.now()
            var number = 0
            while !isOver.withLock({ $0 }) {
                FrameRhythm.sleep(until: origin + Int64(number) * 33_333_333)
                server.publish(clip.sample(number))
                number += 1
            }
        }
        defer { isOver.withLock { $0 = true } }
        let way = try await blocking {
            let browser = try Browser(environment: ["PATH=/usr/local/bin:/usr/bin:/bin"])
            defer { browser.end() }
            try browser.open(link.playing(way))
            // The page is live once it shows a frame.
            try #require(try browser.wait(until: "return document.body.dataset.phase === 'live'"))
            let playing: String = try browser.run("return document.body.dataset.way")
            return (wanted: way, playing: playing)
        }
        #expect(way.playing == way.wanted)
        isOver.withLock { $0 = true }
        try await blocking { source.join() }
        await server.finish()
    }
}

/// A second of AV1 from the ffmpeg program, 30 frames that can be repeated.
private struct AV1Clip: Sendable {
    let format: VideoFormat
    private let frames: [[UInt8]]

    init() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("clip.ivf")
        let program = try #require(ExecutableSearch.find("ffmpeg"), "install the package ffmpeg")
        let options = "-c:v libaom-av1 -usage realtime -cpu-used 8 -lag-in-frames 0 -g 15 -b:v 300k -threads 1"
        let child = try ChildProcess(
            executable: program,
            arguments: ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=30:duration=1"]
                + ["-pix_fmt", "yuv420p"] + options.split(separator: " ").map(String.init) + [path],
            environment: [], options: ChildProcess.Options())
        try #require(child.wait() == .exited(status: 0))
        let file = try FileDescriptor.open(path, .readOnly)
        defer { try? file.close() }
        let size = Int(try file.seek(offset: 0, from: .end))
        let bytes = try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = try file.read(fromAbsoluteOffset: 0, into: UnsafeMutableRawBufferPointer(buffer))
        }
        // IVF: 32 bytes, then 12 before each temporal unit, which begin with its size. A temporal delimiter is 12 00.
        var frames: [[UInt8]] = []
        var at = 32
        while at + 12 <= bytes.count {
            let size = bytes[at..<at + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
            let unit = bytes[at + 12..<at + 12 + size]
            frames.append(Array(unit.starts(with: [0x12, 0]) ? unit.dropFirst(2) : unit))
            at += 12 + size
        }
        try #require(frames.count == 30)
        // The first OBU is the sequence header, its size in one byte.
        let header = Array(frames[0].prefix(2 + Int(frames[0][1])))
        try #require(header[0] >> 3 == 1)
        self.frames = frames
        format = VideoFormat(
            parameterSets: .av1(AV1SequenceHeader(unit: header)), size: PixelSize(width: 320, height: 180))
    }

    func sample(_ number: Int) -> EncodedSample {
        let frame = frames[number % frames.count]
        return EncodedSample(
            type: .video, presentationTime: MediaTime(ticks: Int64(number), timescale: 30), duration: .zero,
            isKeyframe: frame[0] >> 3 == 1, data: frame)
    }
}
