// Broadcasts over RTMP through networks and to servers that fail, on two machines made of network namespaces: they come back by
// themselves, and what arrives is in order. How fast they are is for
// EnduranceTests and `scripts/bench rtmp-faults`.
import Glibc
import KineMeasure
import KinePlatform
import Testing

@Suite(.serialized, .tags(.real, .programs, .long)) struct NetworkFaultTests {
    @Test(arguments: [true, false])
    func `the network is away for a while: the broadcast comes back`(_ isKnown: Bool) throws {
        try NetworkedBroadcast.run(NetworkedBroadcast.pattern) { _, network, farEnd in
            try NetworkedBroadcast.frames(30, at: farEnd)
            if isKnown { try network.setLink(up: false) } else { try network.swallow(true) }
            NetworkedBroadcast.last(4, farEnd)
            if isKnown { try network.setLink(up: true) } else { try network.swallow(false) }
            try NetworkedBroadcast.frames(60, at: farEnd)
        }
    }

    @Test func `the server is killed and started again five times`() throws {
        try NetworkedBroadcast.run(NetworkedBroadcast.pattern) { _, _, farEnd in
            for _ in 0..<5 {
                try NetworkedBroadcast.frames(15, at: farEnd)
                farEnd.kill()
                try farEnd.start()
            }
            try NetworkedBroadcast.frames(30, at: farEnd)
            #expect(farEnd.log.withLock { $0.live.count } >= 6)
        }
    }

    @Test func `a server that hangs is left, found again, and does not hold up the end`() throws {
        try NetworkedBroadcast.run(NetworkedBroadcast.pattern) { _, _, farEnd in
            try NetworkedBroadcast.frames(30, at: farEnd)
            farEnd.hang()
            NetworkedBroadcast.last(10, farEnd)
            farEnd.goOn()
            try NetworkedBroadcast.frames(30, at: farEnd)
            farEnd.hang()
        }
    }

    @Test func `a server that never reads gets another chance, and one that does is taken up`() throws {
        try NetworkedBroadcast.run(deaf: true, NetworkedBroadcast.pattern) { _, _, farEnd in
            // The second connection shows that the first was given up.
            #expect(farEnd.wait(until: NetworkedBroadcast.timeout()) { $0.opened.count >= 2 ? true : nil } == true)
            try farEnd.start()
            try NetworkedBroadcast.frames(30, at: farEnd)
        }
    }
}
