// Changes that are nothing: a caret that blinks, a clock's digits, a small spinner.
import KineMedia

/// Places of the picture that are small and change again and again.
struct RecurringChanges {
    private var places: [(bounds: PixelRect, count: Int, last: MediaTime)] = []
    private let most: Int

    /// A change of at most this part of the picture can be nothing, and so can at most twice of it as a place.
    private static let share = 0.001
    /// In pixels: what a caret takes of the squares in which pictures are compared.
    private static let leastArea = 1536
    /// Where more places change, something happens.
    private static let mostPlaces = 64

    /// - Parameters:
    ///   - changes: those of a time in which nobody types or clicks.
    ///   - size: the picture's.
    init(of changes: some Sequence<InputHistory.Change>, in size: PixelSize) {
        most = max(Self.leastArea, Int(Double(size.area) * Self.share))
        for change in changes {
            for rect in change.rects where rect.size.area <= most { add(rect, at: change.time) }
            guard places.count <= Self.mostPlaces else {
                places = []
                return
            }
        }
        places.removeAll { $0.count < 2 || $0.bounds.size.area > 2 * most }
    }

    /// Joins it with the places that it touches.
    private mutating func add(_ rect: PixelRect, at time: MediaTime) {
        var place = (bounds: rect, count: 1, last: time)
        for index in places.indices.reversed() where !places[index].bounds.intersection(rect).isEmpty {
            let other = places.remove(at: index)
            place.bounds = place.bounds.union(other.bounds)
            // Rectangles of one change count once.
            place.count += other.last == time ? other.count - 1 : other.count
        }
        places.append(place)
    }

    /// Whether a change is small enough to be nothing, if it recurs.
    func isSmall(_ change: InputHistory.Change) -> Bool { change.rects.allSatisfy { $0.size.area <= most } }

    /// Whether all of a change is nothing.
    func contains(_ change: InputHistory.Change) -> Bool {
        isSmall(change) && change.rects.allSatisfy { rect in places.contains { $0.bounds.intersection(rect) == rect } }
    }
}
