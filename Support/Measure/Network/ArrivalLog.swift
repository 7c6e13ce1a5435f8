// All that has arrived at the far end, and what can be said of it.

/// The account of one or several servers in turn. Instants are nanoseconds of CLOCK_MONOTONIC.
public struct ArrivalLog: Equatable, Sendable {
    public private(set) var units: [ArrivedUnit] = []
    /// Connections that were accepted, and those of them that could publish, with the instant.
    public private(set) var opened: [Int: Int64] = [:]
    public private(set) var live: [Int: Int64] = [:]
    /// Connections that ended with every farewell.
    public private(set) var finished: Set<Int> = []
    public private(set) var violations: [String] = []

    public init() {}

    /// - Parameter first: what the line's connections are counted from.
    public mutating func append(_ line: FarEndLine, from first: Int = 0) {
        switch line {
        case .opened(let connection, let instant): opened[first + connection] = instant
        case .live(let connection, let instant): live[first + connection] = instant
        case .unit(var unit):
            unit.connection += first
            units.append(unit)
        case .closed(let connection, _, let isOrderly): if isOrderly { finished.insert(first + connection) }
        case .violation(_, _, let what): violations.append(what)
        }
    }

    public var frames: [ArrivedUnit] { units.filter(\.isVideo) }

    /// The first frame that arrived at or after an instant, of those at most a second later than usual where that is known:
    /// what lay in a connection all the while is not live.
    public func firstFrame(after instant: Int64, beyond usual: Int64? = nil) -> ArrivedUnit? {
        units.first { unit in
            unit.isVideo && unit.arrival >= instant
                && usual.map { lateness(unit) - $0 <= 1_000_000_000 } ?? true
        }
    }

    /// Bits a second that arrived between two instants.
    public func bitrate(from start: Int64, to end: Int64) -> Double {
        let bytes = units.filter { $0.arrival >= start && $0.arrival < end }.reduce(0) { $0 + $1.byteCount }
        return Double(bytes * 8) / (Double(end - start) / 1e9)
    }

    // MARK: Delay

    /// How much later each frame came than its time says, in nanoseconds from an instant that is the same for all.
    private func lateness(_ unit: ArrivedUnit) -> Int64 { unit.arrival - unit.time * 1_000_000 }

    /// What `delay` is measured against: the lateness that half of the frames before `instant` did not exceed.
    public func usualLateness(before instant: Int64) -> Int64? {
        let sorted = frames.filter { $0.arrival < instant }.map(lateness).sorted()
        return sorted.isEmpty ? nil : sorted[sorted.count / 2]
    }

    /// Seconds after `instant` from which on frames came at most `tolerance` nanoseconds later than usual; nil where they
    /// do not. What counts is the middle one of every half second: the machine has other things to do, too.
    public func settled(after instant: Int64, beyond usual: Int64, tolerance: Int64) -> Double? {
        let after = frames.filter { $0.arrival >= instant }
        var result: Double?
        var rest = after[...]
        while let last = rest.last {
            let begin = rest.lastIndex { $0.arrival <= last.arrival - 500_000_000 }
            let window = rest[(begin.map { $0 + 1 } ?? rest.startIndex)...]
            let late = window.map { lateness($0) - usual }.sorted()
            guard late.count >= 3, late[late.count / 2] <= tolerance else { break }
            let first = window.first { lateness($0) - usual <= tolerance } ?? last
            result = Double(first.arrival - instant) / 1e9
            rest = rest.dropLast(window.count)
        }
        return result
    }

    // MARK: Order

    /// What is wrong with the order of what came: a connection that does not begin with a keyframe, times that go back, audio
    /// with gaps inside a connection. Nothing: empty.
    /// - Parameter audioInterval: milliseconds from one access unit of audio to the next.
    public func faults(audioInterval: Double = 1024.0 / 48) -> [String] {
        var faults = violations
        var last: [Bool: ArrivedUnit] = [:]
        for unit in units {
            let name = unit.isVideo ? "frame" : "audio"
            let before = last.updateValue(unit, forKey: unit.isVideo)
            let isFirst = before?.connection != unit.connection
            if isFirst, unit.isVideo, !unit.isKeyframe {
                faults.append("connection \(unit.connection) begins with a frame that is no keyframe")
            }
            guard let before else { continue }
            // Two frames may share a millisecond, and RTMP counts no finer: a keyframe that was asked for is the frame
            // before once more, just ahead of the next.
            let mayShare = unit.isVideo && !isFirst && !unit.isKeyframe
            if unit.time < before.time || unit.time == before.time && !mayShare {
                faults.append("the \(name) at \(unit.time) ms came after the one at \(before.time) ms")
            }
            if !isFirst, !unit.isVideo, Double(unit.time - before.time) > audioInterval + 2 {
                faults.append("audio is missing between \(before.time) and \(unit.time) ms")
            }
        }
        return faults
    }
}
