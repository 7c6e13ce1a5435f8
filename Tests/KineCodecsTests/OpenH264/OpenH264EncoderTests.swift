// The stream of OpenH264 as ffmpeg's programs read it, and what only this encoder does. What it has in common with x264 is tested
// beside x264.
import CodecTesting
import CoreTesting
import KineMeasure
import KineMedia
import Testing

@testable import KineCodecs

@Suite struct OpenH264EncoderTests {
    private static let size = PixelSize(width: 326, height: 198)

    private func encoder(
        _ rateControl: VideoEncoderSettings.RateControl = .constantQuantizer(23), size: PixelSize = size,
        preset: EncoderPreset? = nil, peak: VideoEncoderSettings.Peak? = nil
    ) throws -> OpenH264Encoder {
        try OpenH264Encoder(
            VideoEncoderSettings(size: size, rateControl: rateControl, preset: preset, peak: peak, nominalFrameRate: 30)
        )
    }

    private func text(_ size: PixelSize = size, seed: UInt64) -> TestFrame {
        var generator = SeededGenerator(seed: seed)
        let frame = TestFrame(size: size)
        frame.write(PixelRect(size: size), using: &generator)
        return frame
    }

    /// A few frames in which nothing can be predicted.
    private func noise(_ size: PixelSize) -> [TestFrame] {
        var generator = SeededGenerator(seed: 11)
        return (0..<3).map { _ in
            let frame = TestFrame(size: size)
            for offset in 0..<size.area * 3 / 2 { frame.planes.y[offset] = Bool.random(using: &generator) ? 255 : 0 }
            return frame
        }
    }

    private func read(_ tool: String, _ arguments: [String]) throws -> String {
        try Tool.read(tool, arguments) { output in
            var text: [UInt8] = []
            try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
                while case let count = try output.read(into: buffer), count > 0 { text += buffer[..<count] }
            }
            return String(decoding: text, as: UTF8.self)
        }
    }

    @Test(arguments: [false, true])
    func `the parameter sets state the range, and 4-4-4 is refused`(isFullRange: Bool) throws {
        func open(_ colour: ColourFormat) throws(VideoEncoderError) -> OpenH264Encoder {
            try OpenH264Encoder(
                VideoEncoderSettings(
                    size: Self.size, colour: colour, rateControl: .constantQuantizer(23), nominalFrameRate: 30))
        }
        let sets = try open(ColourFormat(isFullRange: isFullRange)).h264ParameterSets
        #expect(try SequenceParameters(sets.sequence).isFullRange == isFullRange)
        #expect(sets.colour == ColourFormat(isFullRange: isFullRange))
        #expect(throws: VideoEncoderError.noChroma(.yuv444, library: "OpenH264")) {
            try open(ColourFormat(chroma: .yuv444, isFullRange: isFullRange))
        }
    }

    @Test(.tags(.real)) func `ffmpeg's programs read the stream as it was meant`() throws {
        let encoder = try encoder()
        var stream: [UInt8] = []
        for index in 0..<12 {
            let sample = try text(seed: UInt64(index)).lend { planes in
                try encoder.encode(
                    planes, changed: .full(size: Self.size), at: .milliseconds(Int64(index) * 40),
                    forceKeyframe: index == 7)
            }
            let sets = sample.isKeyframe ? encoder.h264ParameterSets : nil
            stream += try AnnexB.bytes(from: sample.data, prepending: sets)
        }
        let directory = try TemporaryDirectory()
        let path = try directory.write(stream, to: "stream.h264")
        let told = try read("ffprobe", ["-v", "error", "-show_streams", "-of", "default", path]).split(separator: "\n")
        for line in [
            "codec_name=h264", "profile=Constrained Baseline", "width=326", "height=198", "pix_fmt=yuv420p",
            "has_b_frames=0", "refs=1",
            "color_range=tv", "color_space=bt709", "color_transfer=bt709", "color_primaries=bt709",
            "chroma_location=center", "sample_aspect_ratio=1:1", "field_order=progressive",
        ] {
            #expect(told.contains { $0 == line }, "\(line) is missing in \(told)")
        }
        let frames = try read(
            "ffprobe", ["-v", "error", "-show_entries", "frame=key_frame,pict_type", "-of", "csv=p=0", path])
        let kinds = frames.split(separator: "\n").map { $0.prefix(3) }
        #expect(kinds == (0..<12).map { $0 == 0 || $0 == 7 ? "1,I" : "0,P" })
        // Errors are damage, and end the program.
        _ = try read("ffmpeg", ["-v", "error", "-xerror", "-err_detect", "explode", "-i", path, "-f", "null", "-"])
    }

    @Test(.tags(.slow), arguments: EncoderPreset.allCases)
    func `at every preset each frame comes at once, and no block is stale`(preset: EncoderPreset) throws {
        for rate in [VideoEncoderSettings.RateControl.constantQuantizer(23), .averageBitrate(4_000_000)] {
            let encoder = try encoder(rate, size: PixelSize(width: 320, height: 192), preset: preset)
            let worst = try encoder.worstTile(of: 30, interval: 33, seed: 11, isKeyframe: { $0 == 20 }) { index, _, _ in
                // Every third frame is a repeat.
                index % 3 == 0 ? [] : [PixelRect(x: index * 8, y: index * 4, width: 24, height: 16)]
            }
            #expect(worst > 24, "\(rate)")
        }
    }

    @Test func `the same frame again takes few bytes`() throws {
        let encoder = try encoder()
        let frame = text(seed: 3)
        let sizes = try (0..<5).map { index in
            try encoder.encode(
                frame.planes, changed: DamageRegion(size: Self.size), at: .milliseconds(Int64(index) * 200),
                forceKeyframe: false
            ).data.count
        }
        #expect(sizes[0] > 1000 && sizes[4] < 100, "\(sizes)")
    }

    @Test func `a bitrate can be raised to the average that the encoder was opened with`() throws {
        let encoder = try encoder(.averageBitrate(60_000_000), peak: .init(bitrate: 500_000))
        let frames = (0..<6).map { text(seed: $0) }
        func bytes(_ count: Int) throws -> Int {
            try (0..<count).reduce(0) { sum, number in
                let sample = try encoder.encode(
                    frames[number % 6].planes, changed: .full(size: Self.size), at: .zero, forceKeyframe: false)
                return sum + sample.data.count
            }
        }
        let sets = encoder.h264ParameterSets
        let before = try bytes(30)
        #expect(encoder.setPeak(.init(bitrate: 60_000_000)))
        #expect(try bytes(30) > before * 2)
        #expect(encoder.h264ParameterSets == sets)
    }

    @Test func `no access unit is larger than the limit, also when a still screen becomes noise`() throws {
        let size = PixelSize(width: 640, height: 360)
        let limit = 120_000
        let noise = noise(size)
        let still = text(size, seed: 1)
        let encoder = try encoder(
            .averageBitrate(20_000_000), size: size, peak: .init(bitrate: 20_000_000, accessUnit: limit))
        let decoder = try H264Decoder(encoder.h264ParameterSets, threads: 1)
        var frames = 0
        let sizes = try (0..<40).map { index in
            let frame = (10..<30).contains(index) ? noise[index % 3] : still
            let sample = try encoder.encode(
                frame.planes, changed: .full(size: size), at: MediaTime(ticks: Int64(index), timescale: 30),
                forceKeyframe: index == 20)
            try decoder.decode(sample.data) { _ in frames += 1 }
            return sample.data.count
        }
        #expect(try #require(sizes.max()) <= limit, "\(sizes)")
        #expect(frames == 40)
    }

    /// The library has room for a byte a pixel, and fails on a frame that takes more.
    @Test(arguments: [
        VideoEncoderSettings.RateControl.constantQuantizer(1), .constantQuantizer(12), .averageBitrate(200_000_000),
    ])
    func `noise at a fine quantizer is encoded coarsely, and what follows it finely again`(
        rate: VideoEncoderSettings.RateControl
    ) throws {
        let size = PixelSize(width: 640, height: 360)
        let noise = noise(size)
        let still = TestFrame(size: size)
        let encoder = try encoder(rate, size: size)
        let decoder = try TestDecoder(encoder.h264ParameterSets)
        for index in 0..<12 {
            let frame = (3..<9).contains(index) ? noise[index % 3] : still
            let sample = try encoder.encode(
                frame.planes, changed: .full(size: size), at: MediaTime(ticks: Int64(index), timescale: 30),
                forceKeyframe: false)
            let worst = frame.worstTile(of: try decoder.decode(sample))
            #expect(worst > ((3..<9).contains(index) ? 10 : 40), "frame \(index)")
        }
    }

    /// idr_pic_id of a keyframe (ITU-T H.264, 7.3.3).
    private func idrIdentifier(_ sample: EncodedSample, _ sets: H264ParameterSets) throws -> Int {
        var sequence = BitReader(EmulationPrevention.removed(from: sets.sequence))
        sequence.skip(32)
        sequence.skipExponentialGolomb()  // seq_parameter_set_id
        let frameNumberBits = sequence.readExponentialGolomb() + 4
        var slice = BitReader(EmulationPrevention.removed(from: try networkUnits(sample)[0]))
        slice.skip(8)
        slice.skipExponentialGolomb(3)  // first_mb_in_slice, slice_type, pic_parameter_set_id
        slice.skip(frameNumberBits)
        return slice.readExponentialGolomb()
    }

    @Test func `keyframes that follow each other have different identifiers, whichever encoder made them`() throws {
        let size = PixelSize(width: 320, height: 192)
        let first = try encoder(.constantQuantizer(1), size: size)
        let sets = first.h264ParameterSets
        var identifiers: [Int] = []
        func encode(_ encoder: OpenH264Encoder, _ frame: TestFrame) throws {
            let sample = try encoder.encode(frame.planes, changed: .full(size: size), at: .zero, forceKeyframe: true)
            #expect(sample.isKeyframe)
            identifiers.append(try idrIdentifier(sample, sets))
        }
        let still = TestFrame(size: size)
        try encode(first, still)
        let second = try OpenH264Encoder(first.settings, continuing: first)
        try encode(second, still)
        first.follow(second)
        try encode(first, still)
        // Each of these comes from an encoder of its own.
        for frame in noise(size) { try encode(first, frame) }
        try encode(first, still)
        #expect(zip(identifiers, identifiers.dropFirst()).allSatisfy { $0 != $1 }, "\(identifiers)")
    }

    @Test func `a frame that is too large is refused with a sentence`() {
        #expect(throws: VideoEncoderError.cannotOpen(.h264, PixelSize(width: 5000, height: 4000))) {
            try encoder(size: PixelSize(width: 5000, height: 4000))
        }
        let missing = VideoEncoderError.missing(.h264, package: "libopenh264-7")
        #expect(missing.description.contains("libopenh264-7"))
    }
}
