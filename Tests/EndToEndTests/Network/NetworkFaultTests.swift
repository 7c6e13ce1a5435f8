// Broadcasts over RTMP through networks and to servers that fail, on two machines made of network namespaces: they come back by
// themselves, and what arrives is in order. How fast they are is `scripts/bench rtmp-faults`'s.
import Glibc
import KineMeasure
import KinePlatform
import Testing

@Suite(.serialized) struct NetworkFaultTests {
    private static let executables = RunningKinecast.executable.removingLastComponent().string

    /// A broadcast on one machine and a server on the other, and after the test's body the checks that hold for all of them.
    private func broadcast(
        delayMilliseconds: Int = 0, deaf: Bool = false, _ source: [String],
        _ body: (_ take: RunningKinecast, _ network: TestNetwork, _ farEnd: FarEnd) throws -> Void
    ) throws {
        try Workplace.with { place in
            let network = try TestNetwork(delayMilliseconds: delayMilliseconds, executables: Self.executables)
            let farEnd = FarEnd(network, executables: Self.executables)
            try farEnd.start(deaf: deaf)
            let command = try network.command(
                on: .publisher, RunningKinecast.executable.string,
                ["broadcast", "--to", farEnd.address("key"), "--json"] + source)
            let take = try RunningKinecast(
                arguments: command.arguments, environment: place.environment, directory: place.directory,
                executable: command.executable)
            try body(take, network, farEnd)
            take.signal(SIGINT)
            let ended = try take.wait()
            #expect(ended.status == 0, "\(ended)")
            let destination = try #require(ended.events.last?.destinations?.first)
            #expect(destination.ending == "finished")
            #expect(destination.restarts == 0)
            #expect((1...50 << 20).contains(destination.peakMemory ?? 0), "\(destination)")
            farEnd.kill()
            let faults = farEnd.log.withLock { $0.faults() }
            #expect(faults == [])
        }
    }

    /// The pattern, which takes next to nothing of a line.
    private static let pattern = ["--pattern", "640x360"]
    /// A moving picture that fills what it is given.
    private static func moving(bitrate: String) -> [String] {
        [
            "--virtual", "640x360", "--fps", "30", "--bitrate", bitrate, "--", "\(executables)/kinecast-scene", "video",
            "--fps", "30",
        ]
    }

    private func patience() -> Int64 { MonotonicClock.now() + RunningKinecast.patience }

    /// Waits until `count` more pictures have come than now; the last of them.
    @discardableResult
    private func pictures(_ count: Int, at farEnd: FarEnd) throws -> ArrivedUnit {
        let before = farEnd.log.withLock { $0.pictures.count }
        return try #require(
            farEnd.wait(until: patience()) { log in
                log.pictures.count >= before + count ? log.pictures.last : nil
            }, "no pictures came any more")
    }

    /// Lets a fault last for so many seconds: nothing is waited for.
    private func last(_ seconds: Double, _ farEnd: FarEnd) {
        _ = farEnd.wait(until: MonotonicClock.now() + Int64(seconds * 1e9)) { _ in false ? true : nil }
    }

    @Test func `packets are lost on a long way: what arrives is in order, and the delay goes back`() throws {
        try broadcast(delayMilliseconds: 50, Self.moving(bitrate: "2M")) { _, network, farEnd in
            let before = try pictures(60, at: farEnd)
            let resent = try network.resentSegments()
            try network.lose(percent: 2)
            last(5, farEnd)
            let deadline = patience()
            while try network.resentSegments() == resent, MonotonicClock.now() < deadline { last(0.2, farEnd) }
            #expect(try network.resentSegments() > resent, "nothing was lost")
            try network.lose(percent: 0)
            try expectUsualDelay(farEnd, before: before.arrival)
        }
    }

    @Test func `a line too narrow for a while: pictures give way, sound does not, and the delay goes back`() throws {
        try broadcast(Self.moving(bitrate: "3M")) { _, network, farEnd in
            let before = try pictures(60, at: farEnd)
            try network.limit(bitsPerSecond: 500_000)
            // What was on its way already has arrived by then.
            last(2, farEnd)
            let narrow = MonotonicClock.now()
            last(6, farEnd)
            let end = MonotonicClock.now()
            let bitrate = farEnd.log.withLock { $0.bitrate(from: narrow, to: end) }
            #expect(bitrate > 0 && bitrate < 600_000, "more came than the line takes, or nothing")
            try network.limit(bitsPerSecond: nil)
            try expectUsualDelay(farEnd, before: before.arrival)
        }
    }

    @Test(arguments: [true, false])
    func `the network is away for a while: the broadcast comes back`(_ isKnown: Bool) throws {
        try broadcast(Self.pattern) { _, network, farEnd in
            try pictures(30, at: farEnd)
            if isKnown { try network.setLink(up: false) } else { try network.swallow(true) }
            last(4, farEnd)
            if isKnown { try network.setLink(up: true) } else { try network.swallow(false) }
            try pictures(60, at: farEnd)
        }
    }

    @Test func `the server is killed and started again five times`() throws {
        try broadcast(Self.pattern) { _, _, farEnd in
            for _ in 0..<5 {
                try pictures(15, at: farEnd)
                farEnd.kill()
                try farEnd.start()
            }
            try pictures(30, at: farEnd)
            #expect(farEnd.log.withLock { $0.live.count } >= 6)
        }
    }

    @Test func `a server that hangs is left, found again, and does not hold up the end`() throws {
        try broadcast(Self.pattern) { _, _, farEnd in
            try pictures(30, at: farEnd)
            farEnd.hang()
            last(10, farEnd)
            farEnd.goOn()
            try pictures(30, at: farEnd)
            farEnd.hang()
        }
    }

    @Test func `a server that never reads gets another chance, and one that does is taken up`() throws {
        try broadcast(deaf: true, Self.pattern) { _, _, farEnd in
            // The second connection shows that the first was given up.
            #expect(farEnd.wait(until: patience()) { $0.opened.count >= 2 ? true : nil } == true)
            try farEnd.start()
            try pictures(30, at: farEnd)
        }
    }

    /// Waits until pictures come no later than they did before `instant`. A loaded machine is given half a second.
    private func expectUsualDelay(_ farEnd: FarEnd, before instant: Int64) throws {
        let now = MonotonicClock.now()
        let settled = farEnd.wait(until: patience()) { log in
            log.usualLateness(before: instant).flatMap {
                log.settled(after: now, beyond: $0, tolerance: 500_000_000)
            }
        }
        #expect(settled != nil, "pictures stayed late")
    }
}
