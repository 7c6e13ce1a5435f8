// A sound track's encoder: counts access units, and encodes silence only once. Most recordings are mostly silent, and
// libavcodec spends as much on a silent frame as on half a loud one.

/// Turns frames of samples into numbered access units of one AAC-LC track.
///
/// Once a few silent frames have gone through the encoder its memory (the overlap of the transform, the look-ahead and
/// the psychoacoustic model) holds nothing but silence, and each further silent frame would leave it as it is and give
/// the same bytes. From there the last access unit is repeated and the encoder left alone. When sound returns, the
/// encoder continues from its silence as though it had seen all of it, so nothing clicks and nothing moves.
public final class AACTrackEncoder {
    /// One finished access unit.
    public struct AccessUnit {
        /// Where the access unit's first decoded sample lies, in samples of the track. The first access unit's is
        /// `-primingSamples`.
        public let firstSample: Int64
        public let data: [UInt8]
    }

    public let encoder: AACEncoder
    /// Frames taken so far, encoded or not.
    public private(set) var frames = 0

    private var accessUnits: Int64 = 0
    private var silentRun = 0
    private var latest: [UInt8] = []
    private var settled: [UInt8]?

    /// Silent frames that are really encoded before the encoder is left alone: the frame it looks ahead, the one it
    /// overlaps with, and two for the block switching decision that remembers earlier energies.
    static let settlingFrames = 4

    public init(encoder: AACEncoder) { self.encoder = encoder }

    /// Takes one frame, `encoder.samplesPerFrame` interleaved samples a channel. The decoder's output runs
    /// `encoder.primingSamples` behind, so the access unit handed out belongs to the frame before.
    public func encode(interleaved: Span<Float>, deliver: (AccessUnit) -> Void) throws(AACEncoder.Error) {
        frames += 1
        guard Self.isSilent(interleaved) else {
            silentRun = 0
            settled = nil
            try encoder.encode(interleaved: interleaved) { hand($0, to: deliver) }
            return
        }
        silentRun += 1
        if let settled {
            deliver(number(settled))
            return
        }
        let before = latest
        try encoder.encode(interleaved: interleaved) { hand($0, to: deliver) }
        if silentRun >= Self.settlingFrames, !latest.isEmpty, latest == before { settled = latest }
    }

    /// Hands out the last access units. Nothing can be encoded afterwards.
    public func finish(deliver: (AccessUnit) -> Void) throws(AACEncoder.Error) {
        try encoder.finish { hand($0, to: deliver) }
    }

    private func hand(_ bytes: UnsafeRawBufferPointer, to deliver: (AccessUnit) -> Void) {
        latest = Array(bytes)
        deliver(number(latest))
    }

    private func number(_ data: [UInt8]) -> AccessUnit {
        let first = accessUnits * Int64(encoder.samplesPerFrame) - Int64(encoder.primingSamples)
        accessUnits += 1
        return AccessUnit(firstSample: first, data: data)
    }

    /// Whether every sample is zero, of either sign. Leaves at the first that is not.
    public static func isSilent(_ samples: Span<Float>) -> Bool {
        samples.withUnsafeBufferPointer { samples in
            var index = 0
            // Blocks of 64 with one test each: the compiler makes vector instructions of the inner loop.
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
