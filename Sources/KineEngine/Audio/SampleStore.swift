// Samples that wait to be mixed, each at its place on a grid.

/// A stretch of interleaved samples without holes, from `start` up to `end`. Everything outside counts as silence.
struct SampleStore {
    let channels: Int
    /// The number on the grid of the first sample held.
    private(set) var start: Int64
    private var samples: [Float] = []
    /// Samples of all channels at the front that are no longer wanted; cut off now and then, not each time.
    private var spent = 0

    /// The number on the grid after the last sample held.
    var end: Int64 { start + Int64((samples.count - spent) / channels) }

    init(channels: Int, start: Int64) {
        self.channels = channels
        self.start = start
    }

    mutating func append(_ new: Span<Float>) {
        new.withUnsafeBufferPointer { samples.append(contentsOf: $0) }
    }

    /// Fills with silence up to `place`. Does nothing if that is already reached.
    mutating func appendSilence(upTo place: Int64) {
        let missing = place - end
        guard missing > 0 else { return }
        samples.append(contentsOf: repeatElement(0, count: Int(missing) * channels))
    }

    /// Forgets everything and begins again at `place`.
    mutating func restart(at place: Int64) {
        samples.removeAll(keepingCapacity: true)
        spent = 0
        start = place
    }

    mutating func discard(before place: Int64) {
        let count = min(place, end) - start
        guard count > 0 else { return }
        start += count
        spent += Int(count) * channels
        // Moving the rest costs no more than appending it did, as it is done only when the rest is the smaller part.
        if spent > samples.count / 2 {
            samples.removeFirst(spent)
            spent = 0
        }
    }

    /// Adds the samples from `place` on to `target`, if there are any.
    func add(to target: UnsafeMutableBufferPointer<Float>, from place: Int64) {
        let frames = Int64(target.count / channels)
        let first = max(place, start)
        let last = min(place + frames, end)
        guard first < last else { return }
        let source = spent + Int(first - start) * channels
        let offset = Int(first - place) * channels
        let count = Int(last - first) * channels
        samples.withUnsafeBufferPointer { samples in
            for index in 0..<count { target[offset + index] += samples[source + index] }
        }
    }
}
