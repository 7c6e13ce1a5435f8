// What a bad network does to the delay of a broadcast over RTMP, and how soon it is made up for.
import CoreTesting
import KineMeasure
import KinePlatform
import ProcessTesting
import Testing

@Suite(.serialized, .tags(.real, .endurance)) struct NetworkTests {
    @Test func `packets are lost on a long way: what arrives is in order, and the delay goes back`() throws {
        try NetworkedBroadcast.run(delayMilliseconds: 50, NetworkedBroadcast.moving(bitrate: "2M")) {
            _, network, farEnd in
            let before = try NetworkedBroadcast.frames(60, at: farEnd)
            let resent = try network.resentSegments()
            try network.lose(percent: 2)
            NetworkedBroadcast.last(5, farEnd)
            let deadline = NetworkedBroadcast.timeout()
            while try network.resentSegments() == resent, MonotonicClock.now() < deadline {
                NetworkedBroadcast.last(0.2, farEnd)
            }
            #expect(try network.resentSegments() > resent, "nothing was lost")
            try network.lose(percent: 0)
            try expectUsualDelay(farEnd, before: before.arrival)
        }
    }

    @Test func `a line too narrow for a while: frames give way, audio does not, and the delay goes back`() throws {
        try NetworkedBroadcast.run(NetworkedBroadcast.moving(bitrate: "3M")) { _, network, farEnd in
            let before = try NetworkedBroadcast.frames(60, at: farEnd)
            try network.limit(bitsPerSecond: 500_000)
            // What was on its way already has arrived by then.
            NetworkedBroadcast.last(2, farEnd)
            let narrow = MonotonicClock.now()
            NetworkedBroadcast.last(6, farEnd)
            let end = MonotonicClock.now()
            let bitrate = farEnd.log.withLock { $0.bitrate(from: narrow, to: end) }
            Margin.atMost(600, Double(bitrate) / 1000, "kbit/s", "through a line of 500")
            Margin.atLeast(100, Double(bitrate) / 1000, "kbit/s", "through a line of 500, at least")
            try network.limit(bitsPerSecond: nil)
            try expectUsualDelay(farEnd, before: before.arrival)
        }
    }

    /// Waits until frames come no more than a tenth of a second later than they did before `instant`.
    private func expectUsualDelay(_ farEnd: FarEnd, before instant: Int64) throws {
        let now = MonotonicClock.now()
        let settled = farEnd.wait(until: NetworkedBroadcast.timeout()) { log in
            log.usualLateness(before: instant).flatMap {
                log.settled(after: now, beyond: $0, tolerance: 100_000_000)
            }
        }
        Margin.atMost(5, try #require(settled, "frames stayed late"), "s", "until frames come as before")
    }
}
