// What a player finds in a file, finished or not: to see that nothing of it is lost.
import KineMeasure
import Testing

/// What a player finds in a file.
package struct PlayedFile: Equatable {
    /// Seconds, as ffprobe says.
    package var duration: Double
    /// When each frame is shown, in seconds, and a hash of it as it is decoded.
    package var frames: [(start: Double, hash: Substring)]

    /// Nil where nothing in it plays.
    package init?(_ path: String) throws {
        let length = try? Tool.output(
            "ffprobe", ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path])
        guard let duration = length.flatMap({ Double($0.filter { !$0.isWhitespace }) }) else { return nil }
        self.duration = duration
        let starts = try RecordedVideo(path: path).frames.map(\.start)
        let hashes = try Tool.output(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-i", path, "-map", "0:v", "-fps_mode", "passthrough", "-f",
                "framemd5",
                "-",
            ]
        ).split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: ",").last }
        #expect(starts.count == hashes.count)
        frames = Array(zip(starts, hashes))
    }

    package static func == (a: PlayedFile, b: PlayedFile) -> Bool {
        // ffprobe rounds to microseconds.
        abs(a.duration - b.duration) < 0.001 && a.frames.count == b.frames.count
            && zip(a.frames, b.frames).allSatisfy { abs($0.start - $1.start) < 1e-5 && $0.hash == $1.hash }
    }
}
