// The sound: pieces of any length with their times in, access units of AAC with theirs out.
import KineCodecs
import KineMedia

/// Fills short gaps with silence, and leaves long ones empty. What comes out is at most `tolerance` from where it belongs.
struct AudioTrack {
    static let sampleRate = 48000
    static let channels = 2

    /// A sample of the track whose time is known. Those behind it follow at the sample rate.
    private struct Anchor {
        var sample: Int64
        var time: MediaTime
    }

    private let encoder: AudioTrackEncoder
    /// Interleaved samples that do not fill a frame of the encoder's yet.
    private var pending: [Float] = []
    /// Samples a channel that the track has, with those that are pending.
    private var count: Int64 = 0
    /// The newest two: the encoder gives out the end of what lies before a gap when it gets what lies behind.
    private var anchors: [Anchor] = []

    /// Samples by which a piece may be beside its place: 10 ms.
    private static let tolerance: Int64 = 480
    /// Samples of a gap that is not filled: silence for it would wait for the network at once.
    private static let longestGap: Int64 = 48000

    let format: AudioFormat

    init() throws(AudioEncoderError) {
        encoder = AudioTrackEncoder(
            encoder: try AACEncoder(
                for: .audioApp, sampleRate: Self.sampleRate, channels: Self.channels, bitrate: 128_000))
        format = encoder.format
    }

    /// Encodes a piece: interleaved samples, the first of them at `time`.
    mutating func append(
        _ samples: UnsafeBufferPointer<Float>, at time: MediaTime, deliver: (EncodedSample) -> Void
    ) throws(AudioEncoderError) {
        var samples = samples[...]
        let distance = anchors.last.map { anchor in
            anchor.sample + (time - anchor.time).ticks(timescale: Int32(Self.sampleRate)) - count
        }
        switch distance {
        case .some(-Self.tolerance...Self.tolerance): break
        case .some(let gap) where gap > 0 && gap < Self.longestGap: append(silence: gap)
        case .some(let overlap) where overlap < 0:
            samples = samples.dropFirst(Int(-overlap) * Self.channels)
        default:
            // What lies before the gap gets whole frames.
            let frame = Int64(format.samplesPerAccessUnit)
            append(silence: (frame - count % frame) % frame)
            anchors = anchors.suffix(1) + [Anchor(sample: count, time: time)]
        }
        pending.append(contentsOf: samples)
        count += Int64(samples.count / Self.channels)
        try encode(deliver)
    }

    private mutating func append(silence: Int64) {
        pending.append(contentsOf: repeatElement(0, count: Int(silence) * Self.channels))
        count += silence
    }

    private mutating func encode(_ deliver: (EncodedSample) -> Void) throws(AudioEncoderError) {
        let frame = format.samplesPerAccessUnit * Self.channels
        var used = 0
        while pending.count - used >= frame {
            try encoder.encode(interleaved: pending.span.extracting(used..<used + frame)) { unit in
                var sample = unit
                sample.presentationTime = self.time(
                    of: unit.presentationTime.ticks(timescale: Int32(Self.sampleRate)))
                deliver(sample)
            }
            used += frame
        }
        pending.removeFirst(used)
    }

    private func time(of sample: Int64) -> MediaTime {
        guard let anchor = anchors.last(where: { $0.sample <= sample }) ?? anchors.first else { return .zero }
        return anchor.time + MediaTime(ticks: sample - anchor.sample, timescale: Int32(Self.sampleRate))
    }
}
