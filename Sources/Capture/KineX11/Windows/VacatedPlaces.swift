// Rectangles of a screen that windows have left, and that may still show them. Pure.
import KineMedia

/// Decides how long a rectangle stays covered after its window has left it.
///
/// Without a compositing manager the server paints it, then the program below: a fixed time is enough. A compositing
/// manager paints later, and may fade a window out: the rectangle is covered until it was painted and then not any more
/// for a while.
///
/// Rectangles do not overlap: the latest window counts. So covering a drag never costs more than covering the screen.
struct VacatedPlaces {
    /// The shortest cover, in nanoseconds.
    static let leastTime: Int64 = 500_000_000
    /// Nanoseconds without painting after which a rectangle counts as finished, at least.
    static let quietTime: Int64 = 200_000_000
    /// A rectangle is finished once nothing is painted there for this many times the longest gap between paintings before: a fade
    /// consists of several, and a busy machine's manager paints seldom.
    static let quietGaps: Int64 = 3
    /// The longest gap that counts, in nanoseconds: another window may have hidden the place meanwhile.
    static let longestGap: Int64 = 1_000_000_000
    /// The longest wait for the first painting, and the longest cover after it, in nanoseconds: a video may play there, or another window
    /// may hide it, so that it is never painted.
    static let mostTime: Int64 = 3_000_000_000

    private enum Painting {
        /// Not waited for.
        case unknown
        case awaited(until: Int64)
        /// The instants of the first and the last reported painting, and the longest time until one, from the place's beginning on.
        case seen(first: Int64, last: Int64, gap: Int64)
    }

    private struct Place {
        var rect: PixelRect
        var since: Int64
        var painting: Painting

        /// When the cover ends, if nothing happens until then.
        var end: Int64 {
            switch painting {
            case .unknown: since + VacatedPlaces.leastTime
            case .awaited(let end): end
            case .seen(let first, let last, let gap):
                min(
                    max(since + VacatedPlaces.leastTime, last + VacatedPlaces.quiet(after: gap)),
                    first + VacatedPlaces.mostTime)
            }
        }
    }

    private var places: [Place] = []
    /// Whether a rectangle that a compositing manager has to paint is covered until it has, however long that takes.
    private let waitsForPainting: Bool

    init(waitsForPainting: Bool = false) { self.waitsForPainting = waitsForPainting }

    var rects: [PixelRect] { places.map(\.rect) }

    /// The earliest end of a cover, if there is any.
    var deadline: Int64? { places.map(\.end).filter { $0 < .max }.min() }

    /// A window has left a rectangle. `awaitsPainting`: a compositing manager will paint it.
    mutating func leave(_ rect: PixelRect, at now: Int64, awaitsPainting: Bool) {
        places = places.flatMap { place in place.rect.parts(outside: rect).map { part(of: place, $0) } }
        let end = waitsForPainting ? .max : now + Self.mostTime
        places.append(Place(rect: rect, since: now, painting: awaitsPainting ? .awaited(until: end) : .unknown))
    }

    /// The compositing manager has ended: the server and the programs paint from now on.
    mutating func managerEnded(at now: Int64) {
        for index in places.indices { (places[index].since, places[index].painting) = (now, .unknown) }
    }

    /// A part of the screen was painted.
    mutating func paint(_ rect: PixelRect, at now: Int64) {
        var parts: [Place] = []
        for index in places.indices {
            let place = places[index]
            let common = place.rect.intersection(rect)
            guard !common.isEmpty else { continue }
            switch place.painting {
            case .unknown: break
            case .seen(let first, let last, let gap):
                places[index].painting = .seen(first: first, last: now, gap: max(gap, now - last))
            case .awaited:
                parts += place.rect.parts(outside: rect).map { part(of: place, $0) }
                places[index].rect = common
                places[index].painting = .seen(first: now, last: now, gap: now - place.since)
            }
        }
        places += parts
    }

    /// Removes and returns the rectangles that need no cover any more. Call after all available events were handled.
    mutating func expire(at now: Int64) -> [PixelRect] {
        let ended = places.filter { $0.end <= now }.map(\.rect)
        if !ended.isEmpty { places.removeAll { $0.end <= now } }
        return ended
    }

    /// Nanoseconds without painting after which a rectangle counts as finished.
    static func quiet(after gap: Int64) -> Int64 { max(quietTime, quietGaps * min(gap, longestGap)) }

    private func part(of place: Place, _ rect: PixelRect) -> Place {
        Place(rect: rect, since: place.since, painting: place.painting)
    }
}

extension PixelRect {
    /// The rest of it outside another: up to four disjoint rectangles.
    func parts(outside other: PixelRect) -> [PixelRect] {
        let common = intersection(other)
        guard !common.isEmpty else { return [self] }
        return [
            PixelRect(x: x, y: y, width: width, height: common.y - y),
            PixelRect(x: x, y: common.y, width: common.x - x, height: common.height),
            PixelRect(x: common.maxX, y: common.y, width: maxX - common.maxX, height: common.height),
            PixelRect(x: x, y: common.maxY, width: width, height: maxY - common.maxY),
        ].filter { !$0.isEmpty }
    }
}
