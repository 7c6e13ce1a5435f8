// Decides which samples go into a full ring and which are dropped. Pure.
import KineMedia

/// The rule: audio may use the whole ring. Encoded frames may fill three quarters, or an empty ring; one that does not fit is
/// dropped with all that depend on it, up to the next keyframe that fits. The next sample of a type that was dropped says so.
struct RingDropPolicy: Equatable {
    enum Decision: Equatable {
        case write(discontinuity: Bool)
        case drop
    }

    let capacity: Int
    private(set) var framesDropped: Int64 = 0
    /// Duration of the audio that was dropped, all streams together.
    private(set) var audioDropped = MediaTime.zero
    private var missesFrames = false
    private var missesAppAudio = false
    private var missesMicAudio = false
    /// A keyframe was asked for and has not come yet.
    private var askedForKeyframe = false

    init(capacity: Int) { self.capacity = capacity }

    var frameLimit: Int { capacity / 4 * 3 }

    /// An encoded frame whose record has `bytes`, with `used` bytes of the ring unread.
    mutating func frame(bytes: Int, isKeyframe: Bool, used: Int) -> Decision {
        let fits = used + bytes <= (used == 0 ? capacity : frameLimit)
        if fits, isKeyframe || !missesFrames {
            defer {
                missesFrames = false
                askedForKeyframe = false
            }
            return .write(discontinuity: missesFrames)
        }
        framesDropped += 1
        missesFrames = true
        // The keyframe that was asked for came too early: ask again.
        if isKeyframe { askedForKeyframe = false }
        return .drop
    }

    mutating func audio(_ type: SampleType?, bytes: Int, duration: MediaTime, used: Int) -> Decision {
        let missed = type == .audioMic ? missesMicAudio : missesAppAudio
        let fits = used + bytes <= capacity
        if type == .audioMic { missesMicAudio = !fits } else { missesAppAudio = !fits }
        guard fits else {
            audioDropped += duration
            return .drop
        }
        return .write(discontinuity: missed)
    }

    /// Whether a keyframe should be made now: frames were dropped, and there is room for it again. All other sinks get it as
    /// well, so it should not be made in vain. True once, until a keyframe has come.
    mutating func wantsKeyframe(used: Int) -> Bool {
        guard missesFrames, !askedForKeyframe, used <= capacity / 4 else { return false }
        askedForKeyframe = true
        return true
    }
}
