// Zooms that an editor offers, from what a person did.
import KineMedia

public enum AutomaticZooms {
    /// In seconds.
    private enum Time {
        /// From a zoom's beginning until it has arrived, on the largest screens.
        static let arrival = 1.75
        /// A zoom stays after what it shows.
        static let hold = 1.2
        /// Between what one zoom shows.
        static let together = 3.0
        /// Between a zoom's last motion and the next zoom.
        static let apart = 1.5
    }

    /// What a zoom shows has this part of its sides at most.
    private static let part = 0.7
    private static let (usualScale, leastScale) = (2.0, 1.3)

    /// The zooms of a recording, in order, in its seconds.
    ///
    /// - Parameters:
    ///   - history: the recording's.
    ///   - duration: likewise, in seconds.
    public static func make(of history: InputHistory, duration: Double) -> [FilmEdits.Zoom] {
        let pictures = history.newPictures
        func isAnotherPicture(_ times: ClosedRange<Double>) -> Bool { pictures.contains(where: times.contains) }
        func end(after time: Double) -> Double { min(time + Time.hold, pictures.first { $0 >= time } ?? .infinity) }
        var zooms: [Group] = []
        for group in groups(of: history.zoomReasons, apartAt: pictures, size: history.size) {
            let last = zooms.last
            let rested = last.map { end(after: $0.to) + Time.arrival + Time.apart } ?? 0
            if let last, group.from - Time.arrival < rested, !isAnotherPicture(last.to...max(last.to, group.from)) {
                zooms[zooms.count - 1].append(group)
            } else {
                // A zoom that arrived after what it shows would disturb.
                let earliest = max(rested, pictures.last { $0 <= group.from } ?? 0)
                if let kept = Group(group.reasons.filter { $0.from - Time.arrival >= earliest }) { zooms.append(kept) }
            }
        }
        return zooms.compactMap { zoom($0, to: min(end(after: $0.to), duration), size: history.size) }
    }

    /// What one zoom shows.
    private struct Group {
        var reasons: [ZoomReason]
        var place: PixelRect
        var from: Double
        var to: Double

        init?(_ reasons: [ZoomReason]) {
            guard let first = reasons.first else { return nil }
            self.reasons = reasons
            place = reasons.dropFirst().reduce(first.place) { $0.around($1.place) }
            (from, to) = (first.from, reasons.reduce(first.to) { max($0, $1.to) })
        }

        mutating func append(_ other: Group) {
            reasons += other.reasons
            place = place.around(other.place)
            to = max(to, other.to)
        }
    }

    /// Reasons that are near each other, in time and place, and of one picture.
    private static func groups(of reasons: [ZoomReason], apartAt pictures: [Double], size: PixelSize) -> [Group] {
        var groups: [Group] = []
        for var reason in reasons {
            reason.to = min(reason.to, pictures.first { $0 >= reason.from } ?? .infinity)
            if let last = groups.last, reason.from - last.to <= Time.together,
                scale(for: last.place.around(reason.place), size) >= leastScale,
                !pictures.contains(where: { $0 >= last.to && $0 <= reason.from }), let one = Group([reason])
            {
                groups[groups.count - 1].append(one)
            } else if let one = Group([reason]) {
                groups.append(one)
            }
        }
        return groups
    }

    private static func scale(for place: PixelRect, _ size: PixelSize) -> Double {
        min(
            part * Double(size.width) / Double(max(1, place.width)),
            part * Double(size.height) / Double(max(1, place.height)))
    }

    private static func zoom(_ group: Group, to: Double, size: PixelSize) -> FilmEdits.Zoom? {
        let from = group.from - Time.arrival
        guard from >= 0, to - from >= Time.apart else { return nil }
        let fitting = scale(for: group.place, size)
        // What is too far apart is shown by following the pointer.
        let isFixed = fitting >= leastScale
        let centre = [
            (Double(group.place.x) + Double(group.place.width) / 2) / Double(size.width),
            (Double(group.place.y) + Double(group.place.height) / 2) / Double(size.height),
        ].map { max(0, min(1, $0)) }
        return FilmEdits.Zoom(
            from: from, to: to, scale: isFixed ? min(usualScale, fitting) : usualScale,
            centre: isFixed ? centre : nil,
            reason: (group.reasons.first { $0.reason == .clicks } ?? group.reasons.first)?.reason)
    }
}

extension PixelRect {
    /// The smallest rectangle around both. One without an area is a point here.
    fileprivate func around(_ other: PixelRect) -> PixelRect {
        let (left, top) = (min(x, other.x), min(y, other.y))
        return PixelRect(x: left, y: top, width: max(maxX, other.maxX) - left, height: max(maxY, other.maxY) - top)
    }
}
