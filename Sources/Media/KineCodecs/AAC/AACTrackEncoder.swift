// An audio track's encoder: numbers access units, and encodes silence only once. Most recordings are mostly silent, and
// a silent frame costs libavcodec half as much as a loud one.
import KineMedia

/// Turns frames of samples into numbered access units of one AAC-LC track.
///
/// After a few silent frames, the encoder's state (the overlap of the transform, the look-ahead and the psychoacoustic
/// model) contains only silence, so that each further silent frame gives the same bytes. The last access unit is then
/// repeated without the encoder. After the silence, the encoder continues as if it had encoded all of it: there is no
/// click, and no access unit moves in time.
public final class AACTrackEncoder {
    public struct AccessUnit {
        /// The position of the first decoded sample in the track, in samples: `-primingSamples` in the first access unit.
        public let firstSample: Int64
        /// One raw_data_block (ISO/IEC 14496-3, 4.4.2.1).
        public let data: [UInt8]
    }

    /// The track's encoder. No other code may use it.
    public let encoder: AACEncoder
    private var accessUnits: Int64 = 0
    private var silentRun = 0
    private var latest: [UInt8] = []
    private var settled: [UInt8]?

    /// Silent frames to encode before the last access unit is repeated: one for the look-ahead, one for the overlap,
    /// and two for the block switching decision, which remembers earlier energies.
    static let settlingFrames = 4

    /// Begins a track with an unused encoder.
    public init(encoder: AACEncoder) { self.encoder = encoder }

    /// Encodes one frame, `encoder.samplesPerFrame` interleaved samples a channel. The delivered access unit belongs to
    /// the previous frame: a decoder's output is `encoder.primingSamples` late.
    public func encode(interleaved: Span<Float>, deliver: (AccessUnit) -> Void) throws(AACEncoder.Error) {
        guard Self.isSilent(interleaved) else {
            silentRun = 0
            settled = nil
            try encoder.encode(interleaved: interleaved) { number($0, for: deliver) }
            return
        }
        silentRun += 1
        if let settled {
            deliver(number(settled))
            return
        }
        let before = latest
        try encoder.encode(interleaved: interleaved) { number($0, for: deliver) }
        if silentRun >= Self.settlingFrames, !latest.isEmpty, latest == before { settled = latest }
    }

    /// Delivers the last access units. No frame can be encoded afterwards.
    public func finish(deliver: (AccessUnit) -> Void) throws(AACEncoder.Error) {
        try encoder.finish { number($0, for: deliver) }
    }

    /// An access unit with its times, for containers and destinations. Its time counts from the track's first sample.
    public func sample(_ unit: AccessUnit, type: SampleType) -> EncodedSample {
        let timescale = Int32(clamping: encoder.sampleRate)
        return EncodedSample(
            type: type, presentationTime: MediaTime(ticks: unit.firstSample, timescale: timescale),
            duration: MediaTime(ticks: Int64(encoder.samplesPerFrame), timescale: timescale), isKeyframe: true,
            data: unit.data)
    }

    private func number(_ bytes: UnsafeRawBufferPointer, for deliver: (AccessUnit) -> Void) {
        latest = Array(bytes)
        deliver(number(latest))
    }

    private func number(_ data: [UInt8]) -> AccessUnit {
        let first = accessUnits * Int64(encoder.samplesPerFrame) - Int64(encoder.primingSamples)
        accessUnits += 1
        return AccessUnit(firstSample: first, data: data)
    }

    /// Whether every sample is zero, of either sign. Stops at the first that is not.
    public static func isSilent(_ samples: Span<Float>) -> Bool {
        samples.withUnsafeBufferPointer { samples in
            var index = 0
            // Blocks of 64 with one test each: the compiler vectorizes the inner loop.
            while index + 64 <= samples.count {
                var bits: UInt32 = 0
                for offset in 0..<64 { bits |= samples[index + offset].bitPattern & 0x7fff_ffff }
                if bits != 0 { return false }
                index += 64
            }
            while index < samples.count {
                if samples[index] != 0 { return false }
                index += 1
            }
            return true
        }
    }
}
