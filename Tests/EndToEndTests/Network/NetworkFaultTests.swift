// Broadcasts over RTMP through networks and to servers that fail, on two machines made of network namespaces: they come back by
// themselves, and soon, and what arrives is in order. A fault lasts longer where that is judged: a connection is given up after 8 s.
import CoreTesting
import Glibc
import KineMeasure
import KinePlatform
import Testing

@Suite(.serialized, .tags(.real, .programs, .long, .margins)) struct NetworkFaultTests {
    @Test(arguments: [true, false])
    func `the network is away for a while: the broadcast comes back`(_ isKnown: Bool) throws {
        try NetworkedBroadcast.run(NetworkedBroadcast.pattern) { _, network, farEnd in
            let before = try NetworkedBroadcast.frames(30, at: farEnd)
            if isKnown { try network.setLink(up: false) } else { try network.swallow(true) }
            NetworkedBroadcast.last(Margin.isJudged ? 10 : 4, farEnd)
            if isKnown { try network.setLink(up: true) } else { try network.swallow(false) }
            try expectFrames(60, at: farEnd, before: before.arrival)
        }
    }

    @Test func `the server is killed and started again five times`() throws {
        try NetworkedBroadcast.run(NetworkedBroadcast.pattern) { _, _, farEnd in
            try NetworkedBroadcast.frames(15, at: farEnd)
            for fault in 1...5 {
                farEnd.kill()
                if Margin.isJudged { NetworkedBroadcast.last(3, farEnd) }
                try farEnd.start()
                // The waits between attempts grow where one fault follows another so soon.
                try expectFrames(30, at: farEnd, isJudged: fault == 1)
            }
            #expect(farEnd.log.withLock { $0.live.count } >= 6)
        }
    }

    @Test func `a server that hangs is left, found again, and does not hold up the end`() throws {
        try NetworkedBroadcast.run(NetworkedBroadcast.pattern) { _, _, farEnd in
            let before = try NetworkedBroadcast.frames(30, at: farEnd)
            farEnd.hang()
            NetworkedBroadcast.last(Margin.isJudged ? 20 : 10, farEnd)
            farEnd.goOn()
            try expectFrames(30, at: farEnd, before: before.arrival)
            farEnd.hang()
        }
    }

    @Test func `a server that never reads gets another chance, and one that does is taken up`() throws {
        try NetworkedBroadcast.run(deaf: true, NetworkedBroadcast.pattern) { _, _, farEnd in
            // The second connection shows that the first was given up.
            #expect(farEnd.wait(until: NetworkedBroadcast.timeout()) { $0.opened.count >= 2 ? true : nil } == true)
            try farEnd.start()
            try expectFrames(30, at: farEnd)
        }
    }

    /// Waits for so many frames, now that the network and the server are well again.
    /// - Parameters:
    ///   - before: the last frame before the fault, in nanoseconds of CLOCK_MONOTONIC. Data that lay in a connection since then is not live.
    ///   - isJudged: the return is measured as a margin.
    private func expectFrames(
        _ count: Int, at farEnd: FarEnd, before: Int64 = .min, isJudged: Bool = true
    ) throws {
        let restored = MonotonicClock.now()
        try NetworkedBroadcast.frames(count, at: farEnd)
        let first = farEnd.wait(until: NetworkedBroadcast.timeout()) { log in
            log.firstFrame(after: restored, beyond: log.usualLateness(before: before))
        }
        let arrival = try #require(first, "no frame was live again").arrival
        guard isJudged else { return }
        Margin.atMost(2, Double(arrival - restored) / 1e9, "s", "until a frame is live again")
    }
}
