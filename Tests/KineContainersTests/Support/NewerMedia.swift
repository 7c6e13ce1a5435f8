// HEVC and AV1 as the ffmpeg program encodes them and writes them into MP4: samples, parameter sets, and its own configuration
// record as the known-good bytes.
import KineMeasure
import KineMedia
import Testing

/// A second of moving picture, 320×180, 30 frames a second, a keyframe every half second.
struct NewerMedia: Sendable {
    var format: VideoFormat
    /// The content of `hvcC` or `av1C`.
    var record: [UInt8]
    var frames: [(data: [UInt8], isKeyframe: Bool)]

    static let hevc = Result { try NewerMedia(.hevc) }
    static let av1 = Result { try NewerMedia(.av1) }

    static func of(_ codec: VideoCodec) throws -> NewerMedia { try (codec == .hevc ? hevc : av1).get() }

    init(_ codec: VideoCodec) throws {
        let directory = try TemporaryDirectory()
        let colours = [
            "-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709", "-color_range", "tv",
        ]
        let encoder =
            codec == .hevc
            ? [
                "-c:v", "libx265", "-preset", "ultrafast", "-tag:v", "hvc1", "-x265-params",
                "log-level=error:info=0:bframes=0:keyint=15:min-keyint=15:scenecut=0:pools=1:frame-threads=1",
            ]
            : [
                "-c:v", "libaom-av1", "-usage", "realtime", "-cpu-used", "8", "-lag-in-frames", "0", "-g", "15",
                "-b:v", "300k", "-threads", "1",
            ]
        let result = try run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=30:duration=1", "-pix_fmt", "yuv420p"]
                + colours + encoder + [directory("a.mp4")])
        try #require(result.status == .exited(status: 0), "\(result.errors)")
        let bytes = try contents(of: directory("a.mp4"))
        let track = try #require(try OracleMovie(bytes).tracks.first)
        frames = track.samples.map { (Array(bytes[$0.offset..<$0.offset + $0.size]), $0.isSync) }
        record = try #require(Self.box(codec == .hevc ? "hvcC" : "av1C", in: bytes))
        format = VideoFormat(
            parameterSets: codec == .hevc
                ? .hevc(try Self.sets(in: record)) : .av1(AV1SequenceHeader(unit: Array(record[4...]))),
            size: PixelSize(width: 320, height: 180))
        try #require(frames.count == 30)
    }

    /// The content of the first box of that type, which is in no known box.
    private static func box(_ type: String, in bytes: [UInt8]) -> [UInt8]? {
        let name = Array(type.utf8)
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: name) }) else { return nil }
        let size = bytes[start - 4..<start].reduce(0) { $0 << 8 | Int($1) }
        return Array(bytes[start + 4..<start - 4 + size])
    }

    /// The arrays behind the 22 fixed bytes (ISO/IEC 14496-15, 8.3.3.1).
    private static func sets(in record: [UInt8]) throws -> HEVCParameterSets {
        var sets = HEVCParameterSets(video: [], sequence: [], picture: [])
        var at = 23
        for _ in 0..<record[22] {
            let length = Int(record[at + 3]) << 8 | Int(record[at + 4])
            let unit = Array(record[at + 5..<at + 5 + length])
            switch record[at] & 63 {
            case 32: sets.video = unit
            case 33: sets.sequence = unit
            case 34: sets.picture = unit
            default: throw OracleError("an array of type \(record[at] & 63)")
            }
            at += 5 + length
        }
        return sets
    }

    func sample(_ index: Int) -> EncodedSample {
        EncodedSample(
            type: .video, presentationTime: MediaTime(ticks: Int64(index), timescale: 30), duration: .zero,
            isKeyframe: frames[index].isKeyframe, data: frames[index].data)
    }
}
