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
    private static let secondsBetweenDecreases: Int64 = 1_000_000_000
    private static let secondsBeforeIncrease: Int64 = 4_000_000_000
    private static let largestDivisor = 4

    public let range: ClosedRange<Int>
    public private(set) var target: Target
    /// Bits a second that arrived in the last second or so; nil before there is a measurement.
    public private(set) var throughput: Double?
    private var last: Measurement?
    private var decreased = Int64.min
    private var freeSince: Int64?
    /// The bitrate at which it was too much last: approached in small steps.
    private var ceiling: Double?

    /// `range`: bits a second; it begins at the upper end.
    public init(range: ClosedRange<Int>) {
        self.range = range
        target = Target(bitrate: range.upperBound, frameDivisor: 1)
    }

    /// The connection is another one: nothing measured holds for it.
    public mutating func reset() {
        last = nil
        throughput = nil
        freeSince = nil
    }

    /// What is to be aimed at now.
    public mutating func update(_ measurement: Measurement) -> Target {
        defer { last = measurement }
        guard let last, measurement.now > last.now else { return target }
        let seconds = Double(measurement.now - last.now) / 1e9
        let rate = Double(max(0, measurement.deliveredBytes - last.deliveredBytes)) * 8 / seconds
        // The weight of a measurement falls to a third within a second.
        let weight = min(1, seconds)
        throughput = throughput.map { $0 + (rate - $0) * weight } ?? rate

        // What is delivered while something waits is what the network takes; otherwise it takes more than is sent.
        let drain = max(throughput ?? 0, Double(range.lowerBound) / 4)
        let delay = Double(measurement.waitingBytes) * 8 / drain
        if delay > Self.congestedDelay {
            freeSince = nil
            if decreased == .min || measurement.now - decreased >= Self.secondsBetweenDecreases {
                decrease(measurement.now, isGrowing: measurement.waitingBytes >= last.waitingBytes, delay: delay)
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

    private mutating func decrease(_ now: Int64, isGrowing: Bool, delay: Double) {
        // It is getting less by itself, and soon gone.
        guard isGrowing || delay > 2 * Self.congestedDelay else { return }
        decreased = now
        ceiling = Double(target.bitrate)
        guard target.bitrate > range.lowerBound else {
            target.frameDivisor = min(target.frameDivisor + 1, Self.largestDivisor)
            return
        }
        // Less than arrives, so that what waits can go too; at once to where the network is.
        let aim = min((throughput ?? 0) * 0.85, Double(target.bitrate) * 0.85)
        target.bitrate = max(range.lowerBound, Int(aim))
    }

    private mutating func increase() {
        if target.frameDivisor > 1 {
            target.frameDivisor -= 1
            return
        }
        let bitrate = Double(target.bitrate)
        // Near the last failure carefully, far below it in larger steps; beyond it, it is forgotten.
        let isNear = ceiling.map { bitrate > $0 * 0.8 && bitrate < $0 * 1.05 } ?? false
        if let ceiling, bitrate > ceiling * 1.05 { self.ceiling = nil }
        target.bitrate = min(range.upperBound, Int(bitrate * (isNear ? 1.04 : 1.15)))
    }
}
