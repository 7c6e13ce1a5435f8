// HEVC and AV1 in our files and streams, against what ffmpeg writes and reads.
import KineMeasure
import KineMedia
import Testing

@testable import KineContainers

@Suite struct CodecTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(arguments: [VideoCodec.hevc, .av1])
    func `the configuration record is ffmpeg's, byte for byte`(codec: VideoCodec) throws {
        let media = try NewerMedia.of(codec)
        #expect(media.format.parameterSets.decoderConfigurationRecord == media.record)
    }

    @Test(arguments: [
        (VideoCodec.hevc, "yuv422p10le", [] as [String]), (.hevc, "yuv444p", []), (.av1, "yuv420p10le", []),
        (.av1, "yuv444p", ["-color_range", "pc"]), (.av1, "gray", []),
    ])
    func `so it is for other pixel formats and profiles`(codec: VideoCodec, pixels: String, options: [String]) throws {
        let media = try NewerMedia(codec, pixelFormat: pixels, options: options)
        #expect(media.format.parameterSets.decoderConfigurationRecord == media.record)
    }

    @Test func `media types name profile, level and bits`() throws {
        let hevc = try NewerMedia.hevc.get().format.parameterSets
        #expect(hevc.codecsParameter == "hvc1.1.6.L60.90")
        #expect(try NewerMedia.av1.get().format.parameterSets.codecsParameter == "av01.0.00M.08")
        let sets = H264ParameterSets(sequence: [0x67, 0x64, 0x00, 0x0a, 1], picture: [0x68])
        #expect(VideoParameterSets.h264(sets).codecsParameter == "avc1.64000a")
    }

    @Test func `an AV1 media type names colours that are not the usual ones, as ffmpeg does`() throws {
        for (pixels, options) in [
            ("yuv420p10le", ["-color_primaries", "bt2020"]), ("yuv444p", ["-color_range", "pc"]),
        ] {
            let media = try NewerMedia(.av1, pixelFormat: pixels, options: options)
            let path = directory("\(pixels).mp4")
            try write(media, to: path, isFinished: true)
            let manifest = directory("\(pixels).mpd")
            #expect(try run("ffmpeg", ["-v", "error", "-i", path, "-c", "copy", "-f", "dash", manifest]).errors == "")
            let name = media.format.parameterSets.codecsParameter
            #expect(
                String(decoding: try contents(of: manifest), as: UTF8.self).contains("codecs=\"\(name)\""), "\(name)")
        }
    }

    @Test(arguments: [
        // Main 10, level 5.1, high tier, two temporal layers: profile, compatibility, constraints, level.
        ([0x22, 0x20, 0, 0, 0, 0xb0, 0, 0, 0, 0, 0, 153] as [UInt8], "hvc1.2.4.H153.B0"),
        ([0x41, 0x60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 93], "hvc1.A1.6.L93"),
    ])
    func `an HEVC media type follows annex E of ISO/IEC 14496-15`(general: [UInt8], name: String) {
        // One sub-layer; id 0, 4:2:0, 16×16, no cropping, eight bits: ue(v) 0, 1, 16, 16, then 0, 0 and 0.
        let tail: [UInt8] = [0b1010_0000, 0b1000_1000, 0b0100_0101, 0b1000_0000]
        let unit = EmulationPrevention.added(to: [0x42, 0x01, 0x01] + general + tail + [0x80])
        #expect(HEVCProfile(unit).codecsParameter == name)
    }

    @Test func `parameter sets that are cut short anywhere still make a record`() throws {
        for codec in [VideoCodec.hevc, .av1] {
            let sets = try NewerMedia.of(codec).format.parameterSets
            for count in 0..<60 {
                let cut: VideoParameterSets =
                    switch sets {
                    case .hevc(let sets):
                        .hevc(.init(video: sets.video, sequence: Array(sets.sequence.prefix(count)), picture: []))
                    case .av1(let header): .av1(AV1SequenceHeader(unit: Array(header.unit.prefix(count))))
                    case .h264: sets
                    }
                #expect(cut.decoderConfigurationRecord.count >= 4)
                #expect(cut.codecsParameter.hasPrefix(codec == .hevc ? "hvc1." : "av01."))
            }
        }
    }

    @Test(arguments: [VideoCodec.hevc, .av1])
    func `a recording plays in every state, and is recovered`(codec: VideoCodec) throws {
        let media = try NewerMedia.of(codec)
        let path = directory("take.mp4")
        try write(media, to: path, isFinished: false)
        func check(_ path: String) throws {
            #expect(try probe(path).packets == [30])
            try decode(path)
            let names = try run(
                "ffprobe", ["-v", "warning", "-show_entries", "stream=codec_name,codec_tag_string", path])
            let tag = codec == .hevc ? "hvc1" : "av01"
            #expect(
                names.output.contains("codec_name=\(codec)\n") && names.output.contains("codec_tag_string=\(tag)\n"))
        }
        try check(path)
        #expect(try MP4Recovery.recover(path).frames == 30)
        try check(path)
        try MP4FastStart.moveIndexToFront(path)
        try check(path)
        #expect(try MP4Recovery.recover(path).wasAlreadyFinished)
    }

    @Test(arguments: [VideoCodec.hevc, .av1])
    func `a frame that a power cut left unwritten is found by its codec's own rules`(codec: VideoCodec) throws {
        let media = try NewerMedia.of(codec)
        let path = directory("take.mp4")
        try write(media, to: path, isFinished: false)
        var bytes = try contents(of: path)
        let last = media.frames[29].data
        bytes.replaceSubrange(bytes.count - last.count..<bytes.count, with: [UInt8](repeating: 0, count: last.count))
        try KineContainersTests.write(bytes, to: path)
        let recovered = try MP4Recovery.recover(path)
        #expect(recovered.frames == 29 && recovered.skippedBytes == Int64(last.count))
    }

    @Test(arguments: [VideoCodec.hevc, .av1])
    func `a live stream is accepted, and named by its codec`(codec: VideoCodec) throws {
        let media = try NewerMedia.of(codec)
        let movie = FragmentedMovie(video: media.format, audio: [])
        var stream = movie.initializationSegment
        for number in 15..<30 {
            let sample = media.sample(number)
            let header = movie.fragmentHeader(
                type: .video, presentationTime: sample.presentationTime, isKeyframe: sample.isKeyframe,
                byteCount: sample.data.count, sequenceNumber: UInt32(number))
            stream += try #require(header) + sample.data
        }
        try KineContainersTests.write(stream, to: directory("live.mp4"))
        #expect(try probe(directory("live.mp4")).packets == [15])
        try decode(directory("live.mp4"))
        #expect(movie.codecs == media.format.parameterSets.codecsParameter)
    }

    private func write(_ media: NewerMedia, to path: String, isFinished: Bool) throws {
        let writer = try MP4Writer(
            file: try DiskFile.create(path), video: media.format, audio: [], creationTime: 1_700_000_000)
        for index in media.frames.indices {
            writer.append(media.sample(index))
            if index % 10 == 9 { try writer.flush(through: MediaTime(ticks: Int64(index) + 1, timescale: 30)) }
        }
        if isFinished { _ = try writer.finish(at: .seconds(1)) }
    }
}
