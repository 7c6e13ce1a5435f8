// Which frames a film has, and which of them are copied. Pure.
import KineMedia

/// The frames of a film, in order.
struct FilmPlan: Equatable {
    struct Frame: Equatable {
        /// The recording's frame that it shows.
        var source: Int
        /// The time in the film at which it appears.
        var time: MediaTime
        var isCopied: Bool
    }

    private(set) var frames: [Frame] = []

    /// The frames of a recording.
    struct Source {
        var count: Int
        /// The time at which a frame appears.
        var time: (Int) -> MediaTime
        /// The frame that is shown at a time.
        var frame: (MediaTime) -> Int
        var isKeyframe: (Int) -> Bool
    }

    /// How the film differs from what the recording shows.
    struct Change {
        /// Times of the film at which it does not show the whole picture, in order.
        var ranges: [Range<Double>] = []
        /// Times of the film at which what it shows moves, in order.
        var motions: [Range<Double>] = []
        /// Frames a second while something moves, and where the recording is faster.
        var rate: Double
        /// No frame is copied, and none is sooner after another than this rate says.
        var isWhole = false
    }

    init(of source: Source, _ timeline: FilmTimeline, _ change: Change) {
        for part in timeline.parts {
            for shown in Self.frames(of: source, part, change) { append(shown, source, change) }
        }
    }

    var encodedCount: Int { frames.count { !$0.isCopied } }

    /// A frame of the recording at a time of the film.
    private struct Shown {
        var number: Int
        var time: MediaTime
        /// The zoom has moved since the frame before.
        var isMoved = false
    }

    /// A copied frame needs the one before it, unless it is a keyframe.
    private mutating func append(_ shown: Shown, _ source: Source, _ change: Change) {
        if let last = frames.last {
            // The frame before lasts on.
            if last.source == shown.number, !shown.isMoved { return }
            if last.time >= shown.time { frames.removeLast() }
        }
        let isChanged = change.isWhole || change.ranges.contains(shown.time.seconds)
        let follows = frames.last.map { $0.isCopied && $0.source == shown.number - 1 } ?? false
        let isCopied = !isChanged && (follows || source.isKeyframe(shown.number))
        frames.append(Frame(source: shown.number, time: shown.time, isCopied: isCopied))
    }

    /// The frames of one part and their times in the film: the recording's own, and more or fewer where something moves or is faster.
    private static func frames(of source: Source, _ part: FilmTimeline.Part, _ change: Change) -> [Shown] {
        let (first, last) = (source.frame(part.source.lowerBound), source.frame(part.source.upperBound))
        func film(_ time: MediaTime) -> MediaTime {
            let into = Double((max(time, part.source.lowerBound) - part.source.lowerBound).nanoseconds) / part.speed
            return part.film.lowerBound + MediaTime(nanoseconds: Int64(into.rounded()))
        }
        // At the next one of equal intervals; a little early, since times are rounded.
        func tick(_ time: MediaTime) -> MediaTime {
            .seconds((time.seconds * change.rate - 0.01).rounded(.up) / change.rate)
        }
        let isThinned = part.speed > 1 || change.isWhole
        var frames: [Shown] = []
        for number in first...max(first, last) {
            let exact = film(source.time(number))
            let time = isThinned && number > first ? tick(exact) : exact
            guard time < part.film.upperBound || number == first else { break }
            if isThinned, let before = frames.last, before.time >= time, frames.count > 1 {
                frames[frames.count - 1].number = number
            } else {
                frames.append(Shown(number: number, time: time))
            }
        }
        return withMotion(frames, until: part.film.upperBound, change)
    }

    /// Replaces frames within a motion by such at equal intervals.
    private static func withMotion(_ frames: [Shown], until end: MediaTime, _ change: Change) -> [Shown] {
        guard let first = frames.first else { return [] }
        var (result, next) = ([first], 1)
        for motion in change.motions where motion.upperBound > first.time.seconds && motion.lowerBound < end.seconds {
            while next < frames.count, frames[next].time.seconds <= motion.lowerBound {
                result.append(frames[next])
                next += 1
            }
            var tick = (max(first.time.seconds, motion.lowerBound) * change.rate).rounded(.down) + 1
            // The last tick is the first one at rest.
            while (tick - 1) / change.rate < motion.upperBound {
                let time = MediaTime.seconds(tick / change.rate)
                guard time < end else { break }
                var number = result.last?.number ?? first.number
                while next < frames.count, frames[next].time <= time {
                    number = frames[next].number
                    next += 1
                }
                result.append(Shown(number: number, time: time, isMoved: true))
                tick += 1
            }
        }
        return result + frames[next...]
    }
}

extension [Range<Double>] {
    /// Whether one of the ranges, which are in order, has a value.
    fileprivate func contains(_ value: Double) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].lowerBound <= value { low = middle + 1 } else { high = middle }
        }
        return low > 0 && value < self[low - 1].upperBound
    }
}
