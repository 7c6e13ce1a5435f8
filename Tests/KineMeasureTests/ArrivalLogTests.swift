// What is said of what arrived: faults of order are found, and delay is seen to grow and to go back.
import KineMeasure
import Testing

@Suite struct ArrivalLogTests {
    private static let second: Int64 = 1_000_000_000

    /// Frames every 40 ms and audio every 21 or 22, each 5 ms after its time, and later where `late` says so (milliseconds).
    private static func units(
        _ times: Range<Int64>, connection: Int = 0, late: (Int64) -> Int64 = { _ in 0 }
    ) -> [ArrivedUnit] {
        let frames = stride(from: times.lowerBound, to: times.upperBound, by: 40).map { time in
            ArrivedUnit(
                connection: connection, arrival: (time + 5 + late(time)) * 1_000_000, isVideo: true,
                isKeyframe: time == times.lowerBound, time: time, byteCount: 1000)
        }
        let audio = (0..<(times.upperBound - times.lowerBound) * 48 / 1024).map { index in
            let time = times.lowerBound + index * 1024 / 48
            return ArrivedUnit(
                connection: connection, arrival: (time + 5 + late(time)) * 1_000_000, isVideo: false,
                isKeyframe: false, time: time, byteCount: 100)
        }
        return (frames + audio).sorted { ($0.arrival, $0.time) < ($1.arrival, $1.time) }
    }

    private static func log(_ units: [ArrivedUnit]) -> ArrivalLog {
        var log = ArrivalLog()
        for unit in units { log.append(.unit(unit)) }
        return log
    }

    @Test func `a line is read as it was written`() {
        let unit = ArrivedUnit(connection: 3, arrival: 77, isVideo: true, isKeyframe: false, time: 40, byteCount: 9)
        var key = unit
        key.isKeyframe = true
        var audio = unit
        audio.isVideo = false
        for line: FarEndLine in [
            .opened(connection: 1, at: 2), .live(connection: 1, at: 2), .unit(unit), .unit(key), .unit(audio),
            .closed(connection: 1, at: 2, isOrderly: true), .closed(connection: 1, at: 2, isOrderly: false),
            .violation(connection: 1, at: 2, "two words"),
        ] {
            #expect(FarEndLine(line.text) == line)
        }
        for nonsense in ["", "unit 1", "key 1 2", "key 1 2 3", "key a 2 3 4", "live 1 x"] {
            #expect(FarEndLine(nonsense) == nil)
        }
    }

    @Test func `a stream in order over two connections has no faults`() {
        let log = Self.log(Self.units(0..<2000) + Self.units(3000..<5000, connection: 1))
        #expect(log.faults() == [])
        #expect(log.firstFrame(after: 2 * Self.second)?.time == 3000)
    }

    @Test func `every fault of order is found`() {
        var units = Self.units(0..<1000)
        units.swapAt(4, 8)
        #expect(!Self.log(units).faults().isEmpty)

        units = Self.units(0..<1000)
        let again = units.filter(\.isVideo)[3]
        units.append(again)
        #expect(Self.log(units).faults() == ["the frame at 120 ms came after the one at 960 ms"])

        units = Self.units(0..<1000)
        units.removeAll { !$0.isVideo && $0.time == 512 }
        #expect(Self.log(units).faults() == ["audio is missing between 490 and 533 ms"])

        units = Self.units(0..<1000) + Self.units(2000..<3000, connection: 1).filter { $0.time != 2000 }
        #expect(Self.log(units).faults() == ["connection 1 begins with a frame that is no keyframe"])

        var log = Self.log(Self.units(0..<1000))
        log.append(.violation(connection: 0, at: 0, "metadata twice"))
        #expect(log.faults() == ["metadata twice"])
    }

    @Test func `delay is seen to grow and to go back`() throws {
        // From the second second on a second late, and less and less from the third on.
        let log = Self.log(
            Self.units(0..<8000) { time in
                time < 2000 ? 0 : time < 3000 ? 1000 : max(0, 1000 - (time - 3000) / 2)
            })
        let usual = try #require(log.usualLateness(before: 2 * Self.second))
        #expect(usual == 5_000_000)
        // What comes at 3 s is a second late; the first that is less comes at 4 s.
        #expect(log.firstFrame(after: 3 * Self.second)?.time == 2000)
        #expect(log.firstFrame(after: 3 * Self.second, beyond: usual - 1)?.time == 3040)
        let settled = try #require(log.settled(after: 4 * Self.second, beyond: usual, tolerance: 100_000_000))
        #expect(abs(settled - 0.9) < 0.1)
        #expect(log.settled(after: 2 * Self.second, beyond: usual - 2 * Self.second, tolerance: 0) == nil)
    }
}
