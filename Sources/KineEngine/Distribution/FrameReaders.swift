// The readers of one frame memory. It has slots for a certain number of them: one more would make the others wait for a slot.

/// Counts the readers that still have slots: a reader has them until its `FrameSink` is gone.
struct FrameReaders: Sendable {
    private struct Reader: Sendable {
        weak let sink: FrameSink?
    }

    let limit: Int
    private var readers: [Reader] = []

    init(limit: Int) { self.limit = limit }

    var hasRoom: Bool { readers.count { $0.sink != nil } < limit }

    mutating func add(_ sink: FrameSink) {
        readers.removeAll { $0.sink == nil }
        readers.append(Reader(sink: sink))
    }
}
