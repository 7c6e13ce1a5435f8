// Leaves frames out of the file when the disk is behind and the encoder cannot wait for it, because others watch live.

/// Decides which frames go into the file's queue. Pure.
///
/// While the queue is full, frames are left out up to the next keyframe, since none before it could be decoded. In the file the
/// last frame before the gap lasts until then. Audio goes on.
struct RecordingAdmission: Sendable, Equatable {
    /// Bytes of the queue.
    let limit: Int
    /// Frames left out so far.
    private(set) var leftOut = 0
    private var gap = DecodingGap.none

    init(limit: Int) { self.limit = limit }

    /// Whether the next frame goes into the queue, which holds `queued` bytes.
    mutating func admits(isKeyframe: Bool, queued: Int) -> Bool {
        if queued < limit && (isKeyframe || gap == .none) {
            gap = .none
            return true
        }
        leftOut += 1
        // A keyframe that was asked for came too early: it is asked for again.
        if isKeyframe || gap == .none { gap = .unasked }
        return false
    }

    /// Whether a keyframe should be made now: true once for each gap, when most of the queue is empty again.
    mutating func consumeKeyframeRequest(queued: Int) -> Bool {
        queued <= limit / 4 && gap.consumeKeyframeRequest()
    }
}
