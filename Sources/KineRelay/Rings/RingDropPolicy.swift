// What goes into a full ring and what does not. Pure: it is told how full the ring is and answers.
import KineMedia

/// The rule: sound may use the whole ring. Encoded pictures may fill three quarters, or an empty ring; one that does not fit is
/// left out with all that depend on it, up to the next keyframe that fits. Whatever was left out, the next sample of its
/// type says so.
struct RingAdmission: Equatable {
    enum Answer: Equatable {
        case write(discontinuity: Bool)
        case leaveOut
    }

    let capacity: Int
    private(set) var picturesSkipped: Int64 = 0
    /// Time of the sound that was left out, both sounds together.
    private(set) var soundLost = MediaTime.zero
    private var missesPictures = false
    private var missesAppSound = false
    private var missesMicSound = false
    /// A keyframe was asked for and has not come yet.
    private var askedForKeyframe = false

    init(capacity: Int) { self.capacity = capacity }

    var pictureLimit: Int { capacity / 4 * 3 }

    /// An encoded picture whose record has `bytes`, with `used` bytes of the ring unread.
    mutating func picture(bytes: Int, isKeyframe: Bool, used: Int) -> Answer {
        let fits = used + bytes <= (used == 0 ? capacity : pictureLimit)
        if fits, isKeyframe || !missesPictures {
            defer {
                missesPictures = false
                askedForKeyframe = false
            }
            return .write(discontinuity: missesPictures)
        }
        picturesSkipped += 1
        missesPictures = true
        // The one that was asked for came too early: ask again.
        if isKeyframe { askedForKeyframe = false }
        return .leaveOut
    }

    /// A sound.
    mutating func sound(_ type: SampleType, bytes: Int, duration: MediaTime, used: Int) -> Answer {
        let missed = type == .audioMic ? missesMicSound : missesAppSound
        let fits = used + bytes <= capacity
        if type == .audioMic { missesMicSound = !fits } else { missesAppSound = !fits }
        guard fits else {
            soundLost += duration
            return .leaveOut
        }
        return .write(discontinuity: missed)
    }

    /// Whether a keyframe should be made now: pictures were left out and there is room again, so that the keyframe, which
    /// all other sinks get as well, is not made in vain. Says so once, until a keyframe has come.
    mutating func takeKeyframeRequest(used: Int) -> Bool {
        guard missesPictures, !askedForKeyframe, used <= capacity / 4 else { return false }
        askedForKeyframe = true
        return true
    }
}
