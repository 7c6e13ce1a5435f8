// The bitrate for the encoder, on a simulated link.
import Testing

@testable import KinePublisher

@Suite struct BitrateControllerTests {
    /// A link that transmits `capacity` bits a second, and an encoder that follows the target. Four measurements a second.
    private struct Link {
        var controller = BitrateController(range: 500_000...4_000_000)
        /// Bits a second that the encoder needs at most: for a desktop it is often less than the target.
        var made = Int.max
        /// Bits a second of audio, which is always sent.
        var audio = 0.0
        var waiting = 0.0
        var delivered = 0.0
        var now: Int64 = 0
        var longestDelay = 0.0

        mutating func run(seconds: Double, capacity: Double) {
            for _ in 0..<Int(seconds * 4) {
                let video = min(Double(controller.target.bitrate), Double(made))
                waiting += (video / Double(controller.target.frameDivisor) + audio) / 8 / 4
                let sent = min(waiting, capacity / 8 / 4)
                waiting -= sent
                delivered += sent
                now += 250_000_000
                longestDelay = max(longestDelay, waiting * 8 / max(capacity, 1))
                _ = controller.update(now: now, waitingBytes: Int(waiting), deliveredBytes: Int64(delivered))
            }
        }

        /// A frame of so many bytes comes at once.
        mutating func burst(_ bytes: Double) { waiting += bytes }
    }

    @Test func `nothing changes while the network transmits everything`() {
        var link = Link()
        link.run(seconds: 60, capacity: 10_000_000)
        #expect(link.controller.target == .init(bitrate: 4_000_000, frameDivisor: 1))
        #expect(link.controller.isUnlimited && link.controller.delay == 0)
    }

    @Test func `the target follows a slow link within two seconds, and comes back slowly`() {
        var link = Link()
        link.run(seconds: 20, capacity: 6_000_000)
        link.run(seconds: 2, capacity: 1_000_000)
        #expect(link.controller.target.bitrate <= 850_000)
        link.run(seconds: 18, capacity: 1_000_000)
        #expect((500_000...1_000_000).contains(link.controller.target.bitrate))
        #expect(link.controller.target.frameDivisor == 1 && !link.controller.isUnlimited)
        #expect(link.waiting * 8 / 1_000_000 < 1)
        #expect(link.longestDelay < 10)
        link.run(seconds: 5, capacity: 6_000_000)
        #expect(link.waiting * 8 / 6_000_000 < 0.1)
        #expect(link.controller.target.bitrate < 1_300_000, "that was not slow")
        link.run(seconds: 90, capacity: 6_000_000)
        #expect(link.controller.isUnlimited)
    }

    @Test func `at the floor the frame rate falls, and rises again afterwards`() {
        var link = Link()
        link.run(seconds: 30, capacity: 200_000)
        #expect(link.controller.target.bitrate == 500_000)
        #expect(link.controller.target.frameDivisor > 1)
        link.run(seconds: 120, capacity: 6_000_000)
        #expect(link.controller.target == .init(bitrate: 4_000_000, frameDivisor: 1))
    }

    @Test func `a large frame on a still screen does not mean a slow link`() {
        var link = Link()
        link.made = 10_000
        for _ in 0..<20 {
            link.run(seconds: 5, capacity: 8_000_000)
            link.burst(350_000)  // 0.35 s
        }
        #expect(link.controller.isUnlimited)
        // A frame that takes three seconds does.
        link.run(seconds: 5, capacity: 1_000_000)
        link.burst(400_000)
        link.run(seconds: 2, capacity: 1_000_000)
        #expect((500_000...1_000_000).contains(link.controller.target.bitrate))
    }

    @Test func `audio has its part of the capacity`() {
        var link = Link(controller: BitrateController(range: 200_000...4_000_000, reserved: 160_000), audio: 160_000)
        link.run(seconds: 3, capacity: 1_000_000)
        #expect(link.controller.target.bitrate <= 850_000 - 160_000)
        #expect(link.controller.target.bitrate > 400_000)
        link.run(seconds: 15, capacity: 1_000_000)
        #expect(link.waiting * 8 / 1_000_000 < 1)
    }

    @Test func `half a second of silence halves the target, more leads to the floor`() {
        var link = Link()
        link.run(seconds: 5, capacity: 3_900_000)  // nearly all of it, so that something waits
        let before = link.controller.target.bitrate
        link.run(seconds: 0.75, capacity: 0)
        #expect(link.controller.target.bitrate >= before / 2)
        link.run(seconds: 3, capacity: 0)
        #expect(link.controller.target.bitrate == 500_000)
    }

    @Test func `with a range of one bitrate only the frame rate falls`() {
        var link = Link(controller: BitrateController(range: 300_000...300_000))
        link.run(seconds: 10, capacity: 150_000)
        #expect(link.controller.target.bitrate == 300_000 && link.controller.target.frameDivisor > 1)
        link.run(seconds: 60, capacity: 900_000)
        #expect(link.controller.isUnlimited)
    }

    @Test func `a new connection begins at the last target, without measurements`() {
        var link = Link()
        link.run(seconds: 10, capacity: 1_000_000)
        let target = link.controller.target
        link.controller.reset()
        (link.waiting, link.delivered) = (0, 0)
        #expect(link.controller.throughput == nil && link.controller.target == target)
        link.run(seconds: 1, capacity: 1_000_000)
        #expect(link.controller.target == target)
    }

    /// On any link the target stays within its range, and on one that transmits the floor the queue becomes short.
    @Test(arguments: 0..<20) func `whatever the link does, the target stays within its range and settles`(seed: UInt64)
    {
        var state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 1
        func random(_ limit: UInt64) -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state % limit
        }
        var link = Link()
        for _ in 0..<100 {
            link.run(seconds: Double(random(12)) / 4, capacity: Double(random(6_000_000)))
            if random(4) == 0 { link.burst(Double(random(200_000))) }
            #expect((500_000...4_000_000).contains(link.controller.target.bitrate))
            #expect((1...4).contains(link.controller.target.frameDivisor))
        }
        link.run(seconds: 120, capacity: 700_000)
        #expect(link.waiting * 8 / 700_000 < 1.5)
    }
}
