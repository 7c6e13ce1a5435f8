// What happens to the file's frames when the disk is behind and the encoder cannot wait for it, because others watch live.

/// Which frames go into the file's queue. Pure.
///
/// Where the queue is full, frames are left out up to the next keyframe: those between could not be decoded. In the file the
/// last one before the gap lasts until then. Audio goes on.
struct RecordingAdmission: Sendable, Equatable {
    /// Bytes of the queue.
    let limit: Int
    /// Frames left out so far.
    private(set) var leftOut = 0
    private var hasGap = false
    private var hasAsked = false

    init(limit: Int) { self.limit = limit }

    /// Whether the next frame goes into the queue, which holds `queued` bytes.
    mutating func admits(isKeyframe: Bool, queued: Int) -> Bool {
        if queued < limit && (isKeyframe || !hasGap) {
            hasGap = false
            hasAsked = false
            return true
        }
        hasGap = true
        leftOut += 1
        // The one that was asked for came too early: ask again.
        if isKeyframe { hasAsked = false }
        return false
    }

    /// Whether a keyframe should be made now; says so once, when most of the queue is empty again.
    mutating func consumeKeyframeRequest(queued: Int) -> Bool {
        guard hasGap, !hasAsked, queued <= limit / 4 else { return false }
        hasAsked = true
        return true
    }
}
