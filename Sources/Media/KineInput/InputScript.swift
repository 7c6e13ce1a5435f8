// The lines of one sample while they are made: few enough for a track, however many events come.
import KineMedia

struct InputScript {
    private(set) var state: InputState
    /// The names of the pointer's images since the sample's beginning.
    private(set) var images: [String] = []
    private let start: MediaTime
    private var latest = 0
    private var lines: [InputLine] = []
    private var way: (at: Int, from: PixelPoint, steps: [InputStep])?
    /// The end of the way's last step, in milliseconds from the sample's beginning.
    private var wayEnd = 0
    private var change: (at: Int, rects: [PixelRect])?

    /// Milliseconds between two steps of the pointer, and between two changes of the picture.
    static let (stepInterval, changeInterval) = (16, 100)
    private static let (mostRects, mostCompared) = (8, 24)

    init(start: MediaTime, state: InputState) { (self.start, self.state) = (start, state) }

    mutating func note(_ action: InputAction, at time: MediaTime) {
        let at = milliseconds(time)
        switch action {
        case .pointer(let place): move(to: place, at: at)
        case .pressed(let button):
            guard let place = state.pointer, !state.held.contains(button) else { return }
            state.held.append(button)
            append(.press(button, at: at, place))
        case .released(let button):
            guard let index = state.held.firstIndex(of: button) else { return }
            state.held.remove(at: index)
            if let place = state.pointer { append(.release(button, at: at, place)) }
        case .scrolled(let x, let y):
            if state.pointer != nil { append(.scroll(x: x, y: y, at: at)) }
        case .typed, .image: break  // the recorder's own
        case .focused(let rect):
            guard rect != state.focus else { return }
            state.focus = rect
            append(.focus(rect, at: at))
        case .changed(let rects): note(rects, at: at)
        }
    }

    /// The pointer looks like the image of that name now; nil: like one that is not recorded.
    mutating func noteImage(_ name: String?, at time: MediaTime) {
        guard name != state.image else { return }
        state.image = name
        if let name { images.append(name) }
        append(.pointerImage(name, at: milliseconds(time)))
    }

    /// From the sample's beginning; never before an earlier line's.
    private mutating func milliseconds(_ time: MediaTime) -> Int {
        latest = max(latest, Int((time - start).nanoseconds / 1_000_000))
        return latest
    }

    /// The lines after the state's.
    mutating func finish() -> [InputLine] {
        endWay()
        endChange()
        return lines
    }

    /// Other lines come after the pointer's way to their place.
    private mutating func append(_ line: InputLine) {
        endWay()
        lines.append(line)
    }

    private mutating func move(to place: PixelPoint?, at: Int) {
        guard place != state.pointer else { return }
        defer { state.pointer = place }
        guard let place else { return append(.pointerLeft(at: at)) }
        guard let last = state.pointer, var way else {
            endWay()
            (way, wayEnd) = ((at, place, []), at)
            return
        }
        let step = InputStep(after: at - wayEnd, x: place.x - last.x, y: place.y - last.y)
        if step.after < Self.stepInterval {
            // A little early, so that the way ends where the pointer is.
            if let index = way.steps.indices.last {
                way.steps[index].x += step.x
                way.steps[index].y += step.y
            } else {
                way.from = place
            }
        } else {
            way.steps.append(step)
            wayEnd = at
        }
        self.way = way
    }

    private mutating func endWay() {
        guard let (at, from, steps) = way.take() else { return }
        lines.append(.way(at: at, from: from, steps: steps))
    }

    private mutating func note(_ rects: [PixelRect], at: Int) {
        let own = rects.map { $0.intersection(PixelRect(size: state.size)) }.filter { !$0.isEmpty }
        guard !own.isEmpty else { return }
        if let change, at - change.at >= Self.changeInterval { endChange() }
        change = (change?.at ?? at, Self.joined((change?.rects ?? []) + own))
    }

    private mutating func endChange() {
        if let (at, rects) = change.take() { lines.append(.change(rects, at: at)) }
    }

    /// Joins those whose common rectangle adds the least, until there are few enough.
    static func joined(_ rects: [PixelRect]) -> [PixelRect] {
        // The search below takes the cube of their number.
        var rects = rects.count > mostCompared ? [rects.reduce(rects[0]) { $0.union($1) }] : rects
        while rects.count > mostRects || rects.count > 1 && cheapest(rects).cost <= 0 {
            let (first, second, _) = cheapest(rects)
            let union = rects[first].union(rects[second])
            rects.remove(at: second)
            rects[first] = union
        }
        return rects
    }

    /// - Returns: two indices, the lower one first, and the pixels that their common rectangle has beyond both.
    private static func cheapest(_ rects: [PixelRect]) -> (first: Int, second: Int, cost: Int) {
        var best = (first: 0, second: 1, cost: Int.max)
        for first in rects.indices {
            for second in rects.indices.dropFirst(first + 1) {
                let (one, other) = (rects[first], rects[second])
                let both = one.size.area + other.size.area - one.intersection(other).size.area
                let cost = one.union(other).size.area - both
                if cost < best.cost { best = (first, second, cost) }
            }
        }
        return best
    }
}
