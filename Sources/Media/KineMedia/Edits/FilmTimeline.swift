// Which times of a recording a film shows, and when.

public struct FilmTimeline: Equatable, Sendable {
    /// A part of the recording that the film shows at one speed.
    public struct Part: Equatable, Sendable {
        /// Times of the recording.
        public var source: Range<MediaTime>
        /// When the film shows them.
        public var film: Range<MediaTime>
        /// Seconds of the recording that a second of the film shows.
        public var speed: Double
    }

    /// In order, and without gaps in the film.
    public let parts: [Part]

    /// - Parameters:
    ///   - edits: valid ones.
    ///   - duration: the recording's.
    public init(_ edits: FilmEdits, duration: MediaTime) {
        let whole = MediaTime.zero..<max(.zero, duration)
        let cuts = Self.joined(edits.cuts.map(Self.times)).map { $0.clamped(to: whole) }
        let speeds = edits.speeds.map { (times: Self.times($0).clamped(to: whole), speed: $0.speed) }
        // The film's speed, or what it leaves out, changes only here.
        let bounds = Set(
            [whole.lowerBound, whole.upperBound]
                + (cuts + speeds.map(\.times)).flatMap { [$0.lowerBound, $0.upperBound] })
        let instants = bounds.sorted()
        var (parts, cut, end) = ([Part](), 0, MediaTime.zero)
        let ordered = speeds.sorted { $0.times.lowerBound < $1.times.lowerBound }
        var next = 0
        for (from, to) in zip(instants, instants.dropFirst()) {
            while cut < cuts.count, cuts[cut].upperBound <= from { cut += 1 }
            while next < ordered.count, ordered[next].times.upperBound <= from { next += 1 }
            if cut < cuts.count, cuts[cut].lowerBound <= from { continue }
            let isChanged = next < ordered.count && ordered[next].times.lowerBound <= from
            let speed = isChanged ? ordered[next].speed : 1
            let length = MediaTime(nanoseconds: Int64((Double((to - from).nanoseconds) / speed).rounded()))
            if let last = parts.last, last.speed == 1, speed == 1, last.source.upperBound == from {
                parts[parts.count - 1].source = last.source.lowerBound..<to
                parts[parts.count - 1].film = last.film.lowerBound..<end + length
            } else {
                parts.append(Part(source: from..<to, film: end..<end + length, speed: speed))
            }
            end += length
        }
        self.parts = parts
    }

    public var duration: MediaTime { parts.last?.film.upperBound ?? .zero }

    /// The time of the recording that the film shows.
    ///
    /// - Parameter time: of the film; one outside of it counts as its beginning or end.
    public func source(at time: MediaTime) -> MediaTime {
        guard let part = parts.last(where: \.film.lowerBound, notAfter: time) ?? parts.first else { return .zero }
        let into = max(.zero, min(time, part.film.upperBound) - part.film.lowerBound)
        return min(
            part.source.upperBound,
            part.source.lowerBound + MediaTime(nanoseconds: Int64((Double(into.nanoseconds) * part.speed).rounded())))
    }

    /// When the film shows a time of the recording; of what is left out, where that was.
    public func film(at time: MediaTime) -> MediaTime {
        guard let part = parts.last(where: \.source.lowerBound, notAfter: time) else { return .zero }
        let into = min(time, part.source.upperBound) - part.source.lowerBound
        return min(
            part.film.upperBound,
            part.film.lowerBound + MediaTime(nanoseconds: Int64((Double(into.nanoseconds) / part.speed).rounded())))
    }

    private static func times(_ range: some EditRange) -> Range<MediaTime> {
        .seconds(range.from)..<(.seconds(range.to))
    }

    /// The ranges in order, those that touch as one.
    private static func joined(_ ranges: [Range<MediaTime>]) -> [Range<MediaTime>] {
        var joined: [Range<MediaTime>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, range.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }
}

extension Array {
    /// The index of the first element of which `isBeyond` is true; it is true of all after that.
    func partitioningIndex(_ isBeyond: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBeyond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The last element whose value is at most `limit`, in an array that these values order.
    func last<Value: Comparable>(where value: (Element) -> Value, notAfter limit: Value) -> Element? {
        let index = partitioningIndex { value($0) > limit }
        return index > 0 ? self[index - 1] : nil
    }
}
