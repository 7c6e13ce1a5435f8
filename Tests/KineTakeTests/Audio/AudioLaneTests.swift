// A device's chunks on the grid of the machine's clock, with the real resampler and a device whose clock is wrong.
import CoreTesting
import KineCodecs
import KineMedia
import KinePulse
import Testing

@testable import KineTake

/// A device that plays a click each second of the machine's clock, silence or a quiet hum otherwise.
struct SimulatedDevice {
    /// The rate that the device states.
    let nominalRate: Int
    /// The error of its clock, as a part of one: positive runs fast.
    let error: Double
    var hum: Float = 0
    var delivered = 0

    private var realRate: Double { Double(nominalRate) * (1 + error) }

    /// The instant, in seconds, of a frame.
    func time(of frame: Int) -> Double { 100 + Double(frame) / realRate }

    mutating func read(_ frames: Int) -> [Float] {
        var samples: [Float] = []
        samples.reserveCapacity(frames)
        for frame in delivered..<delivered + frames {
            let time = time(of: frame)
            let phase = time - time.rounded(.down)
            samples.append(phase < 0.005 ? 0.9 : hum * (frame % 2 == 0 ? 1 : -1))
        }
        delivered += frames
        return samples
    }
}

@Suite struct AudioLaneTests {
    private let grid = SampleGrid(rate: 8000)

    @Test func `ten seconds of digital silence of a microphone are told, once for each time that it is opened`() throws
    {
        var configuration = TakeConfiguration.Audio()
        configuration.channels = 1
        configuration.microphone = .defaultDevice
        let events = TakeEvents()
        let worker = try AudioWorker(
            plan: AudioPlan(configuration), configuration: configuration, clock: TakeClock(), isLive: false,
            observer: events)
        let (output, microphone) = (AudioStreamID(rawValue: 0), AudioStreamID(rawValue: 1))
        func open(_ stream: AudioStreamID, target: Int) {
            worker.audioOpened(stream, target: target, sampleRate: 8000)
            worker.audioTimed(stream, reading: AudioClockReading(frame: 0, instant: 0))
        }
        func hear(_ stream: AudioStreamID, seconds: Int, _ level: Float = 0) -> [String] {
            let second = [Float](repeating: level, count: 8000)
            for _ in 0..<seconds { worker.audio(stream, samples: second.span) }
            return events.drain().compactMap { if case .warning(let sentence) = $0 { sentence } else { nil } }
        }
        let silent = ["The microphone has given digital silence for 10 seconds; check that it is on and not muted."]
        open(output, target: 0)
        open(microphone, target: 1)
        #expect(hear(output, seconds: 20) == [])
        #expect(hear(microphone, seconds: 9) == [])
        #expect(hear(microphone, seconds: 1, 0.001) == [])
        #expect(hear(microphone, seconds: 9) == [])
        #expect(hear(microphone, seconds: 1) == silent)
        #expect(hear(microphone, seconds: 20) == [])
        #expect(hear(microphone, seconds: 1, 0.001) == [])
        #expect(hear(microphone, seconds: 20) == [])
        worker.audioClosed(microphone)
        let again = AudioStreamID(rawValue: 2)
        open(again, target: 1)
        #expect(hear(again, seconds: 11) == silent)
    }

    /// Reads everything the lane holds and returns the places of the clicks, on the grid.
    private func clicks(in lane: AudioLane, from start: Int64) -> [Int64] {
        var samples = [Float](repeating: 0, count: Int(lane.store.end - start))
        samples.withUnsafeMutableBufferPointer { lane.store.add(to: $0, from: start) }
        var places: [Int64] = []
        var quiet = 100
        for (index, sample) in samples.enumerated() {
            if abs(sample) > 0.45 {
                if quiet >= 100 { places.append(start + Int64(index)) }
                quiet = 0
            } else {
                quiet += 1
            }
        }
        return places
    }

    @Test(.tags(.slow), arguments: [8000, 11025], [-300e-6, 0, 300e-6])
    func `for four minutes every click lies within 5 ms of its second`(rate: Int, error: Double) throws {
        // Between the clicks once silence, which the resampler does not see, and once a hum, which it does.
        try clicksStay(rate: rate, error: error, hum: 0)
        try clicksStay(rate: rate, error: error, hum: 0.01)
    }

    private func clicksStay(rate: Int, error: Double, hum: Float) throws {
        let lane = try AudioLane(deviceRate: rate, grid: grid, channels: 1)
        var device = SimulatedDevice(nominalRate: rate, error: error, hum: hum)
        var random = SeededGenerator(seed: 3)
        var read = grid.nearest(to: 99_900_000_000)
        var seen = 0
        var worst = 0.0
        while device.delivered < rate * 240 {
            let jitter = Double.random(in: -0.001...0.001, using: &random)
            lane.timed(instant: Int64((device.time(of: device.delivered) + jitter) * 1e9))
            lane.append(device.read(rate * 2 / 5).span)
            // Up to the middle of a second, so that no click is cut in two.
            guard device.delivered % (rate * 10) == rate * 2 / 5 else { continue }
            for place in clicks(in: lane, from: read) {
                let second = (Double(place) / 8000).rounded()
                worst = max(worst, abs(Double(place) / 8000 - second))
                seen += 1
            }
            read = lane.store.end
            lane.discard(before: read)
        }
        #expect(worst < 0.005, "\(worst * 1000) ms")
        #expect(seen >= 230)
    }

    @Test func `silence does not go through the resampler and keeps its length`() throws {
        let lane = try AudioLane(deviceRate: 44100, grid: SampleGrid(rate: 48000), channels: 2)
        lane.timed(instant: 0)
        let silence = [Float](repeating: 0, count: 2 * 44100 / 2)
        for _ in 0..<120 {
            lane.append(silence.span)
            lane.discard(before: lane.store.end)
        }
        #expect(lane.resampler.convertedFrames == 0)
        #expect(abs(lane.store.end - 60 * 48000) < 50)
    }

    @Test func `a gap of the server is silence of the same length`() throws {
        let lane = try AudioLane(deviceRate: 8000, grid: grid, channels: 1)
        lane.timed(instant: 0)
        let tone = [Float](repeating: 0.5, count: 8000)
        lane.append(tone.span)
        lane.appendMissing(frames: 4000)
        lane.append(tone.span)
        #expect(abs(lane.store.end - 20000) < 40)
        var samples = [Float](repeating: 0, count: 20000)
        samples.withUnsafeMutableBufferPointer { lane.store.add(to: $0, from: 0) }
        #expect(samples[4000] > 0.4 && samples[16000] > 0.4)
        #expect(samples[8010..<11990].allSatisfy { $0 == 0 })
    }

    @Test(arguments: [0.3, -0.3, 5.0]) func `audio that is far off is moved at once`(error: Double) throws {
        let lane = try AudioLane(deviceRate: 8000, grid: grid, channels: 1)
        lane.timed(instant: 10_000_000_000)
        lane.append([Float](repeating: 0.5, count: 16000).span)
        let now = Int64((12 + error) * 1e9)
        lane.timed(instant: now)
        lane.append([Float](repeating: 0.5, count: 8000).span)
        #expect(abs(lane.store.end - Int64((13 + error) * 8000)) < 40)
        lane.timed(instant: now + 1_000_000_000)
        lane.append([Float](repeating: 0.5, count: 8000).span)
        #expect(abs(lane.store.end - Int64((14 + error) * 8000)) < 40)
    }

    @Test(arguments: [8000, 11025, 48000])
    func `audio after silence lies where it belongs, to the sample`(rate: Int) throws {
        let lane = try AudioLane(deviceRate: rate, grid: grid, channels: 1)
        lane.timed(instant: 0)
        // The first finds a new resampler, the second one that rests, the third one that runs.
        let seconds = [5.0, 7.5, 7.6]
        var input = [Float](repeating: 0, count: rate * 10)
        for second in seconds {
            // A smooth bump, so that every rate has it at the same height and place.
            let middle = Int(second * Double(rate))
            let width = rate / 500
            for offset in -width...width {
                input[middle + offset] = Float(width - abs(offset)) / Float(width)
            }
        }
        for start in stride(from: 0, to: rate * 10, by: rate / 5) {
            lane.append(input.span.extracting(start..<start + rate / 5))
        }
        var samples = [Float](repeating: 0, count: 80000)
        samples.withUnsafeMutableBufferPointer { lane.store.add(to: $0, from: 0) }
        for second in seconds {
            let place = Int(second * 8000)
            let loudest = (place - 100..<place + 100).max { samples[$0] < samples[$1] }
            #expect(abs((loudest ?? 0) - place) <= 1, "at \(second) s: \(loudest ?? 0) instead of \(place)")
        }
    }
}
