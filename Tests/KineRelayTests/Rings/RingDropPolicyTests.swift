// The rule for a full ring, without a ring.
import KineMedia
import Testing

@testable import KineRelay

@Suite struct RingAdmissionTests {
    private let tick = MediaTime.milliseconds(20)

    @Test func `pictures stop at three quarters and sound goes on to the end`() {
        var rule = RingAdmission(capacity: 1000)
        #expect(rule.picture(bytes: 100, isKeyframe: true, used: 650) == .write(discontinuity: false))
        #expect(rule.picture(bytes: 100, isKeyframe: false, used: 651) == .leaveOut)
        #expect(rule.sound(.audioApp, bytes: 100, duration: tick, used: 900) == .write(discontinuity: false))
        #expect(rule.sound(.audioApp, bytes: 100, duration: tick, used: 901) == .leaveOut)
    }

    @Test func `a picture that is larger than three quarters goes into an empty ring`() {
        var rule = RingAdmission(capacity: 1000)
        #expect(rule.picture(bytes: 1000, isKeyframe: true, used: 0) == .write(discontinuity: false))
        #expect(rule.picture(bytes: 1001, isKeyframe: false, used: 0) == .leaveOut)
    }

    @Test func `after a lost picture nothing comes before the next keyframe, which says so`() {
        var rule = RingAdmission(capacity: 1000)
        #expect(rule.picture(bytes: 800, isKeyframe: false, used: 1) == .leaveOut)
        #expect(rule.picture(bytes: 10, isKeyframe: false, used: 0) == .leaveOut)
        #expect(rule.picture(bytes: 10, isKeyframe: true, used: 0) == .write(discontinuity: true))
        #expect(rule.picture(bytes: 10, isKeyframe: false, used: 0) == .write(discontinuity: false))
        #expect(rule.picturesSkipped == 2)
    }

    @Test func `a keyframe is asked for once, and only when there is room for it`() {
        var rule = RingAdmission(capacity: 1000)
        let before = rule.takeKeyframeRequest(used: 0)
        #expect(!before)
        _ = rule.picture(bytes: 100, isKeyframe: false, used: 700)
        let full = rule.takeKeyframeRequest(used: 700)
        let empty = rule.takeKeyframeRequest(used: 250)
        let again = rule.takeKeyframeRequest(used: 0)
        #expect(!full && empty && !again)
        // The one that was asked for did not fit.
        _ = rule.picture(bytes: 800, isKeyframe: true, used: 1)
        let anew = rule.takeKeyframeRequest(used: 0)
        #expect(anew)
        _ = rule.picture(bytes: 100, isKeyframe: true, used: 0)
        let after = rule.takeKeyframeRequest(used: 0)
        #expect(!after)
    }

    @Test func `lost sound is counted, and the next of its kind says that some is missing`() {
        var rule = RingAdmission(capacity: 1000)
        #expect(rule.sound(.audioApp, bytes: 600, duration: tick, used: 500) == .leaveOut)
        #expect(rule.sound(.audioApp, bytes: 600, duration: tick, used: 500) == .leaveOut)
        #expect(rule.sound(.audioMic, bytes: 100, duration: tick, used: 0) == .write(discontinuity: false))
        #expect(rule.sound(.audioApp, bytes: 100, duration: tick, used: 0) == .write(discontinuity: true))
        #expect(rule.sound(.audioApp, bytes: 100, duration: tick, used: 0) == .write(discontinuity: false))
        #expect(rule.soundLost == .milliseconds(40))
        #expect(rule.picturesSkipped == 0)
    }
}
