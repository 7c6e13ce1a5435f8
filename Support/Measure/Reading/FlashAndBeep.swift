// How far video and audio are apart in a recording of the scene flash.
import KineMedia

/// Flashes and the beeps that belong to them, in seconds from the file's start.
public struct FlashAndBeep: Equatable, Sendable {
    public struct Pair: Equatable, Sendable {
        public var flash: Double
        public var beep: Double
        /// Positive where the audio comes late.
        public var offset: Double { beep - flash }
    }

    public let pairs: [Pair]
    /// All flashes, in seconds from the file's start.
    public let flashes: [Double]
    /// Those without a partner nearer than `reach`: a pause began or ended between the two.
    public let lonelyFlashes: [Double]
    public let lonelyBeeps: [Double]

    /// The farthest that a flash and its beep may be apart, in seconds; flashes are at least 0.7 apart.
    public static let reach = 0.3

    /// Decodes the file at `path`.
    public init(path: String) throws {
        let video = try RecordedVideo(path: path)
        let middle = PixelRect(
            x: video.size.width / 4, y: video.size.height / 2, width: video.size.width / 2,
            height: video.size.height / 4)
        var brightness: [(time: Double, level: Double)] = []
        try video.decode { index, luma in brightness.append((video.frames[index].start, luma.mean(middle))) }
        self.init(
            flashes: FlashAndBeep.flashes(in: brightness),
            beeps: FlashAndBeep.beeps(in: try RecordedAudio(path: path).samples, rate: RecordedAudio.rate))
    }

    /// Pairs each flash with the beep nearest to it, the closest pairs first.
    public init(flashes: [Double], beeps: [Double]) {
        self.flashes = flashes
        var candidates: [(flash: Int, beep: Int, distance: Double)] = []
        for (flash, time) in flashes.enumerated() {
            for (beep, other) in beeps.enumerated() where abs(time - other) <= FlashAndBeep.reach {
                candidates.append((flash, beep, abs(time - other)))
            }
        }
        var beepOfFlash: [Int: Int] = [:]
        var taken: Set<Int> = []
        for candidate in candidates.sorted(by: { $0.distance < $1.distance }) {
            guard beepOfFlash[candidate.flash] == nil, !taken.contains(candidate.beep) else { continue }
            beepOfFlash[candidate.flash] = candidate.beep
            taken.insert(candidate.beep)
        }
        pairs = beepOfFlash.keys.sorted().compactMap { flash in
            beepOfFlash[flash].map { Pair(flash: flashes[flash], beep: beeps[$0]) }
        }
        lonelyFlashes = flashes.indices.filter { beepOfFlash[$0] == nil }.map { flashes[$0] }
        lonelyBeeps = beeps.indices.filter { !taken.contains($0) }.map { beeps[$0] }
    }

    /// When the frame turns from dark to bright. `brightness` is luma, 16 to 235, in the order shown.
    public static func flashes(in brightness: [(time: Double, level: Double)]) -> [Double] {
        var found: [Double] = []
        var bright = brightness.first.map { $0.level > 125 } ?? false
        for frame in brightness {
            if frame.level > 125, !bright { found.append(frame.time) }
            bright = frame.level > 125
        }
        return found
    }

    /// When a beep begins after at least 50 ms of silence, to about a thousandth of a second.
    public static func beeps(in samples: [Float], rate: Int) -> [Double] {
        tones(in: samples, rate: rate).map(\.lowerBound)
    }

    /// From where to where each beep is heard, in seconds: up to its last sound before at least 50 ms of silence.
    public static func tones(in samples: [Float], rate: Int) -> [Range<Double>] {
        var found: [Range<Double>] = []
        let silence = rate / 20
        var quiet = silence
        var index = 0
        while index < samples.count {
            guard abs(samples[index]) > 0.05 else {
                quiet += 1
                index += 1
                continue
            }
            if quiet >= silence {
                // A codec smears an onset over some samples before it: the instant is where half the strength is reached.
                let attack = samples[index..<min(samples.count, index + rate / 100)]
                let peak = attack.lazy.map { abs($0) }.max() ?? 0
                let start = Double(attack.firstIndex { abs($0) >= peak / 2 } ?? index) / Double(rate)
                found.append(start..<start)
            }
            quiet = 0
            index += 1
            let start = found[found.count - 1].lowerBound
            found[found.count - 1] = start..<max(start, Double(index) / Double(rate))
        }
        return found
    }
}
