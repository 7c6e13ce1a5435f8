// An extension's process from the engine's end: its reports and its end.
import CoreTesting
import Glibc
import KineMedia
import KinePlatform
import KineRings
import KineWire
import RelayTesting
import SystemPackage
import Testing

@testable import KinecastExtension

@Suite(.tags(.real)) struct ExtensionProcessTests {
    /// A running fixture.
    private struct Running {
        let process: ChildProcess
        let control: SupervisorConnection
        let sender: StreamSender
        let memory: FrameMemory

        init(_ setupInfo: [String: String] = [:], finishSeconds: Double = 5, isReadable: Bool = true) throws {
            let layout = FrameSlotLayout(
                pixelFormat: .i420, visibleSize: PixelSize(width: 64, height: 48), slotCount: 3)
            sender = try StreamSender(video: false, frames: layout, sampleRingBytes: 1 << 16)
            memory = try FrameMemory(layout: layout)
            let ends = try SupervisorConnection.pair()
            control = ends.near
            var options = ChildProcess.Options()
            options.descriptors = [nil, nil, .standardError, ends.farEnd]
            process = try ChildProcess(
                executable: try #require(BuiltProgram.path("kinecast-fixture")), arguments: [],
                environment: ProcessEnvironment.current.filter(Self.isForSanitizers), options: options)
            try ends.farEnd.close()
            let start = ExtensionStart(
                service: "test", setupInfo: setupInfo,
                stream: StreamDescription(
                    framesPerSecond: 60, video: nil, frames: layout, audio: [],
                    sampleRingBytes: sender.sampleRingBytes), memoryLimit: 50 << 20, finishSeconds: finishSeconds)
            try control.send(
                isReadable ? .start(start) : .unknown("start"), descriptors: sender.descriptors + [memory.descriptor])
        }

        private static func isForSanitizers(_ variable: String) -> Bool {
            ["LD_PRELOAD=", "TSAN_OPTIONS=", "ASAN_OPTIONS="].contains { variable.hasPrefix($0) }
        }

        static func soon() -> Int64 { WaitLimit.deadline() }

        /// Reads until a report fits, and returns all that came, without heartbeats, which come at any time.
        func wait(for isFit: (ExtensionReport) -> Bool) throws -> [ExtensionReport] {
            var reports: [ExtensionReport] = []
            while true {
                let arrived = try control.receive(until: Self.soon())
                try #require(!arrived.isEmpty, "nothing more came after \(reports)")
                reports += arrived.filter { $0 != .heartbeat }
                if reports.contains(where: isFit) { return reports }
            }
        }

        func offerFrame() throws {
            _ = try sender.offer(
                slot: 0, at: .zero, duration: .zero, damage: .full(size: memory.layout.size), orientation: .up)
        }

        /// The process ends by itself.
        func expectEnd() { #expect(process.end(signal: 0, deadline: Self.soon()) == .exited(status: 0)) }
    }

    @Test func `it reports its start and its end, and exits`() throws {
        let running = try Running(["main": "yes"])
        #expect(try running.wait { $0 == .started } == [.state("main"), .started])
        try running.offerFrame()
        try running.control.send(.finish(after: running.sender.position, seconds: 5))
        _ = try running.wait { $0 == .finished }
        running.expectEnd()
        #expect(try running.sender.reclaim() == [0])
    }

    @Test func `it reports that it cannot read a start of a later version, and exits`() throws {
        let running = try Running(isReadable: false)
        let reports = try running.wait { if case .failed = $0 { true } else { false } }
        guard case .failed(let sentence, _)? = reports.first else {
            Issue.record("\(reports)")
            return
        }
        #expect(sentence.hasPrefix("This extension does not understand how the engine starts it;"))
        running.expectEnd()
    }

    @Test func `it ends when its engine is gone, even if its handler does not`() throws {
        let running = try Running(["finish": "hang"], finishSeconds: 0.2)
        _ = try running.wait { $0 == .started }
        running.control.close()
        running.expectEnd()
    }

    @Test func `it ends after an error, even if its handler hangs`() throws {
        let running = try Running(["sample": "fail and hang"])
        _ = try running.wait { $0 == .started }
        try running.offerFrame()
        _ = try running.wait { $0 == .failed("Gave up.") }
        running.expectEnd()
    }

    @Test func `it sends statistics while its handler hangs, and the frame counts as held`() throws {
        let running = try Running(["sample": "hang"])
        defer { _ = running.process.end(signal: SIGKILL, deadline: Running.soon()) }
        _ = try running.wait { $0 == .started }
        try running.offerFrame()
        _ = try running.wait {
            if case .statistics(let statistics) = $0 { statistics.viewers == 1 } else { false }
        }
        #expect(running.sender.heldSince(now: MonotonicClock.now()) != nil)
    }

    @Test func `it says what it is if a person starts it`() throws {
        let ends = try FileDescriptor.pipe()
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, ends.writeEnd]
        let process = try ChildProcess(
            executable: try #require(BuiltProgram.path("kinecast-fixture")), arguments: [], environment: [],
            options: options)
        try ends.writeEnd.close()
        #expect(process.end(signal: 0, deadline: Running.soon()) == .exited(status: 64))
        var text = [UInt8](repeating: 0, count: 1000)
        let count = try text.withUnsafeMutableBytes { try ends.readEnd.read(into: $0) }
        let sentence = String(decoding: text[..<count], as: UTF8.self)
        #expect(sentence.contains("kinecast-fixture is an upload extension of Kinecast"))
        #expect(sentence.split(separator: "\n").count == 1)
        try ends.readEnd.close()
    }

    @Test func `a report too long to be sent is told, and a request to the desktop answered`() throws {
        let (engine, end) = try SupervisorConnection.pair()
        let session = try BroadcastSession(adopting: end)
        let answers = Monitor<[DesktopAnswer]>([])
        EngineLink.shared.receive { request, _ in
            guard case .desktop(let answer) = request, answer.number == -7 else { return false }
            answers.withLock { $0.append(answer) }
            return true
        }
        let long = String(repeating: "x", count: 2 << 20)
        session.send(.desktop(DesktopRequest(number: -7, task: .withdraw(identifier: long))))
        guard case .failed(let failure, _)? = answers.withLock({ $0 }).first else {
            Issue.record("the request is not answered")
            return
        }
        #expect(failure.code == .invalid && failure.message.contains("the limit"))
        session.send(.warning(long))
        session.send(.failed(long))
        let reports = try engine.receive(until: Running.soon())
        guard reports.count == 2, case .log(let line) = reports[0], case .failed(let reason, _) = reports[1] else {
            Issue.record("\(reports)")
            return
        }
        #expect(line.level == .error && line.message.contains("the limit") && reason.contains("the limit"))
    }

    @Test func `heartbeats are sent although no handler runs`() throws {
        let (engine, end) = try SupervisorConnection.pair()
        let session = try BroadcastSession(adopting: end)
        let thread = DedicatedThread(name: "control") {
            var loop = ControlLoop(session, heartbeatInterval: 5_000_000)
            loop.run()
        }
        var beats = 0
        while beats < 3 {
            let reports = try engine.receive(until: Running.soon())
            try #require(!reports.isEmpty)
            beats += reports.filter { $0 == .heartbeat }.count
        }
        session.end()
        thread.join()
    }
}
