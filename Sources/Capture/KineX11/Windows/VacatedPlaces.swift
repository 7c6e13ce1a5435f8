// Places of a screen that windows have left, and that may still show them. Pure.
import KineMedia

/// Decides how long a place stays covered after its window has left it.
///
/// Without a compositing manager the server paints such a place, and then the program below: a fixed time is enough.
/// A compositing manager paints when the machine lets it, and may fade a window out: a place is covered until it was
/// painted and then not any more for a while.
///
/// No two places overlap: where a window has been twice, the later time counts. So covering a drag never costs more
/// than covering the screen.
struct VacatedPlaces {
    /// Nanoseconds for which a place stays covered at least.
    static let leastTime: Int64 = 500_000_000
    /// Nanoseconds without painting after which a place is taken to be finished.
    static let quietTime: Int64 = 200_000_000
    /// Nanoseconds after which a place is uncovered in any case: a video may play there, or another window may hide it
    /// so that nobody paints it.
    static let mostTime: Int64 = 3_000_000_000

    private enum Painting {
        /// It is not waited for.
        case unknown
        case awaited
        /// The instant at which it was last told of.
        case seen(at: Int64)
    }

    private struct Place {
        var rect: PixelRect
        let since: Int64
        var painting: Painting

        /// The instant at which it needs no cover any more, if nothing happens until then.
        var end: Int64 {
            switch painting {
            case .unknown: since + VacatedPlaces.leastTime
            case .awaited: since + VacatedPlaces.mostTime
            case .seen(let instant):
                min(
                    max(since + VacatedPlaces.leastTime, instant + VacatedPlaces.quietTime),
                    since + VacatedPlaces.mostTime)
            }
        }
    }

    private var places: [Place] = []

    var rects: [PixelRect] { places.map(\.rect) }

    /// The earliest instant at which a place needs no cover any more; nil: there is none.
    var deadline: Int64? { places.map(\.end).min() }

    /// A window has left a place. `awaitsPainting`: a compositing manager is to paint it.
    mutating func leave(_ rect: PixelRect, at now: Int64, awaitsPainting: Bool) {
        places = places.flatMap { place in place.rect.parts(outside: rect).map { part(of: place, $0) } }
        places.append(Place(rect: rect, since: now, painting: awaitsPainting ? .awaited : .unknown))
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
            case .seen: places[index].painting = .seen(at: now)
            case .awaited:
                parts += place.rect.parts(outside: rect).map { part(of: place, $0) }
                places[index].rect = common
                places[index].painting = .seen(at: now)
            }
        }
        places += parts
    }

    /// Takes out the places that need no cover any more. To be called when all events that have come are handled.
    mutating func expire(at now: Int64) -> [PixelRect] {
        let ended = places.filter { $0.end <= now }.map(\.rect)
        if !ended.isEmpty { places.removeAll { $0.end <= now } }
        return ended
    }

    private func part(of place: Place, _ rect: PixelRect) -> Place {
        Place(rect: rect, since: place.since, painting: place.painting)
    }
}

extension PixelRect {
    /// What is left of it without another: up to four rectangles that do not overlap.
    fileprivate func parts(outside other: PixelRect) -> [PixelRect] {
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
