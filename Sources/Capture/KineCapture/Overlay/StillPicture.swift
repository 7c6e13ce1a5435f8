// One upright frame of a source, and the wait for a still screen.
import Glibc
import KineMedia

/// Words of 0xRRGGBB, rows packed. The highest byte is unused.
package struct StillPicture {
    package private(set) var size: PixelSize
    package private(set) var pixels: [UInt32]

    /// Reads the current frame of `source`. Nil if it could not be read completely.
    package init?(of source: any VideoSource) throws(VideoSourceError) {
        let frame = source.size
        guard frame.area > 0 else { return nil }
        var words = [UInt32](repeating: 0, count: frame.area)
        let isComplete = try source.read(.full(size: frame)) { part in
            let rect = part.rect.intersection(PixelRect(size: frame))
            words.withUnsafeMutableBytes { target in
                guard let target = target.baseAddress else { return }
                for y in 0..<rect.height {
                    memcpy(
                        target + ((rect.y + y) * frame.width + rect.x) * 4, part.pixels + y * part.stride,
                        rect.width * 4)
                }
            }
        }
        guard isComplete else { return nil }
        self.init(words, frame, source.orientation)
    }

    init(_ frame: [UInt32], _ size: PixelSize, _ orientation: Orientation) {
        self.size = orientation.turned(size)
        guard orientation != .up else {
            pixels = frame
            return
        }
        let width = self.size.width
        // The target's offsets for one step to the right and down in the frame, from the first pixel's place.
        func place(_ x: Int, _ y: Int) -> Int {
            let rect = orientation.turned(PixelRect(x: x, y: y, width: 1, height: 1), of: size)
            return rect.y * width + rect.x
        }
        let first = place(0, 0)
        let (right, down) = (place(1, 0) - first, place(0, 1) - first)
        pixels = [UInt32](unsafeUninitializedCapacity: size.area) { target, count in
            frame.withUnsafeBufferPointer { frame in
                for y in 0..<size.height {
                    var place = first + y * down
                    for x in 0..<size.width {
                        target[place] = frame[y * size.width + x]
                        place += right
                    }
                }
            }
            count = size.area
        }
    }
}

/// Waits until a compositor shows the screen below a window that has closed, after the window's last animation.
/// Instants are nanoseconds of CLOCK_MONOTONIC.
package struct ScreenSettling {
    package struct Limits: Sendable {
        /// The screen is still after this long without a frame.
        var quiet: Int64
        /// How long after its first frame a screen that never becomes still is waited for.
        var changing: Int64
        /// How long to wait for a first frame.
        var still: Int64

        private static let quiet: Int64 = 150_000_000

        /// The last frame may show a window that has closed. Its end is a change, so a frame comes, however late.
        package static let afterWindow = Limits(quiet: quiet, changing: 1_000_000_000, still: 10_000_000_000)
        /// No frame has come since before the window, which was on another screen. None may come.
        package static let elsewhere = Limits(quiet: quiet, changing: 1_000_000_000, still: 1_000_000_000)
        /// The desktop's dialog fades out in a cast's first frames.
        package static let afterDialog = Limits(quiet: quiet, changing: 500_000_000, still: 0)
    }

    private let limits: Limits
    /// The deadline for a screen that never becomes still; nil before the first frame.
    private var end: Int64?
    /// The end of the wait, unless another frame comes.
    package private(set) var deadline: Int64

    package init(_ limits: Limits, since start: Int64) {
        self.limits = limits
        deadline = start + limits.still
    }

    package mutating func noteFrame(at now: Int64) {
        let end = end ?? now + limits.changing
        self.end = end
        deadline = min(now + limits.quiet, end)
    }

    /// A frame that the compositor showed before the window had closed, by the frame's own time: another must follow. The wait
    /// for it is short, since the times of some compositors are of another clock.
    package mutating func noteEarlierFrame(at now: Int64) {
        if end == nil { deadline = min(deadline, now + limits.changing) }
    }

    package func isOver(at now: Int64) -> Bool { now >= deadline }
}
