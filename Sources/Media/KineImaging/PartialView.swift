// Draws a part of a frame at another size. Its place has fractions of a pixel, so that a slow zoom does not tremble.
import CPixels
import KineMedia

/// Draws frames of one size and format from parts of frames of another size. Used by one thread.
public final class PartialView {
    private let (source, target): (PixelSize, PixelSize)
    private let luma: PartialPlane
    private let chroma: PartialPlane

    /// - Parameters:
    ///   - source: the size of the frames that parts are drawn of, both sides even and at least 16, as in the other size.
    ///   - target: the size of the frames that are drawn.
    ///   - sampling: of both.
    public init(from source: PixelSize, to target: PixelSize, _ sampling: ColourFormat.Chroma) {
        (self.source, self.target) = (source, target)
        luma = PartialPlane(from: source, to: target)
        chroma = PartialPlane(
            from: PixelSize(width: sampling.samples(of: source.width), height: sampling.samples(of: source.height)),
            to: PixelSize(width: sampling.samples(of: target.width), height: sampling.samples(of: target.height)))
    }

    /// Draws a part, whose edges are within the frame or near it; what is beyond looks as the frame's edge.
    ///
    /// - Parameters:
    ///   - part: in pixels of `frame`.
    ///   - frame: of the source's size.
    ///   - drawn: of the target's size, in the same colours.
    public func draw(_ part: FilmRect, of frame: PlanarFrame, to drawn: PlanarFrame) {
        precondition(frame.size == source && drawn.size == target && frame.colour == drawn.colour, "the view's frames")
        // Samples of chroma are in the middle of the pixels that they are for, as Kinecast makes them.
        luma.draw(part, by: 1, of: frame.y, frame.lumaStride, to: drawn.y, drawn.lumaStride)
        let share = Double(frame.colour.chroma.samples(of: 2)) / 2
        chroma.draw(part, by: share, of: frame.u, frame.chromaStride, to: drawn.u, drawn.chromaStride)
        chroma.draw(part, by: share, of: frame.v, frame.chromaStride, to: drawn.v, drawn.chromaStride)
    }
}

private final class PartialPlane {
    private let target: PixelSize
    private let across: PartialAxis
    private let down: PartialAxis
    private let scratch: UnsafeMutablePointer<UInt16>

    init(from source: PixelSize, to target: PixelSize) {
        self.target = target
        across = PartialAxis(from: source.width, to: target.width, total: 16384)
        down = PartialAxis(from: source.height, to: target.height, total: 128)
        scratch = .allocate(capacity: 8 * source.width)
    }

    deinit { scratch.deallocate() }

    /// - Parameter share: the plane's samples for each pixel of the part, in one direction.
    func draw(
        _ part: FilmRect, by share: Double, of source: UnsafePointer<UInt8>, _ sourceStride: Int,
        to drawn: UnsafeMutablePointer<UInt8>, _ drawnStride: Int
    ) {
        across.aim(at: part.x * share, part.width * share)
        down.aim(at: part.y * share, part.height * share)
        withUnsafePointer(to: across.table) { across in
            withUnsafePointer(to: down.table) { down in
                kine_view_plane(
                    source, sourceStride, drawn, drawnStride, Int32(target.width), Int32(target.height), across, down,
                    scratch)
            }
        }
    }
}

/// The weights in one direction, for one part at a time: cubic ones, which keep text sharp.
private final class PartialAxis {
    private let (source, target, total): (Int, Int, Int)
    private var first: UnsafeMutablePointer<Int32>
    private var weights: UnsafeMutablePointer<Int16>
    /// Room for weights, for each sample.
    private var room = 4
    private var aimed: (origin: Double, length: Double)?
    private(set) var table: kine_scale_axis

    init(from source: Int, to target: Int, total: Int) {
        (self.source, self.target, self.total) = (source, target, total)
        first = .allocate(capacity: target)
        weights = .allocate(capacity: target * room)
        table = kine_scale_axis(first: first, weights: weights, taps: 4, halves: false)
    }

    deinit {
        first.deallocate()
        weights.deallocate()
    }

    func aim(at origin: Double, _ length: Double) {
        if let aimed, aimed == (origin, length) { return }
        aimed = (origin, length)
        let step = length / Double(target)
        // When reducing, each new sample is a mean of more.
        let reach = 2 * max(1, step)
        let taps = min(source & ~1, Int((2 * reach).rounded(.up) + 1) & ~1)
        if taps > room {
            weights.deallocate()
            (weights, room) = (.allocate(capacity: target * taps), taps)
        }
        for index in 0..<target {
            let middle = origin + (Double(index) + 0.5) * step - 0.5
            aim(index, at: middle, taps: taps, width: reach / 2)
        }
        table = kine_scale_axis(first: first, weights: weights, taps: Int32(taps), halves: false)
    }

    private func aim(_ index: Int, at middle: Double, taps: Int, width: Double) {
        let begin = Int((middle - Double(taps) / 2).rounded(.down)) + 1
        let start = max(0, min(begin, source - taps))
        first[index] = Int32(start)
        let own = UnsafeMutableBufferPointer(start: weights + index * taps, count: taps)
        var parts = [Double](repeating: 0, count: taps)
        var sum = 0.0
        for tap in begin..<begin + taps {
            let weight = Self.cubic(abs(Double(tap) - middle) / width)
            // Beyond the edge is what is at the edge.
            parts[max(0, min(tap - start, taps - 1))] += weight
            sum += weight
        }
        // Rounds their sum instead of each weight.
        var (exact, rounded) = (0.0, 0)
        for tap in 0..<taps {
            exact += parts[tap] / sum * Double(total)
            own[tap] = Int16(Int(exact.rounded()) - rounded)
            rounded = Int(exact.rounded())
        }
    }

    /// Keys' cubic convolution with a = -1/2 (IEEE Trans. ASSP 29, 1981): passes through the samples, and lines stay lines.
    private static func cubic(_ x: Double) -> Double {
        if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
        if x < 2 { return ((-0.5 * x + 2.5) * x - 4) * x + 2 }
        return 0
    }
}
