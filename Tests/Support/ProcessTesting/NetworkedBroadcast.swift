// A broadcast over RTMP on one machine and its server on another, both made of network namespaces.
import Glibc
import KineMeasure
import KinePlatform
import Testing

package enum NetworkedBroadcast {
    package static let executables = RunningKinecast.executables.string

    /// A broadcast on one machine and a server on the other, and after the test's body the checks that hold for all of them.
    package static func run(
        delayMilliseconds: Int = 0, deaf: Bool = false, _ source: [String],
        _ body: (_ take: RunningKinecast, _ network: TestNetwork, _ farEnd: FarEnd) throws -> Void
    ) throws {
        try TestPlace.with { place in
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
    package static let pattern = ["--pattern", "640x360"]
    /// A video that fills the bitrate it is given.
    package static func moving(bitrate: String) -> [String] {
        [
            "--virtual", "640x360", "--fps", "30", "--bitrate", bitrate, "--", "\(executables)/kinecast-scene", "video",
            "--fps", "30",
        ]
    }

    package static func timeout() -> Int64 { MonotonicClock.now() + RunningKinecast.timeout }

    /// Waits until `count` more frames have come than now; the last of them.
    @discardableResult
    package static func frames(_ count: Int, at farEnd: FarEnd) throws -> ArrivedUnit {
        let before = farEnd.log.withLock { $0.frames.count }
        return try #require(
            farEnd.wait(until: timeout()) { log in
                log.frames.count >= before + count ? log.frames.last : nil
            }, "no frames came any more")
    }

    /// Lets a fault last for so many seconds: nothing is waited for.
    package static func last(_ seconds: Double, _ farEnd: FarEnd) {
        _ = farEnd.wait(until: MonotonicClock.now() + Int64(seconds * 1e9)) { _ in false ? true : nil }
    }
}
