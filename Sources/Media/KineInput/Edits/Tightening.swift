// What an editor leaves out or shows faster: the time in which nothing happens.
import KineMedia

public struct Tightening: Equatable, Sendable {
    public private(set) var cuts: [FilmEdits.Cut] = []
    public private(set) var speeds: [FilmEdits.Speed] = []

    /// In seconds.
    private enum Time {
        /// A wait is at least so long, and so much of it stays.
        static let wait = 2.0
        static let rest = 0.5
        /// The way of the pointer before a press, and what one sees after it.
        static let before = 1.0
        static let after = 0.25
        /// A small part that alone moves for so long becomes faster.
        static let progress = 4.0
    }

    /// A small part has at most this part of the picture.
    private static let smallShare = 0.05
    private static let fast = 8.0
    /// The lowest peak, of 255, that is no silence. A microphone's noise is below.
    private static let audiblePeak: UInt8 = 6

    /// - Parameters:
    ///   - history: the recording's.
    ///   - duration: likewise, in seconds.
    ///   - peaks: how loud equal parts of the recording are (RecordingWaveform); empty: it has no audio.
    public init(_ history: InputHistory, duration: Double, peaks: [UInt8]) {
        var busy = history.presses.map { $0.time.seconds - Time.before..<$0.time.seconds + Time.after }
        busy += history.scrolls.map { $0.seconds..<$0.seconds + Time.after }
        busy += history.typing.map { $0.lowerBound.seconds..<$0.upperBound.seconds }
        let part = duration / Double(max(1, peaks.count))
        busy += peaks.indices.filter { peaks[$0] >= Self.audiblePeak }.map { Double($0) * part..<Double($0 + 1) * part }
        let motions = Motion.all(in: Self.changes(of: history, in: Self.gaps(between: busy, in: 0..<duration)))
        let smallArea = Int(Self.smallShare * Double(history.size.area))
        func isSmall(_ motion: Motion) -> Bool {
            motion.to - motion.from >= Time.progress && motion.place.size.area <= smallArea
        }
        busy += motions.filter { !isSmall($0) }.map { $0.from..<$0.to + Time.after }
        let small = motions.filter(isSmall).map { $0.from..<$0.to + Time.after }
        for gap in Self.gaps(between: busy, in: 0..<duration) {
            let inside = small.map { $0.clamped(to: gap) }.filter { !$0.isEmpty }
            for range in inside where range.upperBound - range.lowerBound >= Time.progress {
                let edge = Time.rest / 2
                speeds.append(
                    FilmEdits.Speed(from: range.lowerBound + edge, to: range.upperBound - edge, speed: Self.fast))
            }
            for wait in Self.gaps(between: inside, in: gap) where wait.upperBound - wait.lowerBound >= Time.wait {
                cuts.append(Self.cut(wait, of: duration))
            }
        }
    }

    /// The seconds by which a film is shorter.
    public var saved: Double {
        cuts.reduce(0) { $0 + $1.to - $1.from } + speeds.reduce(0) { $0 + ($1.to - $1.from) * (1 - 1 / $1.speed) }
    }

    /// Leaves as much at both sides; at the film's beginning and end all of it at the inner one.
    private static func cut(_ wait: Range<Double>, of duration: Double) -> FilmEdits.Cut {
        let (isFirst, isLast) = (wait.lowerBound <= 0, wait.upperBound >= duration)
        if isLast { return FilmEdits.Cut(from: wait.lowerBound + Time.rest, to: duration) }
        if isFirst { return FilmEdits.Cut(from: 0, to: wait.upperBound - Time.rest) }
        return FilmEdits.Cut(from: wait.lowerBound + Time.rest / 2, to: wait.upperBound - Time.rest / 2)
    }

    /// The changes in times without clicks, typing or sound that are something.
    private static func changes(of history: InputHistory, in gaps: [Range<Double>]) -> [InputHistory.Change] {
        var (rest, next) = ([InputHistory.Change](), 0)
        for gap in gaps {
            while next < history.changes.count, history.changes[next].time.seconds < gap.lowerBound { next += 1 }
            let own = history.changes[next...].prefix { $0.time.seconds < gap.upperBound }
            next += own.count
            let quiet = RecurringChanges(of: own, in: history.size)
            rest += own.filter { !quiet.contains($0) }
        }
        // A clock that shows no seconds changes once in several waits.
        let quiet = RecurringChanges(of: rest, in: history.size)
        return rest.filter { !quiet.contains($0) }
    }

    /// What is left of `whole` between ranges.
    private static func gaps(between ranges: [Range<Double>], in whole: Range<Double>) -> [Range<Double>] {
        var (gaps, end) = ([Range<Double>](), whole.lowerBound)
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > end { gaps.append(end..<min(range.lowerBound, whole.upperBound)) }
            end = max(end, range.upperBound)
            guard end < whole.upperBound else { return gaps }
        }
        return gaps + [end..<whole.upperBound]
    }
}

/// Changes that follow each other without a long gap.
private struct Motion {
    /// In seconds: changes without a longer one are one motion.
    private static let gap = 1.0
    var from: Double
    var to: Double
    var place: PixelRect

    /// - Parameter changes: in the order of their times.
    static func all(in changes: [InputHistory.Change]) -> [Motion] {
        var all: [Motion] = []
        for change in changes {
            let time = change.time.seconds
            if let last = all.last, time - last.to <= gap {
                all[all.count - 1].to = time
                all[all.count - 1].place = last.place.union(change.bounds)
            } else {
                all.append(Motion(from: time, to: time, place: change.bounds))
            }
        }
        return all
    }
}
