// Where and when something happens that a film should show larger.
import KineMedia

/// One thing to show.
struct ZoomReason: Equatable {
    /// In seconds of the recording.
    var from: Double
    var to: Double
    /// Of the picture; a click's is empty.
    var place: PixelRect
    var reason: FilmEdits.Reason
}

extension InputHistory {
    /// A change of more than this part of the picture is another picture.
    private static let mostOfPicture = 0.5
    /// A larger change is none that one looks at for itself.
    private static let smallShare = 0.15
    /// In seconds: the shortest stay, what comes between a click and its answer, and the longest time between both.
    private static let (dwell, lag, answer) = (0.4, 0.1, 0.7)
    /// In pixels: a hand does not hold the pointer more still.
    private static let tremble = 6

    /// When most of the picture changes, in seconds.
    var newPictures: [Double] {
        changes.filter { $0.share(of: size) >= Self.mostOfPicture }.map(\.time.seconds)
    }

    /// What there is to show, in the order of its beginning.
    var zoomReasons: [ZoomReason] {
        let reasons = knowsClicks ? clicks + typed : hasPointer ? dwellings : smallChanges
        return reasons.sorted { $0.from < $1.from }
    }

    private var hasPointer: Bool { places.contains { $0.point != nil } }

    private var clicks: [ZoomReason] {
        presses.map { press in
            ZoomReason(
                from: press.time.seconds, to: press.time.seconds,
                place: PixelRect(x: press.point.x, y: press.point.y, width: 0, height: 0), reason: .clicks)
        }
    }

    /// Typing, where the picture changed by it; else where the last click was.
    private var typed: [ZoomReason] {
        typing.compactMap { span in
            let focused = focus.last { $0.time < span.upperBound }?.rect
            let answers = changes.filter { span.contains($0.time) && $0.share(of: size) <= Self.smallShare }
                .flatMap(\.rects).filter { rect in focused.map { !$0.intersection(rect).isEmpty } ?? true }
            let clicked = presses.last { $0.time < span.upperBound }?.point
            let click = clicked.map { PixelRect(x: $0.x, y: $0.y, width: 0, height: 0) }
            guard let place = answers.first.map({ answers.reduce($0) { $0.union($1) } }) ?? click else { return nil }
            return ZoomReason(
                from: span.lowerBound.seconds, to: span.upperBound.seconds, place: place, reason: .typing)
        }
    }

    /// Where the pointer stayed and something changed: the best that tells of a click.
    private var dwellings: [ZoomReason] {
        let quiet = RecurringChanges(of: changes, in: size)
        let answers = changes.filter { change in
            let share = change.share(of: size)
            return (share <= Self.smallShare || share >= Self.mostOfPicture) && !quiet.contains(change)
        }
        return stays.compactMap { stay in
            let answer = answers.first {
                $0.time.seconds > stay.from + Self.lag && $0.time.seconds <= stay.to + Self.answer
            }
            guard let answer else { return nil }
            let time = answer.time.seconds - Self.lag
            return ZoomReason(
                from: time, to: time, place: PixelRect(x: stay.point.x, y: stay.point.y, width: 0, height: 0),
                reason: .dwelling)
        }
    }

    /// Where the pointer did not move, and how long.
    private var stays: [(from: Double, to: Double, point: PixelPoint)] {
        var stays: [(from: Double, to: Double, point: PixelPoint)] = []
        for place in places {
            if let last = stays.last { stays[stays.count - 1].to = min(last.to, place.time.seconds) }
            guard let point = place.point else { continue }
            if let last = stays.last, last.to == place.time.seconds, point.isWithin(Self.tremble, of: last.point) {
                stays[stays.count - 1].to = .infinity
            } else {
                stays.append((place.time.seconds, .infinity, point))
            }
        }
        return stays.filter { $0.to - $0.from >= Self.dwell }
    }

    private var smallChanges: [ZoomReason] {
        let quiet = RecurringChanges(of: changes, in: size)
        return changes.filter { $0.share(of: size) <= Self.smallShare && !quiet.contains($0) }.map {
            ZoomReason(from: $0.time.seconds, to: $0.time.seconds, place: $0.bounds, reason: .changes)
        }
    }
}

extension PixelPoint {
    fileprivate func isWithin(_ distance: Int, of other: PixelPoint) -> Bool {
        (x - other.x).magnitude <= UInt(distance) && (y - other.y).magnitude <= UInt(distance)
    }
}
