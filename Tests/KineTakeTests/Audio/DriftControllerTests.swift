// The loop that keeps audio with the video, on a simulated clock.
import CoreTesting
import Testing

@testable import KineTake

@Suite struct DriftControllerTests {
    /// Simulates a device for `hours` and returns the worst distance of audio from video, in seconds, and how often
    /// audio was moved at once. `clock`: the device's error as a part of one at a time (seconds).
    private func simulate(
        hours: Double, jitter: Double, interval: Double, clock: (Double) -> Double
    ) -> (worst: Double, jumps: Int, widestStep: Double) {
        var controller = DriftController()
        var random = SeededGenerator(seed: 7)
        var error = 0.0
        var stretch = 0.0
        var time = 0.0
        var worst = 0.0
        var jumps = 0
        var widestStep = 0.0
        // The first reading places the audio, so its own jitter is the first error.
        error = Double.random(in: -jitter...jitter, using: &random)
        while time < hours * 3600 {
            let elapsed = time < 5 ? 0.4 : interval
            time += elapsed
            // A slow device's second lasts longer than the machine's, so its audio falls short of where it belongs.
            error += (clock(time) - stretch) * elapsed
            worst = max(worst, abs(error))
            let seen = error + Double.random(in: -jitter...jitter, using: &random)
            switch controller.update(error: seen, elapsed: elapsed) {
            case .stretch(let value):
                widestStep = max(widestStep, time > 60 ? abs(value - stretch) : 0)
                stretch = value
            case .jump:
                jumps += 1
                error = 0
            }
        }
        return (worst, jumps, widestStep)
    }

    @Test(arguments: [-300e-6, -120e-6, 0, 45e-6, 300e-6], [0.4, 2.5])
    func `audio stays within 5 ms for four hours, whatever the device's clock does within 300 ppm`(
        clock: Double, interval: Double
    ) {
        let result = simulate(hours: 4, jitter: 0.002, interval: interval) { _ in clock }
        #expect(result.worst < 0.005, "\(result.worst * 1000) ms")
        #expect(result.jumps == 0)
        // No more than a thousandth of a semitone's worth of wow.
        #expect(result.widestStep < 0.0006, "\(result.widestStep)")
    }

    @Test func `a clock that swings and leaps between the limits is followed within 5 ms`() {
        for interval in [0.4, 2.5] {
            let result = simulate(hours: 3, jitter: 0.001, interval: interval) { time in
                (Int(time) / 600) % 2 == 0 ? 150e-6 : -150e-6
            }
            #expect(result.worst < 0.005, "\(result.worst * 1000) ms")
            #expect(result.jumps == 0)
        }
    }

    @Test func `without jitter the device's clock is learned and the error vanishes`() {
        var controller = DriftController()
        var error = 0.0
        var stretch = 0.0
        for _ in 0..<2000 {
            error += (300e-6 - stretch) * 0.4
            guard case .stretch(let value) = controller.update(error: error, elapsed: 0.4) else {
                Issue.record("a jump")
                return
            }
            stretch = value
        }
        #expect(abs(error) < 0.000_02)
        #expect(abs(controller.learned - 300e-6) < 5e-6)
    }

    @Test func `an error of more than 50 ms is not stretched but moved`() {
        var controller = DriftController()
        #expect(controller.update(error: 0.051, elapsed: 0.4) == .jump)
        #expect(controller.update(error: -0.051, elapsed: 0.4) == .jump)
        guard case .stretch(let value) = controller.update(error: 0.049, elapsed: 0.4) else {
            Issue.record("a jump")
            return
        }
        #expect(value == DriftController.largestStretch)
    }
}
