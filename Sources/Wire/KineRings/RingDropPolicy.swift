// Decides which samples go into a full ring and which are dropped. Pure.
import KineMedia

/// Audio may use the whole ring. Encoded frames may fill three quarters, or an empty ring; one that does not fit is
/// dropped with all that depend on it, up to the next keyframe that fits. The type's next sample has the count.
struct RingDropPolicy: Equatable {
    enum Decision: Equatable {
        /// `missing`: samples of its type that were dropped before it.
        case write(missing: Int)
        case drop
    }

    let capacity: Int
    private(set) var framesDropped = 0
    /// The duration of dropped audio, all streams together.
    private(set) var audioDropped = MediaTime.zero
    private var missingFrames = 0
    private var missingAppAudio = 0
    private var missingMicAudio = 0
    /// Whether a keyframe was requested and has not come yet.
    private var askedForKeyframe = false

    init(capacity: Int) { self.capacity = capacity }

    var frameLimit: Int { capacity / 4 * 3 }

    /// Decides about an encoded frame whose record has `bytes`, with `used` unread bytes in the ring.
    mutating func frame(bytes: Int, isKeyframe: Bool, used: Int) -> Decision {
        let fits = used + bytes <= (used == 0 ? capacity : frameLimit)
        if fits, isKeyframe || missingFrames == 0 {
            defer {
                missingFrames = 0
                askedForKeyframe = false
            }
            return .write(missing: missingFrames)
        }
        framesDropped += 1
        missingFrames += 1
        // The requested keyframe came too early: request it again.
        if isKeyframe { askedForKeyframe = false }
        return .drop
    }

    mutating func audio(_ type: SampleType?, bytes: Int, duration: MediaTime, used: Int) -> Decision {
        let missing = type == .audioMic ? missingMicAudio : missingAppAudio
        let fits = used + bytes <= capacity
        let missingNow = fits ? 0 : missing + 1
        if type == .audioMic { missingMicAudio = missingNow } else { missingAppAudio = missingNow }
        guard fits else {
            audioDropped += duration
            return .drop
        }
        return .write(missing: missing)
    }

    /// Whether to request a keyframe now: frames were dropped, and there is room again. A request affects all other
    /// sinks, so it must not be wasted. True once, until a keyframe has come.
    mutating func wantsKeyframe(used: Int) -> Bool {
        guard missingFrames > 0, !askedForKeyframe, used <= capacity / 4 else { return false }
        askedForKeyframe = true
        return true
    }
}
