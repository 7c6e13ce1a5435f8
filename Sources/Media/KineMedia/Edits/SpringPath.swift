// A motion that follows changing targets by critically damped springs. The studio's page has the same in edit/curve.js; a test compares
// both.
import Glibc

/// A rectangle's left, top and width over time. Its pieces are made once, in order; then any instant is answered without those before it.
public struct SpringPath: Sendable {
    /// The motion from one change of the target to the next: target + (offset + slope · t) · e^(-frequency · t).
    struct Piece: Sendable {
        /// In seconds.
        var start: Double
        var target: SIMD3<Double>
        /// At the piece's beginning, from the target.
        var offset: SIMD3<Double>
        var slope: SIMD3<Double>
        /// Seconds after `start` from which the value is the target.
        var arrival: Double
    }

    private(set) var pieces: [Piece]
    /// In radians a second: a higher one is quicker.
    let frequency: Double
    private let tolerance: Tolerance

    /// When a motion counts as arrived.
    struct Tolerance: Sendable {
        /// The values are a rectangle's left, top and width; its height by its width.
        var aspect: Double
        /// Frames a second.
        var rate: Double
    }

    /// Begins at rest.
    init(at value: SIMD3<Double>, frequency: Double, tolerance: Tolerance) {
        (self.frequency, self.tolerance) = (frequency, tolerance)
        pieces = [Piece(start: -.infinity, target: value, offset: .zero, slope: .zero, arrival: 0)]
    }

    /// Lets the motion go to another target, with the place and the velocity that it has.
    ///
    /// - Parameters:
    ///   - time: in seconds, not before the last one.
    ///   - pixels: of the output for one of the values, where the motion ends.
    mutating func aim(at target: SIMD3<Double>, from time: Double, pixels: Double) {
        guard let last = pieces.last, target != last.target else { return }
        let (value, velocity) = state(at: time, in: last)
        let offset = value - target
        let slope = velocity + frequency * offset
        let arrival = arrival(offset * pixels, slope * pixels)
        let piece = Piece(start: time, target: target, offset: offset, slope: slope, arrival: arrival)
        if last.start == time { pieces[pieces.count - 1] = piece } else { pieces.append(piece) }
    }

    /// The values at an instant.
    ///
    /// - Parameter time: in seconds.
    public func value(at time: Double) -> SIMD3<Double> {
        guard let piece = pieces.last(where: \.start, notAfter: time) else { return .zero }
        return state(at: time, in: piece).value
    }

    private func state(at time: Double, in piece: Piece) -> (value: SIMD3<Double>, velocity: SIMD3<Double>) {
        let since = time - piece.start
        guard since < piece.arrival else { return (piece.target, .zero) }
        let decay = exp(-frequency * since)
        let offset = piece.offset + piece.slope * since
        return (piece.target + offset * decay, (piece.slope - frequency * offset) * decay)
    }

    /// The seconds after which neither the rest of the way nor a frame's step can be a quarter of a pixel any more.
    ///
    /// - Parameters:
    ///   - offset: in pixels of the output.
    ///   - slope: likewise, each second.
    private func arrival(_ offset: SIMD3<Double>, _ slope: SIMD3<Double>) -> Double {
        let (distance, speed) = (extent(offset), extent(slope))
        func isNear(_ time: Double) -> Bool {
            let decay = exp(-frequency * time)
            let rest = (distance + speed * time) * decay
            let step = (speed * decay + frequency * rest) / tolerance.rate
            return rest <= 0.25 && step <= 0.25
        }
        // From here on both only become smaller.
        var (early, late) = (1 / frequency, 1 / frequency)
        while !isNear(late) { (early, late) = (late, late * 2) }
        for _ in 0..<40 where early < late {
            let middle = (early + late) / 2
            if isNear(middle) { late = middle } else { early = middle }
        }
        return late
    }

    private func extent(_ values: SIMD3<Double>) -> Double {
        max(abs(values.x) + abs(values.z), abs(values.y) + tolerance.aspect * abs(values.z))
    }

    /// The times, in seconds, at which the value changes, in order.
    var motions: [Range<Double>] { ranges { $0.arrival } }

    /// The times, in seconds, at which the value is not `rest`, in order.
    func ranges(awayFrom rest: SIMD3<Double>) -> [Range<Double>] {
        ranges { $0.target == rest ? $0.arrival : .infinity }
    }

    /// The parts of the pieces up to so many seconds after their beginnings; those that touch are one.
    private func ranges(_ length: (Piece) -> Double) -> [Range<Double>] {
        var ranges: [Range<Double>] = []
        for (index, piece) in pieces.enumerated() where piece.start > -.infinity {
            let next = index + 1 < pieces.count ? pieces[index + 1].start : .infinity
            let end = min(next, piece.start + length(piece))
            if let last = ranges.last, last.upperBound == piece.start {
                ranges[ranges.count - 1] = last.lowerBound..<end
            } else if end > piece.start {
                ranges.append(piece.start..<end)
            }
        }
        return ranges
    }
}
