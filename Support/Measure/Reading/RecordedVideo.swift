// A recording read back: ffprobe says when each frame is shown, ffmpeg decodes it. Neither knows anything of ours.
import Glibc
import KineMedia
import SystemPackage

/// The first video track of a file.
public struct RecordedVideo {
    public struct Frame: Equatable, Sendable {
        /// Seconds from the file's start.
        public var start: Double
        /// Seconds.
        public var duration: Double
    }

    public enum Error: Swift.Error, CustomStringConvertible {
        case noVideo(path: String)
        case frameCount(path: String, promised: Int, decoded: Int)

        public var description: String {
            switch self {
            case .noVideo(let path): "“\(path)” has no video that ffprobe can read: look at it with `ffprobe`."
            case .frameCount(let path, let promised, let decoded):
                "“\(path)” has \(promised) frames by its index, but \(decoded) were decoded: it is damaged."
            }
        }
    }

    public let path: String
    public let size: PixelSize
    /// In the order in which they are shown.
    public let frames: [Frame]

    /// Seconds from the file's start to the end of the last frame.
    public var duration: Double { frames.last.map { $0.start + $0.duration } ?? 0 }

    /// Reads the index; decodes nothing.
    public init(path: String) throws {
        let text = try Tool.output(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v:0", "-show_entries",
                "stream=width,height:packet=pts_time,duration_time,flags", "-of", "compact=nokey=0:print_section=1",
                path,
            ])
        var size = PixelSize(width: 0, height: 0)
        var frames: [Frame] = []
        for line in text.split(separator: "\n") {
            var fields: [Substring: Substring] = [:]
            for field in line.split(separator: "|").dropFirst() {
                let parts = field.split(separator: "=", maxSplits: 1)
                if parts.count == 2 { fields[parts[0]] = parts[1] }
            }
            if line.hasPrefix("packet|") {
                // A “D” says that an edit list leaves the packet out of what is shown.
                guard let start = fields["pts_time"].flatMap({ Double($0) }), fields["flags"]?.contains("D") != true
                else { continue }
                let duration = fields["duration_time"].flatMap { Double($0) } ?? 0
                frames.append(Frame(start: start, duration: duration))
            } else if line.hasPrefix("stream|"), let width = fields["width"].flatMap({ Int($0) }),
                let height = fields["height"].flatMap({ Int($0) })
            {
                size = PixelSize(width: width, height: height)
            }
        }
        guard size.area > 0, !frames.isEmpty else { throw Error.noVideo(path: path) }
        self.path = path
        self.size = size
        self.frames = frames.sorted { $0.start < $1.start }
    }

    /// Which frame is shown at `time` seconds.
    public func frame(at time: Double) -> Int {
        max(0, (frames.firstIndex { $0.start > time } ?? frames.count) - 1)
    }

    /// Decodes every frame in the order shown and gives its place in `frames` and its luma, which is valid during the
    /// call; keep it by copying.
    public func decode(_ visit: (_ index: Int, _ luma: LumaFrame) throws -> Void) throws {
        var frame = LumaFrame(size: size, pixels: [UInt8](repeating: 0, count: size.area))
        var decoded = 0
        // The plane itself, not a conversion to grey, which would stretch its range.
        let arguments = [
            "-v", "error", "-nostdin", "-i", path, "-map", "0:v:0", "-vf", "extractplanes=y", "-fps_mode",
            "passthrough", "-f", "rawvideo", "pipe:1",
        ]
        try Tool.read("ffmpeg", arguments) { output in
            while true {
                let count = try frame.pixels.withUnsafeMutableBytes { try Tool.fill($0, from: output) }
                guard count == size.area else { return }
                if decoded < frames.count { try visit(decoded, frame) }
                decoded += 1
            }
        }
        guard decoded == frames.count else {
            throw Error.frameCount(path: path, promised: frames.count, decoded: decoded)
        }
    }
}

/// The first audio track of a file, mixed to one channel.
public struct RecordedAudio {
    /// Samples a second.
    public static let rate = 48000
    /// Sample 0 belongs to the file's start; where the track has a gap there is silence.
    public let samples: [Float]

    public init(path: String) throws {
        let arguments = [
            "-v", "error", "-nostdin", "-copyts", "-i", path, "-map", "0:a:0", "-af",
            "aresample=\(RecordedAudio.rate):async=1:min_hard_comp=0.005:first_pts=0", "-ac", "1", "-f", "f32le",
            "pipe:1",
        ]
        samples = try Tool.read("ffmpeg", arguments) { output in
            let bytes = try Tool.readAll(output)
            return bytes.withUnsafeBytes { bytes in
                (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
            }
        }
    }

    /// The share of a tone's frequency in the energy of the audio, 0…1: the highest of all windows of 20 ms that have at least a quarter of
    /// the loudest window's energy. On a busy machine a player leaves gaps, and the tone has another phase after a gap.
    public func share(ofTone frequency: Double) -> Double {
        let length = RecordedAudio.rate / 50
        var loudest = 0.001  // nearly nothing
        var windows: [(energy: Double, share: Double)] = []
        for start in stride(from: 0, to: max(0, samples.count - length), by: length / 2) {
            var (energy, real, imaginary) = (0.0, 0.0, 0.0)
            for index in 0..<length {
                let sample = Double(samples[start + index])
                let angle = 2 * Double.pi * frequency * Double(index) / Double(RecordedAudio.rate)
                energy += sample * sample
                real += sample * cos(angle)
                imaginary += sample * sin(angle)
            }
            loudest = max(loudest, energy)
            windows.append((energy, 2 * (real * real + imaginary * imaginary) / (energy * Double(length))))
        }
        return windows.filter { $0.energy >= loudest / 4 }.map(\.share).max() ?? 0
    }
}
