// One viewer's place in a stream. A viewer who falls behind continues at the newest keyframe; skipped frames are
// counted. No viewer affects another. Pure.
import KineLive
import NIOCore

/// A viewer's place in a stream's history. Viewers with equal cursors get the same data.
struct ViewerCursor: Equatable, Sendable {
    /// The format in which the viewer gets the stream.
    enum Form: Sendable {
        /// Every record whole: `samples`.
        case records
        /// Fragments only: `live.mp4`.
        case fragments
    }

    /// A viewer who is behind by more than this continues at the newest keyframe, if that is newer than their place. In
    /// nanoseconds from the arrival of the viewer's next record to that of the newest.
    static let timeout: Int64 = 1_000_000_000

    let form: Form
    /// The number of the next record for the viewer.
    private(set) var next: Int
    /// Whether the viewer cannot decode before the next keyframe.
    private(set) var needsKeyframe: Bool

    /// A new viewer, who begins at the newest keyframe, or waits for one.
    init(form: Form, history: SampleHistory<LiveRecord>) {
        self.form = form
        next = history.newestKeyframe ?? history.end
        needsKeyframe = history.hasVideo && history.newestKeyframe == nil
    }

    /// Appends the next records, at least one and about `byteLimit` bytes; none if the viewer has everything. Returns
    /// the number of skipped frames. A viewer who is only behind waits for a regular keyframe: an extra one would cost
    /// everyone who shares the encoder.
    /// - Parameters:
    ///   - header: of the newest samples, sent if the viewer skips its records. Nil: the format has never changed.
    ///   - state: sent if records are skipped, since one of them may have been a state.
    mutating func advance(
        in history: SampleHistory<LiveRecord>, header: LiveHeader? = nil, state: LiveRecord,
        into buffers: inout [ByteBuffer], byteLimit: Int = 64 << 10
    ) -> Int {
        var (bytes, droppedFrames) = (0, 0)
        func add(_ buffer: ByteBuffer?) {
            guard let buffer else { return }
            buffers.append(buffer)
            bytes += buffer.readableBytes
        }
        if let target = jump(in: history) {
            droppedFrames += history.frames(from: next, to: target)
            if let header, next < header.end, header.end <= target {
                for record in header.records { add(buffer(of: record)) }
            }
            next = target
            add(buffer(of: state))
        }
        while next < history.end, bytes < byteLimit {
            let entry = history[next]
            next += 1
            if needsKeyframe, let sample = entry.sample {
                guard sample.isVideo, sample.isKeyframe else {
                    if sample.isVideo { droppedFrames += 1 }
                    continue
                }
                needsKeyframe = false
            }
            add(buffer(of: entry.content))
        }
        return droppedFrames
    }

    /// The number of the record to continue at, if that is not `next`.
    private mutating func jump(in history: SampleHistory<LiveRecord>) -> Int? {
        if next < history.first {
            if history.newestKeyframe == nil { needsKeyframe = history.hasVideo }
            return history.newestKeyframe ?? history.first
        }
        guard let keyframe = history.newestKeyframe, keyframe > next, lag(in: history) > Self.timeout else {
            return nil
        }
        needsKeyframe = false
        return keyframe
    }

    private func lag(in history: SampleHistory<LiveRecord>) -> Int64 {
        guard next >= history.first, next < history.end else { return 0 }
        return history[history.end - 1].arrival - history[next].arrival
    }

    private func buffer(of record: LiveRecord) -> ByteBuffer? { form == .records ? record.chunks : record.fragment }
}
