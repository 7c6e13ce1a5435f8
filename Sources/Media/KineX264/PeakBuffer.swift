// Limits the bits of a peak by time. x264's own buffer (VBV; ITU-T H.264, C.1) gains one interval's bits per frame. A
// still screen has five frames a second: at a nominal 30 it would get a sixth of its bits and stay blurred.

/// A buffer that time fills and frames empty. Computes the number of intervals by which to fill x264's own. Pure.
struct PeakBuffer {
    /// The buffer's size, and the bits that it gains in one interval of the nominal rate.
    private(set) var capacity: Double
    private(set) var interval: Double
    /// The bits in the buffer, by x264's count.
    private(set) var level: Double
    /// Intervals that have passed but are not in `level` yet; negative if frames came early.
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

    /// Changes the peak. Keeps the bits in the buffer, as x264 does.
    mutating func resize(capacity: Int, interval: Double) {
        self.capacity = Double(capacity)
        self.interval = interval
    }

    /// The intervals that x264 must add after the next frame, which comes `elapsed` intervals after the last. Never
    /// more than fit before that frame: time with a full buffer is lost.
    mutating func intervals(elapsed: Double) -> Int {
        owed += elapsed
        let room = min(capacity - level, capacity * Self.largestShare) / interval
        let whole = max(1, min(owed, room).rounded(.down))
        owed = min(max(owed - whole, -1), 1)
        return Int(whole)
    }

    /// Call after a frame of `bits` bits was encoded and `intervals` were added.
    mutating func remove(_ bits: Int, adding intervals: Int) {
        level = min(capacity, max(0, level - Double(bits)) + Double(intervals) * interval)
    }
}
