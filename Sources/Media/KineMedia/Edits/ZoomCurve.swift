// What a film shows of the picture at each instant: zooms that begin and end softly, and follow the pointer. The studio's page computes the
// same in edit/curve.js.

/// Where the pointer was, from a time of the film on.
public struct FilmPointer: Equatable, Sendable {
    /// In seconds.
    public var time: Double
    /// In pixels of the recording's picture.
    public var x: Double
    public var y: Double

    public init(time: Double, x: Double, y: Double) { (self.time, self.x, self.y) = (time, x, y) }
}

public struct ZoomCurve: Sendable {
    private var path: SpringPath
    private let stage: FilmStage
    /// The newest target.
    private var target: SIMD3<Double>

    /// Radians a second: 95 of 100 parts of a way take 0.6 s.
    private static let frequency = 8.0
    /// What follows the pointer begins where that is after so many seconds, about when a zoom has arrived.
    private static let lookAhead = 1.0
    /// The pointer moves what is shown when it comes nearer to an edge than this part of a side.
    private static let margin = 0.25

    /// - Parameters:
    ///   - zooms: valid ones, in order, their times in seconds of the film.
    ///   - pointer: its places, in order.
    ///   - stage: of the film.
    ///   - rate: the film's frames a second.
    public init(_ zooms: [FilmEdits.Zoom], pointer: [FilmPointer], on stage: FilmStage, rate: Double) {
        self.stage = stage
        target = stage.rest
        if stage.isPart, let first = pointer.first { target = stage.place(around: first.x, first.y, scale: 1) }
        path = SpringPath(
            at: target, frequency: Self.frequency, tolerance: SpringPath.Tolerance(aspect: stage.aspect, rate: rate))
        var end = 0.0
        for zoom in zooms {
            if zoom.from > end { follow(pointer, from: end, to: zoom.from) }
            if let centre = zoom.centre, centre.count == 2 {
                let (x, y) = (centre[0] * Double(stage.picture.width), centre[1] * Double(stage.picture.height))
                aim(at: stage.place(around: x, y, scale: zoom.scale), from: zoom.from)
            } else {
                follow(pointer, from: zoom.from, to: zoom.to, scale: zoom.scale)
            }
            end = zoom.to
        }
        follow(pointer, from: end, to: .infinity)
    }

    /// Without a zoom, only film of another shape follows the pointer.
    private mutating func follow(_ pointer: [FilmPointer], from start: Double, to end: Double, scale: Double? = nil) {
        guard scale != nil || stage.isPart else { return aim(at: stage.rest, from: start) }
        let arrival = min(end, start + Self.lookAhead)
        let next = pointer.partitioningIndex { $0.time > arrival }
        var begin = stage.place(
            around: target.x + target.z / 2, target.y + target.z * stage.aspect / 2, scale: scale ?? 1)
        if next > 0 {
            let place = pointer[next - 1]
            begin = stage.place(around: place.x, place.y, scale: scale ?? 1)
        }
        aim(at: begin, from: start)
        for place in pointer[next...] {
            guard place.time < end else { return }
            aim(at: stage.moved(target, to: place, margin: Self.margin), from: place.time)
        }
    }

    private mutating func aim(at target: SIMD3<Double>, from time: Double) {
        self.target = target
        path.aim(at: target, from: time, pixels: Double(stage.size.width) / target.z)
    }

    /// What the film shows, in pixels of the picture.
    ///
    /// - Parameter time: seconds of the film.
    public func part(at time: Double) -> FilmRect {
        let value = path.value(at: time)
        // Exactly, whatever its product with the shape.
        if value == stage.rest, !stage.isPart { return stage.bounds }
        return FilmRect(x: value.x, y: value.y, width: value.z, height: value.z * stage.aspect)
    }

    /// The times of the film, in seconds, at which what is shown moves. Each ends at the instant from which it does not.
    public var motions: [Range<Double>] { path.motions }

    /// The times of the film, in seconds, at which it does not show all that it can. Each ends at the instant from which it does.
    public var ranges: [Range<Double>] { stage.isPart ? [0..<Double.infinity] : path.ranges(awayFrom: stage.rest) }
}
