// Limits the bits of a peak by the clock. x264's own buffer (its VBV; ITU-T H.264, C.1) gains the bits of one interval with
// each frame. A still screen has five frames a second: at a nominal 30 it would get a sixth of its bits and never become sharp.

/// A buffer that time fills and frames empty. It computes by how many intervals to fill x264's own. Pure.
struct PeakBuffer {
    /// The buffer's size, and the bits that it gains in one interval of the nominal rate.
    private(set) var capacity: Double
    private(set) var interval: Double
    /// Bits that are in it, as x264 counts.
    private(set) var level: Double
    /// Intervals that have passed and are not in `level` yet; negative where frames came early.
    private var owed = 0.0

    /// x264's f_vbv_buffer_init.
    private static let initialShare = 0.9
    /// x264 lets each frame use the whole buffer if an interval fills nearly all of it (`single_frame_vbv`: 1.1 times).
    private static let largestShare = 0.9

    init(capacity: Int, interval: Double) {
        self.capacity = Double(capacity)
        self.interval = interval
        level = self.capacity * Self.initialShare
    }

    /// Changes the peak. The bits in the buffer stay, as in x264's.
    mutating func resize(capacity: Int, interval: Double) {
        self.capacity = Double(capacity)
        self.interval = interval
    }

    /// The intervals for x264 to add after the next frame, which comes `elapsed` intervals after the last. Never more than
    /// there is room for before that frame: time during which the buffer is full is lost.
    mutating func intervals(elapsed: Double) -> Int {
        owed += elapsed
        let room = min(capacity - level, capacity * Self.largestShare) / interval
        let whole = max(1, min(owed, room).rounded(.down))
        owed = min(max(owed - whole, -1), 1)
        return Int(whole)
    }

    /// Called after a frame of so many bits was encoded and `intervals` were added.
    mutating func remove(_ bits: Int, adding intervals: Int) {
        level = min(capacity, max(0, level - Double(bits)) + Double(intervals) * interval)
    }
}
