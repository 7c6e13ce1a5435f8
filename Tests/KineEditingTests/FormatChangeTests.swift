// Recordings whose frames change their size: cut within a group of pictures, and shown in images.
import CodecTesting
import CoreTesting
import KineCodecs
import KineContainers
import KineEditing
import KineMeasure
import KineMedia
import KineX264
import Testing

@Suite(.tags(.real)) struct FormatChangeTests {
    private static let wide = PixelSize(width: 320, height: 192)
    private static let tall = PixelSize(width: 160, height: 240)
    private let folder: TemporaryDirectory
    private var source: String { folder.file("take.mp4") }
    private var target: String { folder.file("cut.mp4") }

    init() throws {
        folder = try TemporaryDirectory()
        try record()
    }

    /// Two seconds of one size, then two of the other, 30 frames and a keyframe a second each. As in a take, keyframes have
    /// their parameter sets from the change on.
    private func record() throws {
        var generator = SeededGenerator(seed: 5)
        var last: X264Encoder?
        var writer: MP4Writer?
        for (part, size) in [Self.wide, Self.tall].enumerated() {
            let encoder = try X264Encoder(
                VideoEncoderSettings(size: size, rateControl: .constantQuantizer(23), nominalFrameRate: 30),
                continuing: last)
            let format = try #require(encoder.format)
            let file =
                try writer ?? MP4Writer(file: DiskFile.create(source), video: format, audio: [], creationTime: 0)
            let frame = TestFrame(size: size)
            frame.write(PixelRect(size: size), using: &generator)
            for number in part * 60..<part * 60 + 60 {
                let time = Self.time(number)
                if number == 60 { try file.change(to: format, at: time) }
                frame.write(PixelRect(x: number % 60, y: 16, width: 64, height: 32), using: &generator)
                var sample = try frame.lend {
                    try encoder.encode($0, changed: .full(size: size), at: time, forceKeyframe: number % 30 == 0)
                }
                if part > 0, sample.isKeyframe { sample.data = format.parameterSets.units + sample.data }
                file.append(sample)
                if number % 15 == 14 { try file.flush(through: Self.time(number + 1)) }
            }
            (last, writer) = (encoder, file)
        }
        _ = try writer?.finish(at: .seconds(4))
    }

    private static func time(_ frame: Int) -> MediaTime { MediaTime(ticks: Int64(frame), timescale: 30) }

    /// Cuts between two frames within groups, in the first format, in the second, and over the change.
    @Test(arguments: [(10, 45), (75, 110), (45, 110), (59, 61)])
    func `an excerpt is cut to the frame in whatever format its frames have`(from: Int, to: Int) throws {
        let trim = try RecordingTrim(FinishedRecording(source), from: Self.time(from), to: Self.time(to))
        let result = try trim.write(to: target)
        #expect(result.frames == to - from && result.encodedFrames == 30 - from % 30)
        let sizes = try Tool.output(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v", "-show_entries", "frame=width,height", "-of", "csv=p=0", target,
            ])
        let expected = (from..<to).map { $0 < 60 ? Self.wide : Self.tall }
        #expect(sizes.split(separator: "\n").map(String.init) == expected.map { "\($0.width),\($0.height)" })
        let decoding = ["-i", target, "-map", "0", "-enc_time_base:v", "1:90000", "-f", "null", "-"]
        #expect(try Tool.complaints("ffmpeg", ["-v", "warning", "-nostdin", "-xerror"] + decoding) == "")
    }

    @Test func `an image has the size of its own frame`() throws {
        let images = try RecordingImages.make(
            of: FinishedRecording(source), at: [.milliseconds(1500), .milliseconds(3500)], fitting: nil, .png)
        #expect(images.map(\.size) == [Self.wide, Self.tall])
    }
}
