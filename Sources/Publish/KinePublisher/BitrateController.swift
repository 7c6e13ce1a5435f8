// Chooses the encoder's bitrate by the network's throughput: it falls quickly and rises slowly, and at the minimum the
// frame rate falls. Pure; called a few times a second with new measurements.

/// The bitrate of one destination. Times are nanoseconds on any steady clock.
public struct BitrateController: Sendable {
    public struct Target: Sendable, Equatable {
        /// Bits a second.
        public var bitrate: Int
        /// One of this many frames is encoded.
        public var frameDivisor: Int
    }

    /// Seconds of waiting data above which the bitrate is lowered.
    public static let congestedDelay = 0.4
    /// Seconds of waiting data below which the network transmits all data.
    public static let freeDelay = 0.1
    /// The used part of the network's capacity; the rest is for data that already waits.
    private static let share = 0.85
    /// The minimum nanoseconds between two decreases, and without waiting data before an increase.
    private static let decreaseInterval: Int64 = 1_000_000_000
    private static let increaseInterval: Int64 = 4_000_000_000
    private static let largestDivisor = 4

    public let range: ClosedRange<Int>
    /// Bits a second of audio, which is never reduced.
    public let reserved: Int
    public private(set) var target: Target
    /// Bits a second that arrived in about the last second; nil before the first measurement.
    public private(set) var throughput: Double?
    /// Seconds until all waiting data has been sent; 0 while that is unknown.
    public private(set) var delay = 0.0
    private var last: (now: Int64, waitingBytes: Int, deliveredBytes: Int64)?
    /// Bits a second that the network transmits; nil unless data always waits: otherwise the encoder is the limit.
    private var capacity: Double?
    /// Seconds for which data has waited without interruption. No waiting data is older.
    public private(set) var busy = 0.0
    private var decreased: Int64?
    private var freeSince: Int64?
    /// The bitrate at which the network was last overloaded; approached in small steps.
    private var ceiling: Double?

    /// `range`: bits a second; the target begins at its upper end. `reserved`: bits a second of audio.
    public init(range: ClosedRange<Int>, reserved: Int = 0) {
        self.range = range
        self.reserved = reserved
        target = Target(bitrate: range.upperBound, frameDivisor: 1)
    }

    /// Whether neither bitrate nor frame rate is reduced.
    public var isUnlimited: Bool { target == Target(bitrate: range.upperBound, frameDivisor: 1) }

    /// Call this for a new connection. Forgets the measurements and keeps the target.
    public mutating func reset() {
        last = nil
        throughput = nil
        capacity = nil
        busy = 0
        delay = 0
        freeSince = nil
    }

    /// Returns the new target.
    /// - Parameters:
    ///   - waitingBytes: bytes in the queue, or unsent in the kernel.
    ///   - deliveredBytes: bytes acknowledged by the peer so far.
    public mutating func update(now: Int64, waitingBytes: Int, deliveredBytes: Int64) -> Target {
        defer { last = (now, waitingBytes, deliveredBytes) }
        guard let last, now > last.now else { return target }
        measure(
            seconds: Double(now - last.now) / 1e9, delivered: deliveredBytes - last.deliveredBytes,
            waiting: waitingBytes, before: last.waitingBytes)
        if delay > Self.congestedDelay && busy >= Self.congestedDelay {
            freeSince = nil
            if decreased.map({ now - $0 >= Self.decreaseInterval }) ?? true {
                decrease(now, isGrowing: waitingBytes >= last.waitingBytes)
            }
        } else if delay < Self.freeDelay {
            let since = freeSince ?? now
            freeSince = since
            if now - since >= Self.increaseInterval {
                freeSince = now
                increase()
            }
        } else {
            freeSince = nil
        }
        return target
    }

    private mutating func measure(seconds: Double, delivered: Int64, waiting: Int, before: Int) {
        let rate = Double(max(0, delivered)) * 8 / seconds
        // The weight of a measurement falls to a third within a second.
        throughput = throughput.map { $0 + (rate - $0) * min(1, seconds) } ?? rate
        guard before > 0, waiting > 0 else {
            (busy, capacity, delay) = (0, nil, 0)
            return
        }
        // The mean over the first second, then weighted as above.
        busy += seconds
        let mean = capacity.map { $0 + (rate - $0) * min(1, seconds / min(1, busy)) } ?? rate
        capacity = mean
        // The minimum divisor keeps the delay of a few waiting bytes finite while almost nothing arrives.
        delay = Double(waiting) * 8 / max(mean, Double(range.lowerBound) / 4)
    }

    private mutating func decrease(_ now: Int64, isGrowing: Bool) {
        // The waiting data is decreasing, and will soon be sent.
        guard isGrowing || delay > 2 * Self.congestedDelay else { return }
        decreased = now
        let capacity = capacity ?? 0
        ceiling = min(Double(target.bitrate), capacity)
        guard target.bitrate > range.lowerBound else {
            target.frameDivisor = min(target.frameDivisor + 1, Self.largestDivisor)
            return
        }
        // At once to the network's capacity, unless that was zero for less than a second, which is not significant.
        let aim = capacity > 0 || busy >= 1 ? capacity * Self.share - Double(reserved) : Double(target.bitrate) / 2
        target.bitrate = max(range.lowerBound, Int(min(aim, Double(target.bitrate) * Self.share)))
    }

    private mutating func increase() {
        if target.frameDivisor > 1 {
            target.frameDivisor -= 1
            return
        }
        let bitrate = Double(target.bitrate)
        // In small steps near the last overload, otherwise in larger ones. An exceeded overload is forgotten.
        let isNear = ceiling.map { bitrate > $0 * 0.8 && bitrate < $0 * 1.05 } ?? false
        if let ceiling, bitrate > ceiling * 1.05 { self.ceiling = nil }
        target.bitrate = min(range.upperBound, Int(bitrate * (isNear ? 1.04 : 1.15)) + 1)
    }
}
