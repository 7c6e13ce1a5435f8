// A voice in one channel of a microphone, by samples that are made here.
import Foundation
import KineMedia
import Testing

@testable import KinePulse

@Suite struct MicrophoneChannelsTests {
    private static let rate = 8000

    /// Seconds of two channels with these amplitudes: noise, the same in each run.
    private func sound(_ seconds: Double, left: Float, right: Float, seed: UInt64 = 1) -> [Float] {
        var state = seed
        func noise() -> Float {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Float(Int32(truncatingIfNeeded: state >> 32)) / Float(Int32.max)
        }
        return (0..<Int(seconds * Double(Self.rate))).flatMap { _ in [noise() * left, noise() * right] }
    }

    private func mixed(_ samples: [Float], _ mode: TakeConfiguration.MicrophoneChannels = .auto) -> [Float] {
        var channels = MicrophoneChannels(mode, rate: Self.rate)
        // In pieces of odd lengths, as they come.
        var result: [Float] = []
        for start in stride(from: 0, to: samples.count, by: 614) {
            var piece = Array(samples[start..<min(samples.count, start + 614)])
            channels.mix(&piece)
            result += piece
        }
        return result
    }

    private func frame(_ samples: [Float], at seconds: Double) -> (left: Float, right: Float) {
        let index = Int(seconds * Double(Self.rate)) * 2
        return (samples[index], samples[index + 1])
    }

    @Test(arguments: [0, Float(3e-5)])
    func `a voice in the left ear goes to the middle after two seconds, whatever noise the other channel has`(
        noise: Float
    ) {
        let voice = sound(4, left: 0.3, right: noise)
        let heard = mixed(voice)
        #expect(heard[..<(2 * Self.rate * 19 / 10)] == voice[..<(2 * Self.rate * 19 / 10)], "nothing is moved before")
        for seconds in stride(from: 2.2, to: 4, by: 0.1) {
            let (left, right) = frame(heard, at: seconds)
            #expect(left == right && left == frame(voice, at: seconds).left)
        }
    }

    @Test func `it is faded, not switched`() {
        // A constant: each step between neighbours is the fade's own.
        let frame: [Float] = [0.5, 0]
        let heard = mixed((0..<(3 * Self.rate)).flatMap { _ in frame })
        let right = stride(from: 1, to: heard.count, by: 2).map { heard[$0] }
        let steps = zip(right, right.dropFirst()).map { abs($1 - $0) }
        #expect(right.last == 0.5 && steps.max() ?? 1 <= 0.5 / Float(0.05 * Double(Self.rate)) * 1.01)
    }

    @Test func `both channels are themselves again as soon as both have sound`() {
        let voice = sound(3, left: 0.3, right: 0) + sound(1, left: 0.3, right: 0.2, seed: 7)
        let heard = mixed(voice)
        #expect(frame(heard, at: 2.9).left == frame(heard, at: 2.9).right)
        for seconds in stride(from: 3.1, to: 4, by: 0.1) {
            #expect(frame(heard, at: seconds) == frame(voice, at: seconds))
        }
    }

    @Test func `a second voice on the other side is heard at once`() {
        let voices = sound(3, left: 0.3, right: 0) + sound(1, left: 0, right: 0.3, seed: 7)
        let heard = mixed(voices)
        #expect(frame(heard, at: 2.9).left == frame(heard, at: 2.9).right)
        for seconds in stride(from: 3.1, to: 4, by: 0.1) {
            #expect(frame(heard, at: seconds) == frame(voices, at: seconds))
        }
    }

    @Test func `a stereo recording stays, also with pauses, and with a voice that wanders`() {
        let both = sound(3, left: 0.3, right: 0.02)
        #expect(mixed(both) == both)
        let turns = sound(1.5, left: 0.3, right: 0) + sound(1.5, left: 0, right: 0.3) + sound(1.5, left: 0.3, right: 0)
        #expect(mixed(turns) == turns)
        let quiet = sound(5, left: 0.001, right: 0)
        #expect(mixed(quiet) == quiet, "this is no speech")
    }

    @Test func `a person's choice is followed from the first sample`() {
        let voice = sound(0.5, left: 0.3, right: 0.1)
        #expect(mixed(voice, .stereo) == voice)
        for seconds in [0, 0.2, 0.4] {
            let (left, right) = frame(voice, at: seconds)
            #expect(frame(mixed(voice, .left), at: seconds) == (left, left))
            #expect(frame(mixed(voice, .right), at: seconds) == (right, right))
            #expect(frame(mixed(voice, .mono), at: seconds) == ((left + right) / 2, (left + right) / 2))
        }
    }
}
