// What waits, what is dropped, what a silent connection means, and when to connect again.
import KineRTMP
import Testing

@Suite struct AudioPresenceTests {
    @Test func `a first frame waits for audio for a second, and a new connection again`() {
        let wait = AudioPresence.longestWait
        var presence = AudioPresence()
        #expect(presence.isAnnounced(now: 5) == nil && presence.isAnnounced(now: wait + 4) == nil)
        #expect(presence.isAnnounced(now: wait + 5) == false)
        presence.connected()
        #expect(presence.isAnnounced(now: 2 * wait) == nil)
        presence.received(now: 2 * wait)
        #expect(presence.isAnnounced(now: 3 * wait) == true)
        // What came long ago says nothing of what will come.
        presence.connected()
        #expect(presence.isAnnounced(now: 3 * wait + 1) == nil)
    }
}

@Suite struct SendQueueTests {
    private func item(_ time: Int64, video: Bool = true, key: Bool = false) -> SendQueue.Item {
        .init(isVideo: video, isKeyframe: key, time: time, payload: [1, 2, 3])
    }

    private func rest(_ queue: SendQueue) -> [SendQueue.Item] {
        var (queue, items) = (queue, [SendQueue.Item]())
        while let item = queue.popFirst() { items.append(item) }
        return items
    }

    @Test func `the first frame is a keyframe`() {
        var queue = SendQueue()
        #expect(queue.append(item(0)) == .needsKeyframe)
        #expect(queue.append(item(10, video: false)) == .queued)
        #expect(queue.append(item(40, key: true)) == .queued)
        #expect(rest(queue) == [item(10, video: false), item(40, key: true)])
    }

    @Test func `frames that wait for too long give way to the newest keyframe`() {
        var queue = SendQueue(longest: 1000)
        _ = queue.append(item(0, key: true))
        for time in stride(from: Int64(40), through: 1000, by: 40) {
            #expect(queue.append(item(time, key: time == 400 || time == 800)) == .queued)
            _ = queue.append(item(time, video: false))
        }
        #expect(queue.append(item(1040)) == .droppedToKeyframe)
        let kept = rest(queue)
        #expect(kept.first { $0.isVideo } == item(800, key: true))
        #expect(kept.filter { !$0.isVideo }.count == 25)
        #expect(queue.droppedFrames == 20)
        #expect(queue.byteCount == kept.count * 3)
    }

    @Test func `without a keyframe all frames are dropped until one comes`() {
        var queue = SendQueue(longest: 1000)
        _ = queue.append(item(0, key: true))
        #expect(queue.append(item(500)) == .queued)
        #expect(queue.append(item(1040)) == .needsKeyframe)
        #expect(queue.isEmpty && queue.awaitsKeyframe && queue.byteCount == 0)
        #expect(queue.append(item(1080)) == .needsKeyframe)
        #expect(queue.append(item(1120, key: true)) == .queued)
        #expect(queue.droppedFrames == 4)
    }

    @Test func `audio is never dropped`() {
        var queue = SendQueue(longest: 100)
        for time in stride(from: Int64(0), to: 10_000, by: 20) { _ = queue.append(item(time, video: false)) }
        #expect(rest(queue).count == 500)
    }

    @Test func `audio that waits for too long or is too much exceeds the limit`() {
        var queue = SendQueue(longest: 100)
        for time in stride(from: Int64(0), through: 30_000, by: 1000) { _ = queue.append(item(time, video: false)) }
        #expect(!queue.exceedsAudioLimit)
        _ = queue.append(item(31_000, video: false))
        #expect(queue.exceedsAudioLimit)
        queue = SendQueue()
        let payload = [UInt8](repeating: 0, count: 1 << 20)
        let large = SendQueue.Item(isVideo: false, isKeyframe: true, time: 0, payload: payload)
        for _ in 0..<4 { _ = queue.append(large) }
        #expect(!queue.exceedsAudioLimit)
        _ = queue.append(large)
        #expect(queue.exceedsAudioLimit)
        _ = queue.popFirst()
        #expect(!queue.exceedsAudioLimit)
        // Frames have a limit of their own, and are dropped.
        queue = SendQueue(byteLimit: 8 << 20)
        for _ in 0..<8 { _ = queue.append(.init(isVideo: true, isKeyframe: true, time: 0, payload: payload)) }
        #expect(!queue.exceedsAudioLimit)
    }

    @Test func `no keyframe is requested while too much audio waits`() {
        var queue = SendQueue(longest: 1000)
        for time in stride(from: Int64(0), through: 2000, by: 20) {
            #expect(queue.append(item(time, video: false)) == .queued)
        }
        #expect(queue.append(item(2000, key: true)) == .tooLong)
        #expect(queue.append(item(2040)) == .tooLong)
        while queue.duration > 500 { _ = queue.popFirst() }
        #expect(!queue.isTooLong && queue.awaitsKeyframe)
        #expect(queue.append(item(2080)) == .needsKeyframe)
        #expect(queue.append(item(2120, key: true)) == .queued)
        #expect(queue.droppedFrames == 3)
    }

    @Test func `items leave in their order, however many there are`() {
        var queue = SendQueue(longest: .max)
        _ = queue.append(item(0, key: true))
        for time in 1..<2000 { _ = queue.append(item(Int64(time))) }
        for time in 0..<1000 { #expect(queue.popFirst()?.time == Int64(time)) }
        #expect(queue.frameCount == 1000 && queue.byteCount == 3000)
        #expect(rest(queue).map(\.time) == Array(1000..<2000))
    }
}

@Suite struct SilenceWatchTests {
    private static let second: Int64 = 1_000_000_000

    @Test func `silence becomes suspect by retransmissions, and a stall by time`() {
        var watch = SilenceWatch(stallDeadline: 8 * Self.second, now: 0)
        func look(_ seconds: Double, delivered: Int64 = 0, isIdle: Bool = false, again: Int = 0) -> SilenceWatch.Verdict
        {
            watch.update(
                deliveredBytes: delivered, isIdle: isIdle, retransmissions: again, now: Int64(seconds * 1e9))
        }
        #expect(look(1, again: 5) == .silent)
        #expect(look(2, again: 1) == .silent)
        #expect(look(2, again: 2) == .suspect)
        #expect(look(3, delivered: 10) == .progressing)
        #expect(look(10.9, delivered: 10) == .silent)
        #expect(look(11, delivered: 10) == .stalled)
        #expect(look(12, delivered: 10, isIdle: true) == .progressing)
        #expect(look(13, delivered: 10, again: 9) == .silent)
    }
}

@Suite struct ReconnectPolicyTests {
    private let lost: PublishFailure

    init() throws { lost = try PublishFailure(.connectionLost(nil)) }

    @Test func `waits grow by half up to thirty seconds`() {
        var policy = ReconnectPolicy()
        let delays = (0..<40).compactMap { _ in policy.failed(lost, jitter: 0.5) }
        #expect(delays.prefix(3) == [1_000_000_000, 1_500_000_000, 2_250_000_000])
        #expect(delays.count == 40 && delays.last == 30_000_000_000)
        policy.connected()
        #expect(policy.failed(lost, jitter: 0.5) == 1_000_000_000)
        #expect(policy.failed(lost, jitter: 0) == 1_200_000_000)
        #expect(policy.failed(lost, jitter: 1) == 2_700_000_000)
    }

    @Test func `waits count from the attempt`() {
        var policy = ReconnectPolicy()
        #expect(policy.failed(lost, after: 400_000_000, jitter: 0.5) == 600_000_000)
        // After a longer time the next attempt follows soon, but not all publishers' in the same instant.
        #expect(policy.failed(lost, after: 10_000_000_000, jitter: 0) == 100_000_000)
        #expect(policy.failed(lost, after: 10_000_000_000, jitter: 1) == 500_000_000)
        // A server that keeps each connection for a while only is not tried more often for that.
        for _ in 0..<10 { _ = policy.failed(lost, after: 3_000_000_000, jitter: 0.5) }
        #expect(policy.failed(lost, after: 3_000_000_000, jitter: 0.5) == 27_000_000_000)
        #expect(policy.failed(lost, after: .max, jitter: 0.5) == 300_000_000)
    }

    @Test func `final failures are not tried again`() throws {
        for kind in [.refused, .wrongApplication, .unauthorized, .certificate] as [PublishFailure.Kind] {
            var policy = ReconnectPolicy()
            #expect(policy.failed(try PublishFailure(.connectionLost(nil), kind: kind), jitter: 0) == nil)
        }
    }

    @Test func `a limit counts attempts in a row`() {
        var policy = ReconnectPolicy(limit: 2)
        #expect(policy.failed(lost, jitter: 0) != nil)
        #expect(policy.failed(lost, jitter: 0) != nil)
        #expect(policy.failed(lost, jitter: 0) == nil)
    }

    @Test func `a network that comes back shortens the wait and not the count`() {
        var policy = ReconnectPolicy(limit: 12)
        for _ in 0..<10 { _ = policy.failed(lost, jitter: 0.5) }
        policy.networkReturned()
        #expect(policy.failed(lost, jitter: 0.5) == 1_000_000_000)
        #expect(policy.failed(lost, jitter: 0.5) == 1_500_000_000)
        #expect(policy.failed(lost, jitter: 0.5) == nil)
    }

    @Test func `a server that closes at the stream's name each time does not know it`() {
        var policy = ReconnectPolicy()
        #expect(policy.failed(lost, isSilentRefusal: true, jitter: 0) != nil)
        #expect(policy.failed(lost, isSilentRefusal: true, jitter: 0) != nil)
        #expect(policy.failed(lost, isSilentRefusal: true, jitter: 0) == nil)
        policy = ReconnectPolicy()
        policy.becameLive()
        for _ in 0..<10 { #expect(policy.failed(lost, isSilentRefusal: true, jitter: 0) != nil) }
    }

    @Test func `a yes alone shortens neither the waits nor the count`() {
        var policy = ReconnectPolicy(limit: 3)
        for expected: Int64? in [1_000_000_000, 1_500_000_000, 2_250_000_000, nil] {
            policy.becameLive()
            #expect(policy.failed(lost, jitter: 0.5) == expected)
        }
        policy.connected()
        #expect(policy.failed(lost, jitter: 0.5) == 1_000_000_000)
    }
}
