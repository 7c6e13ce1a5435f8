// Flashes and beeps found in a file, and which belong together.
import KineMeasure
import Testing

@Suite struct FlashAndBeepTests {
    @Test func `each flash finds the beep nearest to it`() {
        let result = FlashAndBeep(flashes: [1, 2, 3.5], beeps: [1.02, 1.98, 3.55])
        #expect(result.pairs.map { Int(($0.offset * 1000).rounded()) } == [20, -20, 50])
        #expect(result.lonelyFlashes.isEmpty && result.lonelyBeeps.isEmpty)
    }

    @Test func `a flash whose beep was cut away stays alone`() {
        // A pause left the flash at 1.0 without its audio and moved the next pair close to it.
        let result = FlashAndBeep(flashes: [1.0, 1.2, 2.0], beeps: [1.21, 2.0, 4.0])
        #expect(result.pairs.map(\.flash) == [1.2, 2.0])
        #expect(result.lonelyFlashes == [1.0])
        #expect(result.lonelyBeeps == [4.0])
    }

    @Test func `beeps are found at their onset`() {
        var samples = [Float](repeating: 0, count: 48000)
        for start in [4800, 24000] {
            for index in start..<start + 2400 { samples[index] = index / 24 % 2 == 0 ? 0.5 : -0.5 }
        }
        #expect(FlashAndBeep.beeps(in: samples, rate: 48000) == [0.1, 0.5])
        #expect(FlashAndBeep.tones(in: samples, rate: 48000) == [0.1..<0.15, 0.5..<0.55])
    }

    @Test func `a flash is the first bright frame`() {
        let levels: [(time: Double, level: Double)] = [
            (0, 16), (0.1, 16), (0.2, 235), (0.3, 235), (0.4, 16), (0.5, 230),
        ]
        #expect(FlashAndBeep.flashes(in: levels) == [0.2, 0.5])
    }
}
