// Images out of recordings, beside what ffmpeg makes of the same frames.
import CoreTesting
import Foundation
import KineCodecs
import KineEditing
import KineMeasure
import KineMedia
import Testing

@Suite(.tags(.real)) struct ImageTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Red, green and blue, three bytes a pixel.
    private func pixels(_ arguments: [String]) throws -> Data {
        _ = try Tool.output(
            "ffmpeg",
            ["-v", "error", "-nostdin", "-y"] + arguments + ["-pix_fmt", "rgb24", "-f", "rawvideo", folder.file("rgb")])
        return try contents(folder.file("rgb"))
    }

    @Test(arguments: ImageEncoder.Format.allCases, [RecordingKind.screen, .settings, .colour])
    func `an image shows the frame in its colours`(format: ImageEncoder.Format, kind: RecordingKind) throws {
        let path = try Recordings.path(kind)
        let recording = try FinishedRecording(path)
        // The second keyframe: ffmpeg seeks to it exactly.
        let number = try #require((1..<recording.index.frameCount).first(where: recording.index.isKeyframe))
        let time = recording.index.time(of: number)
        let image = try #require(try RecordingImages.make(of: recording, at: [time], fitting: nil, format).first)
        #expect(image.size == recording.index.size && image.time == time)
        let file = try folder.write(image.data, to: "image.\(format.rawValue)")
        let ours = try pixels(["-i", file])
        let theirs = try pixels([
            "-i", path, "-vf",
            "select=eq(n\\,\(number)),scale=in_color_matrix=bt709:in_range=\(kind == .colour ? "pc" : "tv"):"
                + "flags=accurate_rnd+full_chroma_int",
            "-frames:v", "1",
        ])
        try #require(ours.count == theirs.count && ours.count == image.size.area * 3)
        // Chroma is scaled otherwise; JPEG's own loss comes on top.
        #expect(ours.ratio(to: theirs) > (format == .png ? 30 : 27))
        #expect(abs(ours.mean - theirs.mean) < 2)
    }

    @Test func `images that need too many frames are those of keyframes`() throws {
        let index = try FinishedRecording(try Recordings.path(.pattern)).index
        let keyframe = try #require((1..<index.frameCount).first(where: index.isKeyframe))
        let times = [1, keyframe + 2, keyframe + 1].map(index.time(of:))
        #expect(RecordingImages.times(times, of: index, decodingAtMost: 5) == times)
        #expect(
            RecordingImages.times(times, of: index, decodingAtMost: 4)
                == [0, keyframe, keyframe].map(index.time(of:)))
    }

    @Test(arguments: [(100, 100), (33, 500), (1, 1), (5000, 5000)])
    func `an image keeps its shape, and is never enlarged`(width: Int, height: Int) throws {
        let limit = PixelSize(width: width, height: height)
        let recording = try FinishedRecording(try Recordings.path(.settings))
        for format in ImageEncoder.Format.allCases {
            let image = try #require(
                try RecordingImages.make(of: recording, at: [.seconds(1)], fitting: limit, format).first)
            let whole = recording.index.size
            #expect(image.size == (width < whole.width ? whole.aspectFit(into: limit) : whole))
            let file = try folder.write(image.data, to: "image.\(format.rawValue)")
            #expect(try RecordedVideo(path: file).size == image.size)
        }
    }
}

extension Data {
    fileprivate var mean: Double { Double(reduce(0) { $0 + Int($1) }) / Double(count) }
}
