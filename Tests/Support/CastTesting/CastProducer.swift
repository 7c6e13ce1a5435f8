// The program kinecast-cast-producer: a compositor's side of a cast, and the picture that it casts.
import KineMeasure
import KineMedia
import KinePlatform

/// A picture as the producer has it: 0xRRGGBB, rows packed.
package struct CastPicture: Equatable {
    package private(set) var size: PixelSize
    package private(set) var pixels: [UInt32]

    /// All black.
    package init(size: PixelSize) {
        self.size = size
        pixels = Array(repeating: 0, count: size.area)
    }

    /// The pattern of `seed`, in which each pixel differs from its neighbours and says where it is.
    package init(size: PixelSize, pattern seed: Int) {
        self.init(size: size)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let (red, green, blue) = (x * 7 + seed * 31, y * 5 + seed * 17, (x ^ y) + seed)
                pixels[y * size.width + x] = UInt32(red & 255) << 16 | UInt32(green & 255) << 8 | UInt32(blue & 255)
            }
        }
    }

    package mutating func paint(_ rect: PixelRect, _ colour: UInt32) {
        let inside = rect.intersection(PixelRect(size: size))
        guard !inside.isEmpty else { return }
        for y in inside.y..<inside.maxY {
            for x in inside.x..<inside.maxX { pixels[y * size.width + x] = colour }
        }
    }

    package func cropped(_ rect: PixelRect) -> CastPicture {
        var result = CastPicture(size: rect.size)
        for y in 0..<rect.height {
            for x in 0..<rect.width {
                result.pixels[y * rect.width + x] = pixels[(rect.y + y) * size.width + rect.x + x]
            }
        }
        return result
    }
}

/// A running producer. It ends when the last reference goes, and with the thread that made it.
package final class CastProducer {
    /// Whose the memory of the buffers is.
    package enum Memory: String, CaseIterable, Sendable {
        /// The producer's, which can shrink it or not.
        case sealed, unsealed
        /// The daemon's.
        case pointer
        /// A graphics card's, as it is called, and nothing else: the producer's own files all the same.
        case graphics
    }

    /// The node's number.
    package let node: UInt32
    /// What the next frame shows.
    package private(set) var picture: CastPicture
    /// Frames of `once=1` for which there was no buffer.
    package private(set) var lostCount = 0
    private let process: CommandedProcess
    /// Lines that the producer printed before the last command was done. A reader can pause the stream while a command
    /// runs, and a test then waits for that line after the command.
    private var linesBeforeDone: [String] = []

    /// Called now and then in all waits for the producer, which for its part may wait for a reader.
    package var whileWaiting: () -> Void {
        get { process.whileWaiting }
        set { process.whileWaiting = newValue }
    }

    package static let allMetas = "header,crop,damage,transform,cursor"

    /// Starts a producer and waits until it has a node. The picture is the pattern 0.
    package init(
        on server: PrivatePipeWire, size: PixelSize, memory: Memory = .sealed, metas: String = allMetas,
        pixels: String = "bgrx"
    ) throws {
        process = try CommandedProcess(
            "kinecast-cast-producer", [memory.rawValue, metas, pixels, "\(size.width)x\(size.height)"],
            environment: ProcessEnvironment.current(changing: server.environment))
        picture = CastPicture(size: size)
        func number(_ line: String) -> UInt32? { line.hasPrefix("node ") ? UInt32(line.dropFirst(5)) : nil }
        node = try process.lines(until: "its node") { number($0) != nil }.last.flatMap(number) ?? 0
        try setPattern(0)
    }

    /// Ends the producer as a crash would, and waits for it.
    package func end() { process.end() }

    /// Sends a command without waiting for its end: `frame` waits for a reader.
    package func begin(_ command: String) throws { try process.begin(command) }

    /// Waits for the end of a command.
    package func finish() throws {
        linesBeforeDone = try process.lines(until: "done")
        lostCount += linesBeforeDone.count(where: { $0 == "lost" })
    }

    /// Waits for a line. Returns at once if the producer printed it before the last command was done.
    package func wait(for wanted: String) throws {
        if let index = linesBeforeDone.firstIndex(of: wanted) {
            linesBeforeDone.removeSubrange(...index)
        } else {
            try process.lines(until: wanted)
            linesBeforeDone = []
        }
    }

    /// Sends a command and waits for its end.
    package func send(_ command: String) throws {
        try begin(command)
        try finish()
    }

    // MARK: The picture

    package func setPattern(_ seed: Int) throws {
        picture = CastPicture(size: picture.size, pattern: seed)
        try send("pattern \(seed)")
    }

    package func paint(_ rect: PixelRect, _ colour: UInt32) throws {
        picture.paint(rect, colour)
        try send("paint \(rect.x) \(rect.y) \(rect.width) \(rect.height) \(String(colour, radix: 16))")
    }

    /// Another size, which is a new format; the picture is the pattern 0 again. Needs a reader.
    /// - Parameter untilRestart: waits until the reader has had the stream pause and go on.
    package func resize(to size: PixelSize, untilRestart: Bool = false) throws {
        picture = CastPicture(size: size)
        try send("size \(size.width)x\(size.height)")
        try wait(for: "format \(size.width)x\(size.height)")
        if untilRestart { for state in ["paused", "streaming"] { try wait(for: state) } }
        try setPattern(0)
    }
}
