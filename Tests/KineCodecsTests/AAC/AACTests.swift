// AAC: the output of a decoder, and silence, which is encoded once.
import AudioTesting
import KineMedia
import Testing

@testable import KineCodecs

@Suite struct AACTests {
    private func encodeAll(
        _ samples: [Float], with track: AudioTrackEncoder
    ) throws -> [EncodedSample] {
        let step = track.format.samplesPerAccessUnit * track.format.channels
        var units: [EncodedSample] = []
        for start in stride(from: 0, to: samples.count, by: step) {
            try track.encode(interleaved: samples.span.extracting(start..<start + step)) { units.append($0) }
        }
        try track.finish { units.append($0) }
        return units
    }

    private func makeTrack(rate: Int = 48000, channels: Int = 2, bitrate: Int = 160_000) throws -> AudioTrackEncoder {
        AudioTrackEncoder(
            encoder: try AACEncoder(for: .audioApp, sampleRate: rate, channels: channels, bitrate: bitrate))
    }

    @Test func `the default is AAC-LC, 48 kHz, stereo`() throws {
        let format = try AACEncoder(for: .audioApp, sampleRate: 48000, channels: 2, bitrate: 160_000).format
        // ISO/IEC 14496-3, 1.6.2.1: object type 2, frequency index 3, channel configuration 2.
        #expect(Array(format.configuration.prefix(2)) == [0b00010_001, 0b1_0010_000])
        #expect(format.samplesPerAccessUnit == 1024)
        #expect(format.primingSamples == 1024)
    }

    @Test func `ReplayKit's preset is AAC-LC, 44.1 kHz, mono`() throws {
        let format = try AACEncoder(for: .audioApp, sampleRate: 44100, channels: 1, bitrate: 64_000).format
        #expect(Array(format.configuration.prefix(2)) == [0b00010_010, 0b0_0001_000])
    }

    @Test(arguments: [(48000, 2, 160_000), (44100, 1, 64_000)])
    func `decoded audio lies where the access units say and audio as it did`(
        rate: Int, channels: Int, bitrate: Int
    ) throws {
        let track = try makeTrack(rate: rate, channels: channels, bitrate: bitrate)
        let samples = tone(from: 0, frames: 100 * 1024, channels: channels)
        let units = try encodeAll(samples, with: track)
        for (index, unit) in units.enumerated() {
            let first = Int64(index) * 1024 - 1024
            #expect(unit.presentationTime == MediaTime(ticks: first, timescale: Int32(rate)))
        }
        let decoded = try decode(units.map(\.data), config: track.format.configuration, channels: channels)
        let body = decoded.dropFirst(track.format.primingSamples * channels)
        #expect(body.count >= samples.count)
        #expect(signalToNoise(body.prefix(samples.count), against: samples) > 25)
        let size = units.reduce(0) { $0 + $1.data.count * 8 }
        #expect(size < bitrate * 100 * 1024 / rate * 11 / 10)
    }

    @Test func `a silent minute is encoded once`() throws {
        let track = try makeTrack()
        let units = try encodeAll([Float](repeating: 0, count: 2 * 1024 * 2812), with: track)
        #expect(units.count == 2813)
        #expect(track.encodedFrames <= 8)
        let decoded = try decode(units.map(\.data), config: track.format.configuration, channels: 2)
        #expect(decoded.allSatisfy { $0 == 0 })
    }

    @Test func `minus zero is silence and the smallest number is not`() {
        func isSilent(_ samples: [Float]) -> Bool { AudioTrackEncoder.isSilent(samples.span) }
        var samples = [Float](repeating: -0.0, count: 2048)
        #expect(isSilent(samples))
        samples[2047] = .leastNonzeroMagnitude
        #expect(!isSilent(samples))
        samples[2047] = 0
        samples[5] = .leastNonzeroMagnitude
        #expect(!isSilent(samples))
        #expect(!isSilent([.leastNonzeroMagnitude]))
    }

    @Test func `audio around a silence decodes as it does when every silent frame is encoded`() throws {
        // Silence that begins and ends inside frames, several times, of lengths around the settling time and beyond.
        var samples: [Float] = []
        for (index, silence) in [1, 3, 4, 5, 6, 9, 40, 200].enumerated() {
            samples += tone(from: index * 7000, frames: 30 * 1024 + index * 311, channels: 2)
            samples += [Float](repeating: 0, count: 2 * 1024 * silence)
        }
        samples += tone(from: 0, frames: 30 * 1024, channels: 2)
        samples += [Float](repeating: 0, count: 2048 - samples.count % 2048)
        let track = try makeTrack()
        let units = try encodeAll(samples, with: track)
        #expect(track.encodedFrames < samples.count / 2048 - 180)

        let plain = try AACEncoder(for: .audioApp, sampleRate: 48000, channels: 2, bitrate: 160_000)
        var reference: [[UInt8]] = []
        for start in stride(from: 0, to: samples.count, by: 2048) {
            try plain.encode(interleaved: samples.span.extracting(start..<start + 2048)) {
                reference.append(Array($0))
            }
        }
        try plain.finish { reference.append(Array($0)) }
        #expect(units.count == reference.count)

        let decoded = try decode(units.map(\.data), config: plain.format.configuration, channels: 2)
        let meant = try decode(reference, config: plain.format.configuration, channels: 2)
        #expect(decoded.count == meant.count)
        // Frame by frame, so that one click cannot hide in minutes of good audio.
        let body = decoded.dropFirst(2048)
        var worst = Double.infinity
        for start in stride(from: 0, to: samples.count, by: 2048) {
            let wanted = samples[start..<start + 2048]
            let energy = wanted.reduce(0.0) { $0 + Double($1 * $1) }
            guard energy > 50 else { continue }
            let here = body[(body.startIndex + start)..<(body.startIndex + start + 2048)]
            let there = meant[(2048 + start)..<(2048 + start + 2048)]
            let loss = signalToNoise(there, against: wanted) - signalToNoise(here, against: wanted)
            worst = min(worst, -loss)
        }
        #expect(worst > -3, "a frame is \(-worst) dB worse than with every silent frame encoded")
    }

    @Test func `settings that AAC cannot have are refused with what to do`() {
        #expect {
            _ = try AACEncoder(for: .audioApp, sampleRate: 47_123, channels: 2, bitrate: 160_000)
        } throws: { error in
            "\(error)".contains("47123 Hz") && "\(error)".contains("use 48000")
        }
    }
}
