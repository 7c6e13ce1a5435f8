// A stream from this process to another one, under load: every byte that arrives is known beforehand.
import CoreTesting
import Glibc
import KineMedia
import KinePlatform
import KineRings
import KineWire
import RelayTesting
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .margins)) struct StreamProcessTests {
    /// An extension's process, and the engine's ends of its control channel and its stream.
    private struct Peer {
        let process: ChildProcess
        let control: SupervisorConnection
        let sender: StreamSender
        let memory: FrameMemory

        init(_ manner: String, encoded: Bool = true, ringBytes: Int = 1 << 17, seed: UInt64 = 0) throws {
            sender = try StreamSender(video: encoded, frames: StampedTake.layout, sampleRingBytes: ringBytes)
            memory = try FrameMemory(layout: StampedTake.layout)
            let ends = try SupervisorConnection.pair()
            control = ends.near
            var options = ChildProcess.Options()
            options.descriptors = [nil, nil, .standardError, ends.farEnd]
            let path = try #require(BuiltProgram.path("kinecast-relay-peer"))
            process = try ChildProcess(
                executable: path, arguments: [manner, "\(seed)"], environment: [], options: options)
            try ends.farEnd.close()
            let start = ExtensionStart(
                service: "test", setupInfo: [:],
                stream: StreamDescription(
                    framesPerSecond: 60, video: nil, frames: StampedTake.layout,
                    audio: [], sampleRingBytes: sender.sampleRingBytes), memoryLimit: 50 << 20)
            try control.send(.start(start), descriptors: sender.descriptors + [memory.descriptor])
            #expect(try control.receive(until: Self.soon()) == [.started])
        }

        static func soon() -> Int64 { WaitLimit.deadline() }

        /// The numbers in the peer's last report: frames, samples, gaps.
        func finish() throws -> [Int] {
            try control.send(.finish(after: sender.position, seconds: 60))
            var reports: [ExtensionReport] = []
            while !reports.contains(.finished) {
                reports += try control.receive(until: Self.soon())
                if case .failed(let fault, _)? = reports.last {
                    Issue.record("\(fault)")
                    break
                }
            }
            #expect(process.end(signal: 0, deadline: Self.soon()) == .exited(status: 0))
            guard case .state(let words)? = reports.first else { return [] }
            return words.split(separator: " ").compactMap { Int($0) }
        }
    }

    @Test(arguments: ["fast", "slow", "stuttering"])
    func `a reader gets whole frames in order, and every gap in the samples is marked`(manner: String) throws {
        let peer = try Peer(manner)
        let frames = StampedFrames(memory: peer.memory, sender: peer.sender)
        // Samples come from a second thread, as an engine's audio does.
        let sender = peer.sender
        let thread = DedicatedThread(name: "samples") {
            var samples = StampedSamples()
            for _ in 0..<3000 { samples.next(to: sender, withFrames: true) }
        }
        for _ in 0..<1500 { try frames.next() }
        thread.join()
        let numbers = try peer.finish()
        try #require(numbers.count == 3)
        let counts = peer.sender.counts
        try peer.sender.check()
        #expect(numbers[0] > 0 && numbers[0] <= frames.offered)
        #expect(counts.queuedBytes == 0)
        #expect(counts.frames + counts.audioSamples == numbers[0] + numbers[1])
        // Nothing is lost that is not counted.
        let audioLost = Int((counts.audioLost / 0.016).rounded())
        let encodedSkipped = Int(counts.framesSkipped) - (frames.offered - numbers[0])
        #expect(numbers[1] + audioLost + encodedSkipped == 9000)
        #expect(peer.sender.heldSince(now: MonotonicClock.now()) == nil)
    }

    @Test func `a receiver that writes garbage into its state page is found out`() throws {
        var numbers = SeededGenerator()
        for _ in 0..<5 {
            let peer = try Peer("hostile", seed: .random(in: 0...1 << 40, using: &numbers))
            defer { _ = peer.process.end(signal: SIGKILL, deadline: Peer.soon()) }
            let frames = StampedFrames(memory: peer.memory, sender: peer.sender)
            var samples = StampedSamples()
            #expect(throws: StreamSender.Error.self) {
                let deadline = Peer.soon()
                while MonotonicClock.now() < deadline {
                    try frames.next()
                    samples.next(to: peer.sender, withFrames: true)
                    _ = peer.sender.heldSince(now: MonotonicClock.now())
                    _ = peer.sender.counts
                }
            }
            // From then on nothing is believed or sent.
            let position = peer.sender.position
            samples.next(to: peer.sender, withFrames: true)
            #expect(peer.sender.position == position)
            #expect(throws: StreamSender.Error.self) { try peer.sender.check() }
        }
    }

    @Test func `a receiver that dies holding a frame keeps its slot, and the sender goes on`() throws {
        let peer = try Peer("slow")
        let frames = StampedFrames(memory: peer.memory, sender: peer.sender)
        for _ in 0..<10 { try frames.next() }
        _ = peer.process.end(signal: SIGKILL, deadline: Peer.soon())
        let before = MonotonicClock.now()
        for _ in 0..<1000 { try frames.next() }
        let since = try #require(peer.sender.heldSince(now: MonotonicClock.now()))
        #expect(since <= MonotonicClock.now())
        Margin.atMost(10, Double(MonotonicClock.now() - before) / 1e9, "s", "1000 pictures past a dead reader")
    }
}
