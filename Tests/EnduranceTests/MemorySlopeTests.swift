// The engine's own memory in a long take: how fast it grows, and how much of that the file's index explains.
import CoreTesting
import Glibc
import KineMeasure
import KinePlatform
import ProcessTesting
import Testing

@Suite(.serialized, .tags(.real, .endurance)) struct MemorySlopeTests {
    /// Minutes before and while memory is read. KINECAST_MEMORY_MINUTES=47 is a long take; the ordinary one takes eight. In the first
    /// quarter of an hour every thread's heap still gets its pages.
    private static let settling = 15.0
    private static let minutes = ProcessEnvironment.value("KINECAST_MEMORY_MINUTES").flatMap { Double($0) } ?? 8

    @Test func `the engine's memory grows by the file's index, and by nothing else`() throws {
        let server = try SlowRTMPServer(speed: 100_000_000)
        try TestPlace.with { place in
            let take = try place.start(
                "broadcast", "--record", "a.mp4", "--virtual", "640x480", "--fps", "10", "--clip-buffer", "10",
                "--json",
                "--to", "rtmp://127.0.0.1:\(server.port)/live/key", "--", RunningKinecast.scene, "flash", "--random")
            try take.recorded(1)
            let engine = try place.registry().find(nil).pid
            let begun = MonotonicClock.now()
            var readings: [(minute: Double, kilobytes: Double)] = []
            while (readings.last?.minute ?? 0) < Self.settling + Self.minutes {
                _ = WakeSignal.poll([], until: MonotonicClock.now() + 2_000_000_000)
                // A test that runs for hours must not keep what it was sent.
                server.state.withLock { $0.media = [] }
                let minute = Double(MonotonicClock.now() - begun) / 60e9
                readings.append((minute, Double(ProcFiles.anonymousBytes(of: engine)) / 1024))
            }
            #expect(try place.run("stop").status == 0)
            try #require(try take.wait().events.last?.event == "summary")
            let bytes = try #require(try Self.indexBytes(place.path("a.mp4")))
            let index = Double(bytes) / 1024 / (readings.last?.minute ?? 1)
            let slope = Self.slope(readings.filter { $0.minute > Self.settling })
            print("memory grew by \(slope) KB a minute, of which the index is \(index)")
            Margin.atMost(60, slope, "KB/min", "growth of the engine's memory")
            Margin.atMost(20, slope - index, "KB/min", "growth that the index of \(Int(index)) KB/min does not explain")
        }
    }

    /// Kilobytes a minute, by least squares.
    private static func slope(_ readings: [(minute: Double, kilobytes: Double)]) -> Double {
        let count = Double(readings.count)
        let time = readings.map(\.minute).reduce(0, +) / count
        let size = readings.map(\.kilobytes).reduce(0, +) / count
        let products = readings.map { ($0.minute - time) * ($0.kilobytes - size) }.reduce(0, +)
        return products / readings.map { ($0.minute - time) * ($0.minute - time) }.reduce(0, +)
    }

    /// The length of a finished file's `moov` box (ISO/IEC 14496-12, 4.2).
    private static func indexBytes(_ path: String) throws -> Int? {
        let bytes = try Tool.contents(of: path)
        var at = 0
        while at + 16 <= bytes.count {
            func integer(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 << 8 | Int($1) } }
            let length = integer(at..<at + 4) == 1 ? integer(at + 8..<at + 16) : integer(at..<at + 4)
            if bytes[at + 4..<at + 8].elementsEqual("moov".utf8) { return length }
            at += max(8, length)
        }
        return nil
    }
}
