// Limits the bits of a peak by the clock. x264 has such a buffer too (its VBV; ITU-T H.264, C.1), but fills it by one
// interval of the nominal rate with each picture. A still screen has five pictures a second: at a nominal 30 it would get a sixth
// of its bits, and x264 would be busy sharpening it for as long as it stands.

/// A buffer that time fills and pictures empty. It says how many intervals x264's own has to be filled by. Pure.
struct PeakBuffer {
    /// The buffer's size, and the bits that it gains in one interval of the nominal rate.
    private(set) var capacity: Double
    private(set) var interval: Double
    /// Bits that are in it, by x264's account.
    private(set) var level: Double
    /// Intervals that have passed and are not in `level` yet; less than nothing where pictures came early.
    private var owed = 0.0

    /// As x264 begins: f_vbv_buffer_init.
    private static let initialShare = 0.9
    /// x264 means a buffer to be used up by each picture when little more than one comes into it between two
    /// (`single_frame_vbv`: 1.1 times).
    private static let largestShare = 0.9

    init(capacity: Int, interval: Double) {
        self.capacity = Double(capacity)
        self.interval = interval
        level = self.capacity * Self.initialShare
    }

    /// Another peak. What is in the buffer stays, as in x264's.
    mutating func resize(capacity: Int, interval: Double) {
        self.capacity = Double(capacity)
        self.interval = interval
    }

    /// How many intervals x264 has to add after the next picture, which comes `elapsed` intervals after the last. Never more
    /// than there was room for before that picture: time in which the buffer was full is lost.
    mutating func intervals(elapsed: Double) -> Int {
        owed += elapsed
        let room = min(capacity - level, capacity * Self.largestShare) / interval
        let whole = max(1, min(owed, room).rounded(.down))
        owed = min(max(owed - whole, -1), 1)
        return Int(whole)
    }

    /// A picture of so many bits was encoded, and `intervals` were added.
    mutating func remove(_ bits: Int, adding intervals: Int) {
        level = min(capacity, max(0, level - Double(bits)) + Double(intervals) * interval)
    }
}
