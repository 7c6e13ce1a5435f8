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

    private func take(output: String?, services: [SampleRequirements] = []) throws -> Take {
        var configuration = TakeConfiguration(source: .pattern(Self.size), output: output)
        configuration.video.framesPerSecond = 30
        configuration.audio.app = .none
        return try Take(
            configuration: configuration, services: services, sources: .pattern,
            encoders: [VideoEncoderKind(ChangingEncoder.self)], observer: TakeEvents())
    }

    /// Records the pattern until it has had five formats.
    private func record() throws -> RecordingIndex {
        let take = try take(output: path)
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

    private func reader(_ samples: SampleRequirements, of take: Take) throws -> FeedReader {
        let answer = Monitor<Result<SampleFeed, TakeError>?>(nil)
        take.makeFeed(FeedRequest(samples, of: "Test") { result in answer.signal { $0 = result } })
        let reader = try FeedReader(try #require(answer.wait(until: WaitLimit.deadline()) { $0 }).get())
        take.beginFeeding(reader.feed)
        return reader
    }

    @Test func `an extension that follows gets each format before its keyframe, and another nothing after a change`()
        throws
    {
        let follows = SampleRequirements.test(
            .encoded(codecs: [.h264], keyframeInterval: nil, expecting: .init(followsFormat: true)))
        let take = try take(output: nil, services: [follows, .encoded])
        let readers = [try reader(follows, of: take), try reader(.encoded, of: take)]
        readers[0].expect("five formats") { $0.samples.count > 5 * ChangingEncoder.run }
        try wait("the other's end") { readers[1].feed.isOutgrown }
        _ = take.finish(at: MonotonicClock.now(), movesIndex: false)
        for reader in readers { reader.end() }
        let (all, few) = (readers[0].samples, readers[1].samples)
        let first = try #require(readers[0].feed.stream.video?.format)
        let sizes = all.map { ($0.format ?? first).size }
        #expect(sizes == all.indices.map { ChangingEncoder.size(ofFrame: $0, Self.size) })
        for (before, after) in zip(all, all.dropFirst()) where before.format != after.format {
            #expect(after.isKeyframe)
        }
        #expect(!few.isEmpty && few.count <= ChangingEncoder.run && few.allSatisfy { $0.format == nil })
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
