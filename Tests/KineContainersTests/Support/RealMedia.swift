// Samples as the encoders make them: x264 and AAC through the ffmpeg program, taken apart here.
import KineMeasure
import KineMedia
import Testing

/// Ten seconds of moving picture and tone.
struct RealMedia: Sendable {
    var video: VideoFormat
    var frames: [(data: [UInt8], isKeyframe: Bool)]
    var audio: AudioFormat
    var accessUnits: [[UInt8]]

    /// 320×180, 30 frames a second, a keyframe every second; 48 kHz stereo.
    static let shared = Result { try RealMedia(width: 320, height: 180) }
    /// Coded as 322×182, to be shown as 321×181.
    static let odd = Result { try RealMedia(width: 321, height: 181) }
    static let tall = Result { try RealMedia(width: 160, height: 240) }

    init(width: Int, height: Int) throws {
        let directory = try TemporaryDirectory()
        let coded = PixelSize(width: width, height: height).roundedUpToEven
        let painting = try run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=\(coded.width)x\(coded.height):rate=30:duration=10",
                "-c:v", "libx264", "-preset", "veryfast", "-bf", "0", "-g", "30", "-threads", "1", "-pix_fmt",
                "yuv420p",
                "-x264-params", "colorprim=bt709:transfer=bt709:colormatrix=bt709:range=tv", "-f", "h264",
                directory("picture"),
            ])
        try #require(painting.status == .exited(status: 0), "\(painting.errors)")
        let tone = try run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000:duration=10", "-ac", "2",
                "-c:a",
                "aac", "-b:a", "128k", "-f", "adts", directory("sound"),
            ])
        try #require(tone.status == .exited(status: 0), "\(tone.errors)")

        var sets = H264ParameterSets(sequence: [], picture: [])
        frames = []
        for unit in Self.networkUnits(try contents(of: directory("picture"))) {
            switch unit[0] & 31 {
            case 7: sets.sequence = unit
            case 8: sets.picture = unit
            case 1, 5:
                let length = withUnsafeBytes(of: UInt32(unit.count).bigEndian) { Array($0) }
                frames.append((length + unit, unit[0] & 31 == 5))
            default: break
            }
        }
        video = VideoFormat(parameterSets: .h264(sets), size: PixelSize(width: width, height: height))
        accessUnits = Self.audioFrames(try contents(of: directory("sound")))
        audio = AudioFormat(
            type: .audioApp, codec: .aac, sampleRate: 48000, channels: 2, bitrate: 128_000,
            configuration: [0x11, 0x90], samplesPerAccessUnit: 1024, primingSamples: 1024)
        try #require(frames.count == 300 && accessUnits.count >= 469)
    }

    /// Splits a byte stream at its start codes (ITU-T H.264, annex B).
    private static func networkUnits(_ bytes: [UInt8]) -> [[UInt8]] {
        var starts: [Int] = []
        var index = 0
        while index + 3 < bytes.count {
            if bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 {
                starts.append(index + 3)
                index += 3
            } else {
                index += 1
            }
        }
        return starts.indices.map { number in
            var end = number + 1 < starts.count ? starts[number + 1] - 3 : bytes.count
            while end > starts[number], bytes[end - 1] == 0 { end -= 1 }
            return Array(bytes[starts[number]..<end])
        }
    }

    /// Splits ADTS frames and leaves their headers out (ISO/IEC 14496-3, 1.A.2.2.1).
    private static func audioFrames(_ bytes: [UInt8]) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var index = 0
        while index + 7 <= bytes.count {
            let header = bytes[index + 1] & 1 == 1 ? 7 : 9
            let length = Int(bytes[index + 3] & 3) << 11 | Int(bytes[index + 4]) << 3 | Int(bytes[index + 5]) >> 5
            frames.append(Array(bytes[index + header..<index + length]))
            index += length
        }
        return frames
    }

    func frame(_ index: Int, at time: MediaTime) -> EncodedSample {
        let frame = frames[index % frames.count]
        return EncodedSample(
            type: .video, presentationTime: time, duration: .zero, isKeyframe: frame.isKeyframe, data: frame.data)
    }

    func audio(_ index: Int, type: SampleType = .audioApp) -> EncodedSample {
        let start = Int64(index) * 1024 - 1024
        return EncodedSample(
            type: type, presentationTime: MediaTime(ticks: start, timescale: 48000),
            duration: MediaTime(ticks: 1024, timescale: 48000), isKeyframe: true,
            data: accessUnits[index % accessUnits.count])
    }
}

extension Result where Failure == any Error {
    init(_ body: () throws -> Success) { self.init(catching: body) }
}
