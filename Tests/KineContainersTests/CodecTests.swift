// HEVC and AV1 in our files and streams, compared with ffmpeg's.
import CoreTesting
import KineMeasure
import KineMedia
import Testing

@testable import KineContainers

@Suite(.tags(.real)) struct CodecTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(arguments: [VideoCodec.hevc, .av1])
    func `the configuration record is ffmpeg's, byte for byte`(codec: VideoCodec) throws {
        let media = try NewerMedia.of(codec)
        #expect(media.format.parameterSets.decoderConfigurationRecord == media.record)
    }

    @Test func `media types name profile, level and bits`() throws {
        let hevc = try NewerMedia.hevc.get().format.parameterSets
        #expect(hevc.codecsParameter == "hvc1.1.6.L60.90")
        #expect(try NewerMedia.av1.get().format.parameterSets.codecsParameter == "av01.0.00M.08")
        let sets = H264ParameterSets(sequence: [0x67, 0x64, 0x00, 0x0a, 1], picture: [0x68])
        #expect(VideoParameterSets.h264(sets).codecsParameter == "avc1.64000a")
    }

    @Test(arguments: [false, true])
    func `level and tier of AV1 are found behind the timing, if there is any`(hasTiming: Bool) {
        // Main, no unchanged frame; numbers of ticks, each frame as long as the other: uvlc() 0; a decoder's model; then one
        // operating point, with all layers, level 13, high tier.
        let timing = String(repeating: "1", count: 64) + "11" + "1" + String(repeating: "1", count: 47)
        let bits = "000" + "0" + "0" + (hasTiming ? "1" + timing : "0") + "0" + "00000" + "111111111111" + "01101" + "1"
        let padded = bits + String(repeating: "0", count: 8 + (8 - bits.count % 8) % 8)
        let bytes = stride(from: 0, to: padded.count, by: 8).map { start in
            padded.dropFirst(start).prefix(8).reduce(UInt8(0)) { $0 << 1 | ($1 == "1" ? 1 : 0) }
        }
        let header = VideoParameterSets.av1(AV1SequenceHeader(unit: [0x0a, UInt8(bytes.count)] + bytes))
        #expect(header.codecsParameter == "av01.0.13H.08")
        #expect(header.decoderConfigurationRecord.prefix(4) == [0x81, 13, 0x8c, 0])
    }

    @Test(arguments: [
        // Main 10, level 5.1, high tier, two temporal layers: profile, compatibility, constraints, level.
        ([0x22, 0x20, 0, 0, 0, 0xb0, 0, 0, 0, 0, 0, 153] as [UInt8], "hvc1.2.4.H153.B0"),
        ([0x41, 0x60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 93], "hvc1.A1.6.L93"),
    ])
    func `an HEVC media type follows annex E of ISO/IEC 14496-15`(general: [UInt8], name: String) {
        let unit = EmulationPrevention.added(to: [0x42, 0x01, 0x01] + general + [0xa0, 0x80])
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
        try write(media, to: path)
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
        try write(media, to: path)
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

    private func write(_ media: NewerMedia, to path: String) throws {
        let writer = try MP4Writer(
            file: try DiskFile.create(path), video: media.format, audio: [], creationTime: 1_700_000_000)
        for index in media.frames.indices {
            writer.append(media.sample(index))
            if index % 10 == 9 { try writer.flush(through: MediaTime(ticks: Int64(index) + 1, timescale: 30)) }
        }
    }
}
