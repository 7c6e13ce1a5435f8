// A file as ffmpeg reads it: its packets, its frames and its audio. Any complaint of ffmpeg's is a failure.
import Foundation
import KineMeasure
import KineMedia
import Testing

struct DecodedFile {
    struct Packet: Equatable {
        /// Ticks of 1/90000 s.
        var start: Int
        var duration: Int
        /// A hash of its bytes as they are in the file.
        var hash: Substring
        var isKeyframe: Bool
    }

    let packets: [Packet]
    /// The end of the last frame, in ticks.
    var end: Int { packets.last.map { $0.start + $0.duration } ?? 0 }
    /// The planes of each frame.
    private let pixels: Data
    private let frameBytes: Int
    /// The audio tracks mixed to one channel each, 48000 samples a second; sample 0 is heard at the file's start.
    let audio: [[Float]]

    init(_ path: String, in folder: TemporaryDirectory) throws {
        let audioTracks = try Self.audioTracks(of: path)
        // With one thread, since most files have few frames.
        var arguments = ["-v", "warning", "-nostdin", "-y", "-xerror", "-threads", "1", "-i", path]
        arguments += ["-map", "0:v", "-c", "copy", "-f", "framemd5", folder.file("packets")]
        // This one tells keyframes and tracks, too.
        arguments += ["-map", "0", "-c", "copy", "-f", "framecrc", folder.file("flags")]
        arguments += ["-map", "0:v", "-fps_mode", "passthrough", "-enc_time_base:v", "1:90000", "-f", "rawvideo"]
        arguments += [folder.file("video")]
        for track in 0..<audioTracks {
            arguments += [
                "-map", "0:a:\(track)", "-ac", "1", "-ar", "48000", "-f", "f32le", folder.file("audio\(track)"),
            ]
        }
        // FFmpeg 7 says so of a track whose excerpt is shorter than a sample. Tests compare the lengths.
        let complaints = try Tool.complaints("ffmpeg", arguments).split(separator: "\n")
            .filter { !$0.contains("Output file is empty") && !$0.contains("No filtered frames") }
        try #require(complaints.isEmpty, "\(path): \(complaints)")
        let text = String(decoding: try contents(folder.file("packets")), as: UTF8.self)
        try #require(text.contains("#tb 0: 1/90000"))
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        let flagged = String(decoding: try contents(folder.file("flags")), as: UTF8.self).split(separator: "\n")
        try #require(flagged.count { $0.hasPrefix("#media_type") && $0.hasSuffix("audio") } == audioTracks)
        // ffmpeg writes "F=" where a packet is more or less than a keyframe.
        let areKeyframes = flagged.filter { $0.hasPrefix("0,") }.map { !$0.contains("F=") }
        try #require(lines.count == areKeyframes.count)
        packets = try zip(lines, areKeyframes).map { line, isKeyframe in
            let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            return Packet(
                start: try #require(Int(fields[2])), duration: try #require(Int(fields[3])),
                hash: Substring(fields[5]), isKeyframe: isKeyframe)
        }
        pixels = try contents(folder.file("video"))
        frameBytes = pixels.count / packets.count
        try #require(frameBytes * packets.count == pixels.count && frameBytes > 0)
        audio = try (0..<audioTracks).map { track in
            try contents(folder.file("audio\(track)")).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        }
    }

    /// The handlers of audio tracks in the index, `moov` (ISO 14496-12, 8.4.3). ffmpeg's own number is compared with it.
    private static func audioTracks(of path: String) throws -> Int {
        var rest = try contents(path)[...]
        while rest.dropFirst(4).prefix(4) != Data("moov".utf8) {
            let isLong = rest.prefix(4) == Data([0, 0, 0, 1])
            let size = (isLong ? rest.dropFirst(8).prefix(8) : rest.prefix(4)).reduce(0) { $0 << 8 | Int($1) }
            try #require(size >= 8 && size <= rest.count)
            rest = rest.dropFirst(size)
        }
        let handler = Data("hdlr".utf8) + Data(count: 8) + Data("soun".utf8)
        var count = 0
        while let found = rest.range(of: handler) {
            rest = rest[found.upperBound...]
            count += 1
        }
        return count
    }

    /// The planes of a frame.
    func frame(_ number: Int) -> Data { pixels[number * frameBytes..<(number + 1) * frameBytes] }

    /// The frame that is shown at a tick.
    func number(at tick: Int) throws -> Int { try #require(packets.lastIndex { $0.start <= tick }) }
}

extension Data {
    /// The peak signal-to-noise ratio, in decibels, of a frame beside another one.
    func ratio(to other: Data) -> Double {
        guard self != other else { return 100 }
        // Data's own iterator takes ten times as long.
        let error = withUnsafeBytes { ours in
            other.withUnsafeBytes { theirs in
                zip(ours, theirs).reduce(into: 0) { sum, pair in
                    let difference = Int(pair.0) - Int(pair.1)
                    sum += difference * difference
                }
            }
        }
        return 10 * log10(255 * 255 * Double(count) / Double(error))
    }
}

func contents(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

extension Tool {
    /// Runs a tool, and returns what it wrote on standard error.
    static func complaints(_ name: String, _ arguments: [String]) throws -> String {
        try output("/bin/sh", ["-c", "\"$0\" \"$@\" 2>&1 >/dev/null || echo failed", try path(of: name)] + arguments)
    }
}
