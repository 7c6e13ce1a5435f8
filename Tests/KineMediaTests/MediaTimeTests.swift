// Nanoseconds and ticks, there and back.
import KineMedia
import Testing

@Suite struct MediaTimeTests {
    @Test(arguments: [1000, 44100, 48000, 90000, 96000] as [Int32])
    func `every tick survives the way through nanoseconds`(timescale: Int32) {
        let day = Int64(timescale) * 86400
        for ticks in Array(-3000...3000) + Array(day - 3000...day + 3000) {
            #expect(MediaTime(ticks: ticks, timescale: timescale).ticks(timescale: timescale) == ticks)
        }
    }

    @Test(arguments: [44100, 48000, 90000] as [Int32])
    func `ticks are the nearest ones`(timescale: Int32) {
        for nanoseconds in stride(from: Int64(-2_000_000_000), through: 2_000_000_000, by: 999_983) {
            let exact = Double(nanoseconds) * Double(timescale) / 1e9
            let ticks = MediaTime(nanoseconds: nanoseconds).ticks(timescale: timescale)
            #expect(abs(Double(ticks) - exact) <= 0.5 + 1e-6)
        }
    }

    @Test func `hundred years do not overflow`() {
        let time = MediaTime(nanoseconds: 100 * 365 * 86400 * 1_000_000_000 + 500_000_000)
        let ticks = time.ticks(timescale: 90000)
        #expect(ticks == 100 * 365 * 86400 * 90000 + 45000)
        #expect(MediaTime(ticks: ticks, timescale: 90000) == time)
    }

    @Test func `times add and compare as their nanoseconds do`() {
        let values = ([-5, -1, 0, 1, 7] as [Int64]).map(MediaTime.milliseconds)
        for a in values {
            for b in values {
                #expect((a + b).nanoseconds == a.nanoseconds + b.nanoseconds)
                #expect((a - b).nanoseconds == a.nanoseconds - b.nanoseconds)
                #expect((a < b) == (a.nanoseconds < b.nanoseconds))
                var sum = a
                sum += b
                #expect(sum == a + b)
                sum -= b
                #expect(sum == a)
            }
        }
    }

    @Test func `seconds are rounded to the nanosecond`() {
        #expect(MediaTime.seconds(1.0000000004).nanoseconds == 1_000_000_000)
        #expect(MediaTime.seconds(0.1).nanoseconds == 100_000_000)
        #expect(MediaTime.seconds(-2.5).nanoseconds == -2_500_000_000)
        #expect(MediaTime.milliseconds(1500).seconds == 1.5)
    }
}
