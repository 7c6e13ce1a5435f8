// One mix and two encoders: each cuts it into frames of its own, and its access units have times of their own.
import AudioTesting
import KineCodecs
import KineMedia
import Testing

@testable import KineTake

/// Encodes without loss, with frames and a priming that are not AAC's. An access unit is its decoded samples.
private final class LosslessEncoder: AudioEncoder {
    let format = AudioFormat(
        type: .audioApp, codec: .aac, sampleRate: 48000, channels: 1, bitrate: 0, configuration: [],
        samplesPerAccessUnit: 960, primingSamples: 312)
    let settlingFrames: Int? = nil
    private(set) var frames = 0
    /// The samples that are in no access unit yet, the priming first.
    private var held = [Float](repeating: 0, count: 312)

    func encode(interleaved: Span<Float>, deliver: (UnsafeRawBufferPointer) -> Void) throws(AudioEncoderError) {
        let count = interleaved.count
        #expect(count == 960)
        frames += 1
        for index in interleaved.indices { held.append(interleaved[index]) }
        give(deliver)
    }

    func finish(deliver: (UnsafeRawBufferPointer) -> Void) throws(AudioEncoderError) {
        held += [Float](repeating: 0, count: 960 - held.count)
        give(deliver)
    }

    private func give(_ deliver: (UnsafeRawBufferPointer) -> Void) {
        let unit = Array(held.prefix(960))
        unit.withUnsafeBytes { deliver($0) }
        held.removeFirst(960)
    }
}

@Suite struct TwoEncodersTests {
    private let grid = SampleGrid(rate: 48000)

    /// Four seconds of a tone with half a second of silence in it. Returns also what the lane has of it.
    private func lane() throws -> (AudioLane, [Float]) {
        let lane = try AudioLane(deviceRate: 48000, grid: grid, channels: 1)
        lane.timed(instant: 0)
        var samples = tone(from: 0, frames: 4 * 48000, channels: 1)
        for index in 72000..<96000 { samples[index] = 0 }
        lane.append(samples.span)
        var held = [Float](repeating: 0, count: samples.count)
        held.withUnsafeMutableBufferPointer { lane.store.add(to: $0, from: 0) }
        return (lane, held)
    }

    /// Each encoder's access units of a mix, which begins with the second 1 of the lane, and the mix.
    private func encode(with encoders: [any AudioEncoder]) throws -> (units: [[EncodedSample]], mix: [Float]) {
        let (lane, held) = try self.lane()
        let sinks = encoders.map { _ in DeliveredAudio() }
        var outputs: [AudioTrackOutput] = []
        for (encoder, sink) in zip(encoders, sinks) {
            let output = AudioTrackOutput(track: 0, encoder: encoder, isRecorded: true)
            output.sink = sink
            outputs.append(output)
        }
        let track = AudioTrack(channels: 1, softClips: false, outputs: outputs)
        track.lanes = [lane]
        let assembler = AudioAssembler(grid: grid, tracks: [track])
        var timeline = TakeTimeline()
        timeline.begin(at: 1_000_000_000)
        var now: Int64 = 1_000_000_000
        while now < 3_000_000_000 {
            // A multiple of no frame.
            now += 7_777_777
            try assembler.advance(to: now, timeline: timeline)
        }
        try assembler.finish()
        return (sinks.map { $0.samples(of: .audioApp) }, Array(held[48000..<48000 + Int(assembler.written)]))
    }

    private func aac() throws -> AACEncoder {
        try AACEncoder(for: .audioApp, sampleRate: 48000, channels: 1, bitrate: 96_000)
    }

    @Test func `two encoders get the same mix, each in its own frames and with its own times`() throws {
        let lossless = LosslessEncoder()
        let aac = try self.aac()
        let (units, mix) = try encode(with: [lossless, aac])

        // Every sample of every access unit is the one of the mix at its time.
        #expect(lossless.frames == (mix.count + 959) / 960)
        #expect(units[0].count == lossless.frames + 1)
        var wrong = 0
        for (number, unit) in units[0].enumerated() {
            #expect(unit.presentationTime == MediaTime(ticks: Int64(number) * 960 - 312, timescale: 48000))
            #expect(unit.duration == .milliseconds(20))
            let first = Int(unit.presentationTime.ticks(timescale: 48000))
            let samples = unit.data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
            for (index, sample) in samples.enumerated() {
                let place = first + index
                let expected = mix.indices.contains(place) ? mix[place] : 0
                if sample != expected { wrong += 1 }
            }
        }
        #expect(wrong == 0, "\(wrong) samples are not where they belong")

        for (number, unit) in units[1].enumerated() {
            #expect(unit.presentationTime == MediaTime(ticks: Int64(number) * 1024 - 1024, timescale: 48000))
            #expect(unit.duration == MediaTime(ticks: 1024, timescale: 48000))
        }
        let decoded = try decode(units[1].map(\.data), config: aac.format.configuration, channels: 1)
        let body = Array(decoded.dropFirst(aac.format.primingSamples))
        #expect(body.count >= mix.count)
        // Well behind the silence. One sample beside its place would be 21 dB.
        let steady = 60_000..<90_000
        #expect(signalToNoise(body[steady], against: mix[steady]) > 25)
    }

    @Test func `an encoder beside it changes no byte of AAC`() throws {
        let (beside, _) = try encode(with: [LosslessEncoder(), aac()])
        let (alone, _) = try encode(with: [aac()])
        #expect(!alone[0].isEmpty)
        #expect(beside[1].map(\.data) == alone[0].map(\.data))
    }

    @Test func `a track has an output for each codec that is wanted, and one for PCM`() throws {
        let track = AudioPlan.Track(
            type: .audioMic, targets: [0], isMixed: false, recorded: .aac, forms: [.aac, .pcm])
        let outputs = try AudioTrackOutput.open(track: 3, track, TakeConfiguration.Audio())
        #expect(outputs.map(\.output) == [.init(track: 3, form: .pcm), .init(track: 3, form: .aac)])
        #expect(outputs.map(\.isRecorded) == [false, true])
        #expect(outputs.allSatisfy { $0.format.type == .audioMic && $0.format.sampleRate == 48000 })
    }
}
