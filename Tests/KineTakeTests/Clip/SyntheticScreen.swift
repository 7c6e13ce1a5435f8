// A take on a manual clock: frames of a screen that moves, rests and stands still for minutes, and audio that comes later than they do.
// Every sample can be made again from its number.
import CoreTesting
import KineMedia

@testable import KineTake

struct SyntheticScreen {
    static let audioFormat = AudioFormat(
        type: .audioApp, codec: .aac, sampleRate: 48000, channels: 2, bitrate: 160_000, configuration: [0x11, 0x90],
        samplesPerAccessUnit: 1024, primingSamples: 1024)

    /// Nanoseconds that audio is late.
    static let audioDelay: Int64 = 500_000_000

    private var random: SeededGenerator
    private let hasAudio: Bool
    private let bytes: [UInt8]
    private var keyframes = KeyframePolicy(interval: ClipLimits.keyframeInterval, frames: nil)
    /// The largest frame in bytes; it changes with what is on the screen.
    private var activity = 1000
    private var changesUntil = MediaTime.zero
    private var nextFrame = MediaTime.zero
    private var audioUnits: Int64 = -1
    private(set) var now = MediaTime.zero
    private var number: UInt32 = 0

    init(seed: UInt64, hasAudio: Bool = true) {
        random = SeededGenerator(seed: seed)
        self.hasAudio = hasAudio
        var random = random
        bytes = (0..<1 << 16).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// The data of a sample of that number and size.
    func data(_ number: UInt32, size: Int) -> [UInt8] {
        let start = Int((number &* 2_654_435_761) >> 17)
        let content = Array(bytes[start..<start + min(size, bytes.count - start)])
        return withUnsafeBytes(of: number) { Array($0) } + content
    }

    private mutating func sample(_ type: SampleType, at time: MediaTime, isKeyframe: Bool, size: Int) -> EncodedSample {
        number += 1
        return EncodedSample(
            type: type, presentationTime: time, duration: .zero, isKeyframe: isKeyframe, data: data(number, size: size))
    }

    /// Moves the clock to the next sample.
    mutating func next() -> EncodedSample {
        let audioTime = MediaTime(ticks: audioUnits * 1024, timescale: 48000)
        let audioArrival = audioTime + MediaTime(nanoseconds: Self.audioDelay)
        if hasAudio, audioArrival < nextFrame {
            now = max(now, audioArrival)
            audioUnits += 1
            return sample(.audioApp, at: audioTime, isKeyframe: true, size: Int.random(in: 8...400, using: &random))
        }
        let time = nextFrame
        now = max(now, time)
        if time >= changesUntil { choose(at: time) }
        nextFrame = time + .milliseconds(Int64.random(in: 30...36, using: &random))
        if nextFrame >= changesUntil {
            // It stands still, mostly for seconds, now and then for much longer than any buffer.
            let limit: Int64 = Int.random(in: 0..<8, using: &random) == 0 ? 600_000 : 8000
            nextFrame += .milliseconds(Int64.random(in: 0...limit, using: &random))
        }
        let isKeyframe = keyframes.needsKeyframe(at: time)
        let size = Int.random(in: 20...activity, using: &random) * (isKeyframe ? 4 : 1)
        return sample(.video, at: time, isKeyframe: isKeyframe, size: size)
    }

    private mutating func choose(at time: MediaTime) {
        activity = [100, 1000, 12_000].randomElement(using: &random) ?? 1000
        // Often a single frame, as when a key is typed.
        let limit: Int64 = Int.random(in: 0..<3, using: &random) == 0 ? 20_000 : 1
        changesUntil = time + .milliseconds(Int64.random(in: 1...limit, using: &random))
    }
}
