// A recording's frames in colour, as a player would show them: ffmpeg decodes them and goes by what the file says of itself.
import KineMeasure
import KineMedia
import Testing

/// Red, green, blue, a byte each; rows packed.
package struct ColourFrame {
    package let size: PixelSize
    package var bytes: [UInt8]

    package func colour(x: Int, y: Int) -> [Int] {
        let index = (y * size.width + x) * 3
        return bytes[index..<index + 3].map { Int($0) }
    }

    package init(size: PixelSize, bytes: [UInt8]) {
        self.size = size
        self.bytes = bytes
    }

    /// The largest difference of a component from 0xRRGGBB over the pixels of `rect`.
    package func distance(from colour: UInt32, in rect: PixelRect) -> Int {
        let (red, green, blue) = (Int(colour >> 16 & 255), Int(colour >> 8 & 255), Int(colour & 255))
        var worst = 0
        for y in rect.y..<rect.maxY {
            for index in stride(from: (y * size.width + rect.x) * 3, to: (y * size.width + rect.maxX) * 3, by: 3) {
                worst = max(
                    worst, abs(Int(bytes[index]) - red), abs(Int(bytes[index + 1]) - green),
                    abs(Int(bytes[index + 2]) - blue))
            }
        }
        return worst
    }

    /// Every frame of a file's video track, in order. Each must have the size that the file promises.
    /// - Parameter isFinished: false for a file that still grows, which may have more frames when it is decoded.
    package static func all(in path: String, isFinished: Bool = true) throws -> [ColourFrame] {
        var frames: [ColourFrame] = []
        try forEach(in: path, isFinished: isFinished) { frames.append($0) }
        return frames
    }

    /// As `all`, one after another: for a file whose frames do not fit into memory together.
    package static func forEach(
        in path: String, isFinished: Bool = true, _ body: (ColourFrame) throws -> Void
    ) throws {
        let video = try RecordedVideo(path: path)
        let bytes = video.size.area * 3
        var frames = 0
        let arguments = [
            "-v", "error", "-nostdin", "-i", path, "-map", "0:v:0", "-vf",
            "scale=flags=accurate_rnd+full_chroma_int+full_chroma_inp,format=rgb24", "-fps_mode", "passthrough", "-f",
            "rawvideo", "pipe:1",
        ]
        try Tool.read("ffmpeg", arguments) { output in
            while true {
                var frame = ColourFrame(size: video.size, bytes: [UInt8](repeating: 0, count: bytes))
                let count = try frame.bytes.withUnsafeMutableBytes { try Tool.fill($0, from: output) }
                guard count > 0 else { return }
                #expect(count == bytes, "the last frame is cut short, or frames change their size")
                frames += 1
                try body(frame)
            }
        }
        if isFinished { #expect(frames == video.frames.count) }
    }

    /// The last frame of a file.
    package static func last(in path: String) throws -> ColourFrame { try #require(try all(in: path).last) }
}
