// Parameter sets that say nothing of the frame rate, and the bytes that keep start codes from appearing.
import CoreTesting
import KineCodecs
import KineMedia
import Testing

@Suite struct VariableRateSPSTests {
    @Test func `a parameter set without timing, or cut short, is left as it is`() {
        for unit: [UInt8] in [[], [0x67], [0x67, 100, 0, 40], [0x67, 66, 0, 40, 0xff, 0xff, 0, 0, 3, 1]] {
            #expect(VariableRateSPS.clearingFixedFrameRate(unit) == unit)
        }
    }

    @Test func `emulation prevention comes back as it went`() {
        var generator = SeededGenerator()
        for _ in 0..<1000 {
            // Small values make the sequences that need it frequent.
            let payload = (0..<40).map { _ in UInt8.random(in: 0...4, using: &generator) } + [0x80]
            let unit = EmulationPrevention.added(to: payload)
            #expect(EmulationPrevention.removed(from: unit) == payload)
            for index in 2..<unit.count where unit[index - 2] == 0 && unit[index - 1] == 0 {
                #expect(unit[index] >= 3)
            }
        }
    }
}
