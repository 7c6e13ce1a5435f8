// One viewer's place in a stream. The viewer follows it, and goes on with the newest keyframe after falling behind; what was
// missed is counted. No viewer affects another. Pure.
import NIOCore

/// A viewer's place in a `SampleHistory`.
struct ViewerCursor {
    /// What the viewer is sent.
    enum Form: Sendable {
        /// Every record whole: `samples`.
        case records
        /// Fragments only: `live.mp4`.
        case fragments
    }

    /// What to send next.
    struct Batch {
        var buffers: [ByteBuffer] = []
        var bytes = 0
        /// The viewer can decode nothing of the stream before there is a keyframe. A viewer who is only behind waits for the next
        /// regular one: an extra one would cost everybody who shares the encoder.
        var wantsKeyframe = false
    }

    /// A viewer who is behind by more than this goes on with the newest keyframe, if that is newer than their place.
    /// Nanoseconds between the arrivals of the viewer's next record and of the newest.
    static let patience: Int64 = 1_000_000_000

    let form: Form
    /// The number of the record that the viewer is sent next.
    private(set) var next: Int
    /// The viewer can decode nothing before the next keyframe.
    private(set) var needsKeyframe: Bool
    /// Pictures that the viewer was not sent.
    private(set) var droppedPictures = 0

    /// A new viewer, who begins with the newest keyframe, or waits for one.
    init(form: Form, history: SampleHistory) {
        self.form = form
        next = history.newestKeyframe ?? history.end
        needsKeyframe = history.hasVideo && history.newestKeyframe == nil
    }

    /// What comes next, up to about `byteLimit` bytes but at least one record; empty when the viewer has everything.
    /// - Parameter state: sent when something is left out, for it may have said how the stream stands.
    mutating func take(from history: SampleHistory, state: LiveRecord, byteLimit: Int = 64 << 10) -> Batch {
        var batch = Batch()
        if let target = jump(in: history) {
            droppedPictures += history.pictures(from: next, to: target)
            next = target
            if let buffer = buffer(of: state) { add(buffer, to: &batch) }
        }
        while next < history.end, batch.bytes < byteLimit {
            let record = history[next]
            next += 1
            if needsKeyframe, record.kind.isSample {
                guard record.kind == .video, record.isKeyframe else {
                    if record.kind == .video { droppedPictures += 1 }
                    continue
                }
                needsKeyframe = false
            }
            if let buffer = buffer(of: record) { add(buffer, to: &batch) }
        }
        batch.wantsKeyframe = needsKeyframe
        return batch
    }

    /// Where to go on if not with `next`.
    private mutating func jump(in history: SampleHistory) -> Int? {
        if next < history.first {
            if history.newestKeyframe == nil { needsKeyframe = history.hasVideo }
            return history.newestKeyframe ?? history.first
        }
        guard let keyframe = history.newestKeyframe, keyframe > next, lag(in: history) > Self.patience else {
            return nil
        }
        needsKeyframe = false
        return keyframe
    }

    private func lag(in history: SampleHistory) -> Int64 {
        guard next >= history.first, next < history.end else { return 0 }
        return history[history.end - 1].arrival - history[next].arrival
    }

    private func buffer(of record: LiveRecord) -> ByteBuffer? { form == .records ? record.bytes : record.fragment }

    private func add(_ buffer: ByteBuffer, to batch: inout Batch) {
        batch.buffers.append(buffer)
        batch.bytes += buffer.readableBytes
    }
}
