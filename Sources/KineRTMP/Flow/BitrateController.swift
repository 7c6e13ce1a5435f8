// How much the encoder should make, from what the network takes: quickly down, slowly up, and at the floor fewer pictures.
// Pure; called a few times a second with what was measured.

/// The bitrate of one destination. Times are nanoseconds on any steady clock.
public struct BitrateController: Sendable {
    public struct Measurement: Sendable, Equatable {
        public var now: Int64
        /// Bytes that wait on this side: in the queue, and unsent in the kernel.
        public var waitingBytes: Int
        /// Bytes that the peer has acknowledged so far.
        public var deliveredBytes: Int64

        public init(now: Int64, waitingBytes: Int, deliveredBytes: Int64) {
            self.now = now
            self.waitingBytes = waitingBytes
            self.deliveredBytes = deliveredBytes
        }
    }

    public struct Target: Sendable, Equatable {
        /// Bits a second.
        public var bitrate: Int
        /// Every so many-th picture is taken.
        public var frameDivisor: Int

        public init(bitrate: Int, frameDivisor: Int) {
            self.bitrate = bitrate
            self.frameDivisor = frameDivisor
        }
    }

    /// Seconds that may wait before less is asked for.
    public static let congestedDelay = 0.4
    /// Below this many seconds the network takes everything.
    public static let freeDelay = 0.1
    /// What is aimed at, of what the network takes: what waits has to go, too.
    private static let share = 0.85
    private static let secondsBetweenDecreases: Int64 = 1_000_000_000
    private static let secondsBeforeIncrease: Int64 = 4_000_000_000
    private static let largestDivisor = 4

    public let range: ClosedRange<Int>
    /// Bits a second of what is sent beside the pictures: sound is never made less.
    public let reserved: Int
    public private(set) var target: Target
    /// Bits a second that arrived in the last second or so; nil before there is a measurement.
    public private(set) var throughput: Double?
    /// Seconds that it takes until what waits now has been sent; 0 where it is not known yet.
    public private(set) var delay = 0.0
    private var last: Measurement?
    /// Bits a second that the network takes, measured while something waits all the time: what arrives otherwise is only what was
    /// made, and a still screen makes hardly anything.
    private var capacity: Double?
    /// Seconds since which something waits all the time: so old is what waits at most.
    public private(set) var busy = 0.0
    private var decreased = Int64.min
    private var freeSince: Int64?
    /// What the network took when it was too much last: approached in small steps.
    private var ceiling: Double?

    /// `range`: bits a second; it begins at the upper end.
    public init(range: ClosedRange<Int>, reserved: Int = 0) {
        self.range = range
        self.reserved = reserved
        target = Target(bitrate: range.upperBound, frameDivisor: 1)
    }

    /// Nothing less than everything is aimed at.
    public var isUnlimited: Bool { target == Target(bitrate: range.upperBound, frameDivisor: 1) }

    /// The connection is another one: nothing measured holds for it, but what was aimed at last is where it begins.
    public mutating func reset() {
        last = nil
        throughput = nil
        capacity = nil
        busy = 0
        delay = 0
        freeSince = nil
    }

    /// What is to be aimed at now.
    public mutating func update(_ measurement: Measurement) -> Target {
        defer { last = measurement }
        guard let last, measurement.now > last.now else { return target }
        measure(measurement, since: last)
        if delay > Self.congestedDelay && busy >= Self.congestedDelay {
            freeSince = nil
            if decreased == .min || measurement.now - decreased >= Self.secondsBetweenDecreases {
                decrease(measurement.now, isGrowing: measurement.waitingBytes >= last.waitingBytes)
            }
        } else if delay < Self.freeDelay {
            let since = freeSince ?? measurement.now
            freeSince = since
            if measurement.now - since >= Self.secondsBeforeIncrease {
                freeSince = measurement.now
                increase()
            }
        } else {
            freeSince = nil
        }
        return target
    }

    private mutating func measure(_ measurement: Measurement, since last: Measurement) {
        let seconds = Double(measurement.now - last.now) / 1e9
        let rate = Double(max(0, measurement.deliveredBytes - last.deliveredBytes)) * 8 / seconds
        // The weight of a measurement falls to a third within a second.
        throughput = throughput.map { $0 + (rate - $0) * min(1, seconds) } ?? rate
        guard last.waitingBytes > 0, measurement.waitingBytes > 0 else {
            (busy, capacity, delay) = (0, nil, 0)
            return
        }
        // The mean of the first second, then as above.
        busy += seconds
        let mean = capacity.map { $0 + (rate - $0) * min(1, seconds / min(1, busy)) } ?? rate
        capacity = mean
        // Where next to nothing arrives, a little that waits is not yet for ever.
        delay = Double(measurement.waitingBytes) * 8 / max(mean, Double(range.lowerBound) / 4)
    }

    private mutating func decrease(_ now: Int64, isGrowing: Bool) {
        // It is getting less by itself, and soon gone.
        guard isGrowing || delay > 2 * Self.congestedDelay else { return }
        decreased = now
        let capacity = capacity ?? 0
        ceiling = min(Double(target.bitrate), capacity)
        guard target.bitrate > range.lowerBound else {
            target.frameDivisor = min(target.frameDivisor + 1, Self.largestDivisor)
            return
        }
        // At once to where the network is; but that nothing arrived for half a second need not mean more than that.
        let aim = capacity > 0 || busy >= 1 ? capacity * Self.share - Double(reserved) : Double(target.bitrate) / 2
        target.bitrate = max(range.lowerBound, Int(min(aim, Double(target.bitrate) * Self.share)))
    }

    private mutating func increase() {
        if target.frameDivisor > 1 {
            target.frameDivisor -= 1
            return
        }
        let bitrate = Double(target.bitrate)
        // Near the last failure carefully, far from it in larger steps; beyond it, it is forgotten.
        let isNear = ceiling.map { bitrate > $0 * 0.8 && bitrate < $0 * 1.05 } ?? false
        if let ceiling, bitrate > ceiling * 1.05 { self.ceiling = nil }
        target.bitrate = min(range.upperBound, Int(bitrate * (isNear ? 1.04 : 1.15)) + 1)
    }
}
