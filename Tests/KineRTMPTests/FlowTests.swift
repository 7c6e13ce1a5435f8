// What waits, what is dropped, how much to encode, and when to connect again.
import KineRTMP
import Testing

@Suite struct SendQueueTests {
    private func item(_ time: Int64, video: Bool = true, key: Bool = false) -> SendQueue.Item {
        .init(isVideo: video, isKeyframe: key, time: time, payload: [1, 2, 3])
    }

    private func rest(_ queue: SendQueue) -> [SendQueue.Item] {
        var (queue, items) = (queue, [SendQueue.Item]())
        while let item = queue.popFirst() { items.append(item) }
        return items
    }

    @Test func theFirstPictureIsAKeyframe() {
        var queue = SendQueue()
        #expect(queue.append(item(0)) == .needsKeyframe)
        #expect(queue.append(item(10, video: false)) == .taken)
        #expect(queue.append(item(40, key: true)) == .taken)
        #expect(rest(queue) == [item(10, video: false), item(40, key: true)])
    }

    @Test func whatIsTooOldGivesWayToTheNewestKeyframe() {
        var queue = SendQueue(longest: 1000)
        _ = queue.append(item(0, key: true))
        for time in stride(from: Int64(40), through: 1000, by: 40) {
            #expect(queue.append(item(time, key: time == 400 || time == 800)) == .taken)
            _ = queue.append(item(time, video: false))
        }
        #expect(queue.append(item(1040)) == .droppedToKeyframe)
        let kept = rest(queue)
        #expect(kept.first { $0.isVideo } == item(800, key: true))
        #expect(kept.filter { !$0.isVideo }.count == 25)
        #expect(queue.droppedPictures == 20)
        #expect(queue.byteCount == kept.count * 3)
    }

    @Test func withoutAKeyframeAllPicturesGoUntilOneComes() {
        var queue = SendQueue(longest: 1000)
        _ = queue.append(item(0, key: true))
        #expect(queue.append(item(500)) == .taken)
        #expect(queue.append(item(1040)) == .needsKeyframe)
        #expect(queue.isEmpty && queue.isWaitingForKeyframe && queue.byteCount == 0)
        #expect(queue.append(item(1080)) == .needsKeyframe)
        #expect(queue.append(item(1120, key: true)) == .taken)
        #expect(queue.droppedPictures == 4)
    }

    @Test func soundIsNeverDropped() {
        var queue = SendQueue(longest: 100)
        for time in stride(from: Int64(0), to: 10_000, by: 20) { _ = queue.append(item(time, video: false)) }
        #expect(rest(queue).count == 500)
    }

    @Test func itemsLeaveInTheirOrderHoweverManyThereAre() {
        var queue = SendQueue(longest: .max)
        _ = queue.append(item(0, key: true))
        for time in 1..<2000 { _ = queue.append(item(Int64(time))) }
        for time in 0..<1000 { #expect(queue.popFirst()?.time == Int64(time)) }
        #expect(queue.count == 1000 && queue.byteCount == 3000)
        #expect(rest(queue).map(\.time) == Array(1000..<2000))
    }
}

@Suite struct ReconnectPolicyTests {
    private let lost = PublishFailure(.lost, "lost")

    @Test func waitsGrowByHalfUpToThirtySeconds() {
        var policy = ReconnectPolicy()
        let delays = (0..<40).compactMap { _ in policy.failed(lost, chance: 0.5) }
        #expect(delays.prefix(3) == [1_000_000_000, 1_500_000_000, 2_250_000_000])
        #expect(delays.count == 40 && delays.last == 30_000_000_000)
        policy.connected()
        #expect(policy.failed(lost, chance: 0.5) == 1_000_000_000)
        #expect(policy.failed(lost, chance: 0) == 1_200_000_000)
        #expect(policy.failed(lost, chance: 1) == 2_700_000_000)
    }

    @Test func finalFailuresAreNotTriedAgain() {
        for kind in [.refused, .wrongApplication, .unauthorized, .certificate] as [PublishFailure.Kind] {
            var policy = ReconnectPolicy()
            #expect(policy.failed(PublishFailure(kind, ""), chance: 0) == nil)
        }
    }

    @Test func aLimitCountsAttemptsInARow() {
        var policy = ReconnectPolicy(limit: 2)
        #expect(policy.failed(lost, chance: 0) != nil)
        #expect(policy.failed(lost, chance: 0) != nil)
        #expect(policy.failed(lost, chance: 0) == nil)
    }

    @Test func aNetworkThatComesBackShortensTheWaitAndNotTheCount() {
        var policy = ReconnectPolicy(limit: 12)
        for _ in 0..<10 { _ = policy.failed(lost, chance: 0.5) }
        policy.networkReturned()
        #expect(policy.failed(lost, chance: 0.5) == 1_000_000_000)
        #expect(policy.failed(lost, chance: 0.5) == 1_500_000_000)
        #expect(policy.failed(lost, chance: 0.5) == nil)
    }

    @Test func aServerThatClosesAtEachStreamNameDoesNotKnowIt() {
        var policy = ReconnectPolicy()
        #expect(policy.failed(lost, atStreamName: true, chance: 0) != nil)
        #expect(policy.failed(lost, atStreamName: true, chance: 0) != nil)
        #expect(policy.failed(lost, atStreamName: true, chance: 0) == nil)
        policy = ReconnectPolicy()
        policy.connected()
        for _ in 0..<10 { #expect(policy.failed(lost, atStreamName: true, chance: 0) != nil) }
    }
}
