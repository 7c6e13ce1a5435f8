// A synthetic source for machines without a screen: colour bars, a frame counter, a moving block, and a square that
// lights up at every full second, with the beep of the pattern's audio.
import CLinux
import Glibc
import KineMedia
import KinePlatform
import SystemPackage

/// A test pattern, drawn at a steady rate. Used by the capture thread.
public final class PatternSource: VideoSource {
    public let size: PixelSize
    /// A timer that fires for each frame of the grid.
    public let descriptor: Int32
    private let interval: Int64
    private let pixels: UnsafeMutableBufferPointer<UInt32>
    private let counterArea: PixelRect
    private let flashArea: PixelRect
    private let track: PixelRect
    /// The instant at which frame 0 was drawn.
    private var begin: Int64?
    private var frame = -1

    /// The square is lit for this long from every full second of CLOCK_MONOTONIC on; the beep lasts as long.
    public static let flashLength: Int64 = 100_000_000

    /// 75 % bars as in SMPTE EG 1, left to right: white, yellow, cyan, green, magenta, red, blue.
    static let bars: [UInt32] = [0xbfbfbf, 0xbfbf00, 0x00bfbf, 0x00bf00, 0xbf00bf, 0xbf0000, 0x0000bf]

    /// - Parameter period: nanoseconds of `framesPerSecond` frames.
    public init(size: PixelSize, framesPerSecond: Int, period: Int64 = 1_000_000_000) throws(VideoSourceError) {
        descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
        guard descriptor >= 0 else { throw .noDescriptor(Errno(rawValue: errno)) }
        self.size = size
        interval = period / Int64(max(1, framesPerSecond))
        pixels = .allocate(capacity: size.area)
        let barHeight = size.height * 2 / 3
        let unit = max(1, size.height / 60)
        counterArea = PixelRect(x: unit * 2, y: barHeight + unit * 2, width: unit * 4 * 8, height: unit * 7)
        flashArea = PixelRect(x: size.width - unit * 14, y: barHeight + unit * 2, width: unit * 12, height: unit * 7)
        track = PixelRect(x: 0, y: barHeight + unit * 12, width: size.width, height: unit * 4)
        fill(PixelRect(size: size), 0x101010)
        for (index, colour) in Self.bars.enumerated() {
            let left = size.width * index / Self.bars.count
            let right = size.width * (index + 1) / Self.bars.count
            fill(PixelRect(x: left, y: 0, width: right - left, height: barHeight), colour)
        }
    }

    deinit {
        close(descriptor)
        pixels.deallocate()
    }

    public func processEvents() throws(VideoSourceError) -> Bool {
        var expirations: UInt64 = 0
        _ = Glibc.read(descriptor, &expirations, 8)
        // By the grid instead of the timer, so that the counter shows the time.
        return begin.map { MonotonicClock.now() >= $0 + Int64(frame + 1) * interval } ?? true
    }

    public func addDamage(to damage: inout DamageRegion) throws(VideoSourceError) {
        let now = MonotonicClock.now()
        let origin = begin ?? now
        if begin == nil {
            begin = origin
            startTimer(at: origin + interval)
            damage = .full(size: size)
        }
        let current = Int((now - origin) / interval)
        guard current != frame else { return }
        frame = current
        draw(at: now - origin, instant: now)
        for area in [counterArea, flashArea, track] { damage.insert(area) }
    }

    private func startTimer(at instant: Int64) {
        func time(_ nanoseconds: Int64) -> timespec {
            timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        }
        var timer = itimerspec(it_interval: time(interval), it_value: time(instant))
        timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &timer, nil)
    }

    public func read(_ region: DamageRegion, into receive: (FramePart) -> Void) throws(VideoSourceError) -> Bool {
        guard let base = pixels.baseAddress else { return true }
        for rect in region.rectangles() {
            let first = UnsafeRawPointer(base + rect.y * size.width + rect.x)
            receive(FramePart(rect: rect, pixels: first, stride: size.width * 4))
        }
        return true
    }

    private func draw(at time: Int64, instant: Int64) {
        fill(track, 0x101010)
        let side = track.height
        let travel = max(1, size.width - side)
        fill(PixelRect(x: Int(time / 2_000_000) % travel, y: track.y, width: side, height: side), 0xe0e0e0)
        fill(flashArea, instant % 1_000_000_000 < Self.flashLength ? 0xffffff : 0x000000)
        fill(counterArea, 0x101010)
        let unit = counterArea.height / 7
        var rest = frame
        for place in stride(from: 7, through: 0, by: -1) {
            drawDigit(rest % 10, at: (counterArea.x + place * unit * 4, counterArea.y), unit: unit)
            rest /= 10
        }
    }

    /// Seven segments; a digit is four units wide, with the gap, and seven high.
    private func drawDigit(_ digit: Int, at origin: (x: Int, y: Int), unit: Int) {
        // Each digit's segments: top, top left, top right, middle, bottom left, bottom right, bottom.
        let lit: [UInt8] = [
            0b1110111, 0b0010010, 0b1011101, 0b1011011, 0b0111010, 0b1101011, 0b1101111, 0b1010010, 0b1111111,
            0b1111011,
        ]
        let shapes = [(0, 0, 3, 1), (0, 0, 1, 4), (2, 0, 1, 4), (0, 3, 3, 1), (0, 3, 1, 4), (2, 3, 1, 4), (0, 6, 3, 1)]
        for (index, shape) in shapes.enumerated() where lit[digit] & (0b1000000 >> UInt8(index)) != 0 {
            fill(
                PixelRect(
                    x: origin.x + shape.0 * unit, y: origin.y + shape.1 * unit, width: shape.2 * unit,
                    height: shape.3 * unit), 0xf0f0f0)
        }
    }

    private func fill(_ rect: PixelRect, _ colour: UInt32) {
        let inside = rect.intersection(PixelRect(size: size))
        guard let base = pixels.baseAddress, !inside.isEmpty else { return }
        for y in inside.y..<inside.maxY {
            (base + y * size.width + inside.x).update(repeating: colour, count: inside.width)
        }
    }
}
