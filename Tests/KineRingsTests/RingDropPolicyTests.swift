// The samples dropped when a ring is full, without a ring.
import KineMedia
import Testing

@testable import KineRings

@Suite struct RingDropPolicyTests {
    private let tick = MediaTime.milliseconds(20)

    @Test func `frames stop at three quarters and audio may use all of the ring`() {
        var policy = RingDropPolicy(capacity: 1000)
        #expect(policy.frame(bytes: 100, isKeyframe: true, used: 650) == .write(missing: 0))
        #expect(policy.frame(bytes: 100, isKeyframe: false, used: 651) == .drop)
        #expect(policy.audio(.audioApp, bytes: 100, duration: tick, used: 900) == .write(missing: 0))
        #expect(policy.audio(.audioApp, bytes: 100, duration: tick, used: 901) == .drop)
    }

    @Test func `a frame that is larger than three quarters goes into an empty ring`() {
        var policy = RingDropPolicy(capacity: 1000)
        #expect(policy.frame(bytes: 1000, isKeyframe: true, used: 0) == .write(missing: 0))
        #expect(policy.frame(bytes: 1001, isKeyframe: false, used: 0) == .drop)
    }

    @Test func `after a dropped frame nothing comes before the next keyframe, which says how many are missing`() {
        var policy = RingDropPolicy(capacity: 1000)
        #expect(policy.frame(bytes: 800, isKeyframe: false, used: 1) == .drop)
        #expect(policy.frame(bytes: 10, isKeyframe: false, used: 0) == .drop)
        #expect(policy.frame(bytes: 10, isKeyframe: true, used: 0) == .write(missing: 2))
        #expect(policy.frame(bytes: 10, isKeyframe: false, used: 0) == .write(missing: 0))
        #expect(policy.framesDropped == 2)
    }

    @Test func `a keyframe is asked for once, and only when there is room for it`() {
        var policy = RingDropPolicy(capacity: 1000)
        let before = policy.wantsKeyframe(used: 0)
        #expect(!before)
        _ = policy.frame(bytes: 100, isKeyframe: false, used: 700)
        let full = policy.wantsKeyframe(used: 700)
        let empty = policy.wantsKeyframe(used: 250)
        let again = policy.wantsKeyframe(used: 0)
        #expect(!full && empty && !again)
        // The keyframe that was asked for did not fit.
        _ = policy.frame(bytes: 800, isKeyframe: true, used: 1)
        let anew = policy.wantsKeyframe(used: 0)
        #expect(anew)
        _ = policy.frame(bytes: 100, isKeyframe: true, used: 0)
        let after = policy.wantsKeyframe(used: 0)
        #expect(!after)
    }

    @Test func `dropped audio is counted, and the next of its stream says how much is missing`() {
        var policy = RingDropPolicy(capacity: 1000)
        #expect(policy.audio(.audioApp, bytes: 600, duration: tick, used: 500) == .drop)
        #expect(policy.audio(.audioApp, bytes: 600, duration: tick, used: 500) == .drop)
        #expect(policy.audio(.audioMic, bytes: 100, duration: tick, used: 0) == .write(missing: 0))
        #expect(policy.audio(.audioApp, bytes: 100, duration: tick, used: 0) == .write(missing: 2))
        #expect(policy.audio(.audioApp, bytes: 100, duration: tick, used: 0) == .write(missing: 0))
        #expect(policy.audioDropped == .milliseconds(40))
        #expect(policy.framesDropped == 0)
    }
}
