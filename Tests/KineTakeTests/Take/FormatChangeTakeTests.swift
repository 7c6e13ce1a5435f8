// Takes whose encoder changes the size and the parameter sets of its frames: the file, as our reader, ffmpeg and a browser
// have it. The browser plays and seeks over the changes.
import CoreTesting
import KineContainers
import KineMeasure
import KineMedia
import KinePlatform
import Testing

@testable import KineTake

@Suite(.serialized, .tags(.real, .slow)) struct FormatChangeTakeTests {
    private static let size = PixelSize(width: 320, height: 240)
    private let folder: TemporaryDirectory
    private var path: String { folder.file("take.mp4") }

    init() throws { folder = try TemporaryDirectory() }

    /// Records the pattern until it has had five formats.
    private func record() throws -> RecordingIndex {
        var configuration = TakeConfiguration(source: .pattern(Self.size), output: path)
        configuration.video.framesPerSecond = 30
        configuration.audio.app = .none
        let take = try Take(
            configuration: configuration, sources: .pattern, encoders: [VideoEncoderKind(ChangingEncoder.self)],
            observer: TakeEvents())
        try wait("five formats") { take.counts(at: MonotonicClock.now()).framesDrawn > 5 * ChangingEncoder.run }
        let ending = take.finish(at: MonotonicClock.now(), movesIndex: false)
        guard case .recorded(.finished(let finished)) = ending else {
            throw WaitedInVain(description: "the recording is not finished: \(ending)")
        }
        let file = try DiskFile.openToRead(path)
        defer { file.close() }
        let index = try RecordingIndex(reading: file)
        #expect(finished.failure == nil && index.frameCount == finished.frames)
        try #require(finished.frames > 4 * ChangingEncoder.run)
        return index
    }

    @Test func `every frame is in the file in its own size`() throws {
        let index = try record()
        let sizes = (0..<index.frameCount).map { ChangingEncoder.size(ofFrame: $0, Self.size) }
        #expect((0..<index.frameCount).map(index.size(ofFrame:)) == sizes && index.size == Self.size)
        #expect(index.h264ParameterSets(ofFrame: 0) != index.h264ParameterSets(ofFrame: ChangingEncoder.run))
        let decoded = try Tool.output(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v", "-show_entries", "frame=width,height", "-of", "csv=p=0", path,
            ])
        #expect(decoded.split(separator: "\n").map(String.init) == sizes.map { "\($0.width),\($0.height)" })
    }

    @Test func `a browser plays the file, and seeks over the changes`() throws {
        let index = try record()
        let page = try folder.write("<video muted src=\"take.mp4\"></video>".utf8, to: "page.html")
        let browser = try Browser(environment: ["PATH=/usr/local/bin:/usr/bin:/bin"])
        defer { browser.end() }
        try browser.open("file://\(page)")
        let video = "const video = document.querySelector('video'); if (video.error) throw video.error.message;"
        let _: Bool = try browser.run("\(video) video.play(); return true")
        #expect(try browser.wait(until: "\(video) return video.ended"))
        for run in [3, 0, 2, 1, 0] {
            let frame = run * ChangingEncoder.run + ChangingEncoder.run / 2
            let width = ChangingEncoder.size(ofFrame: frame, Self.size).width
            let _: Bool = try browser.run("\(video) video.currentTime = \(index.time(of: frame).seconds); return true")
            #expect(try browser.wait(until: "\(video) return !video.seeking && video.videoWidth === \(width)"))
        }
    }
}
