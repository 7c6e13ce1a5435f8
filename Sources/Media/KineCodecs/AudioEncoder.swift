// The interface of every audio encoder, and what all of them share: the times of access units, and silence that is
// encoded only once. Most recordings are mostly silent.
import KineMedia

/// Encodes one stream of audio in frames of equal length. Not Sendable: only the thread that feeds it may use it.
public protocol AudioEncoder: AnyObject {
    /// The format of its access units.
    var format: AudioFormat { get }

    /// Silent frames after which every further silent frame gives the same access unit, without any change in the
    /// encoder; nil: access units of silence differ.
    var settlingFrames: Int? { get }

    /// Encodes one frame: the format's `samplesPerAccessUnit` interleaved samples a channel, finite and within ±1.
    ///
    /// Before this returns, calls `deliver` with each access unit that is ready, lent for the call: none while frames
    /// are delayed, or several.
    func encode(interleaved: Span<Float>, deliver: (UnsafeRawBufferPointer) -> Void) throws(AudioEncoderError)

    /// Delivers the delayed access units. No frame can be encoded afterwards.
    func finish(deliver: (UnsafeRawBufferPointer) -> Void) throws(AudioEncoderError)
}

/// Why an audio encoder cannot be opened or cannot continue. The description is a sentence for a person.
public enum AudioEncoderError: Error, Equatable {
    /// The encoder's library is not installed or has no such encoder. `lack` completes a sentence that begins with the
    /// library's name; `remedy` is advice, the end of a sentence without a full stop.
    case missing(library: String, lack: String, remedy: String)
    /// Anything else, as a whole sentence.
    case failed(String)
}

extension AudioCodec {
    /// Opens an encoder of this codec; nil for PCM. `bitrate`: bits a second, for all channels together.
    public func openEncoder(
        for type: SampleType, sampleRate: Int, channels: Int, bitrate: Int
    ) throws(AudioEncoderError) -> (any AudioEncoder)? {
        switch self {
        case .aac: return try AACEncoder(for: type, sampleRate: sampleRate, channels: channels, bitrate: bitrate)
        case .pcm: return nil
        }
    }
}

/// Turns frames of samples into access units with their times.
///
/// After some silent frames the encoder's state contains only silence, so that each further silent frame gives the same
/// bytes. The last access unit is then repeated without the encoder. After the silence, the encoder continues as if it
/// had encoded all of it: there is no click, and no access unit moves in time.
public final class AudioTrackEncoder {
    public let format: AudioFormat
    /// Frames that went through the encoder.
    public private(set) var encodedFrames = 0

    private let encoder: any AudioEncoder
    private var accessUnits: Int64 = 0
    private var silentRun = 0
    private var latest: [UInt8] = []
    private var settled: [UInt8]?

    /// Begins a track with an unused encoder, which no other code may use.
    public init(encoder: any AudioEncoder) {
        self.encoder = encoder
        format = encoder.format
    }

    /// Encodes one frame of the encoder. A delivered access unit has the time of its first decoded sample, counted from
    /// the track's first sample; as the encoder's priming comes first, the first one has a negative time.
    public func encode(
        interleaved: Span<Float>, deliver: (EncodedSample) -> Void
    ) throws(AudioEncoderError) {
        guard Self.isSilent(interleaved) else {
            silentRun = 0
            settled = nil
            try pass(interleaved, deliver)
            return
        }
        silentRun += 1
        if let settled {
            deliver(sample(settled))
            return
        }
        let before = latest
        try pass(interleaved, deliver)
        if let frames = encoder.settlingFrames, silentRun >= frames, !latest.isEmpty, latest == before {
            settled = latest
        }
    }

    /// Delivers the last access units. No frame can be encoded afterwards.
    public func finish(deliver: (EncodedSample) -> Void) throws(AudioEncoderError) {
        try encoder.finish { receive($0, deliver) }
    }

    private func pass(_ frame: Span<Float>, _ deliver: (EncodedSample) -> Void) throws(AudioEncoderError) {
        encodedFrames += 1
        try encoder.encode(interleaved: frame) { receive($0, deliver) }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer, _ deliver: (EncodedSample) -> Void) {
        latest = Array(bytes)
        deliver(sample(latest))
    }

    private func sample(_ data: [UInt8]) -> EncodedSample {
        let length = Int64(format.samplesPerAccessUnit)
        let first = accessUnits * length - Int64(format.primingSamples)
        accessUnits += 1
        return EncodedSample(
            type: format.type, presentationTime: format.time(ofSample: first), duration: format.time(ofSample: length),
            isKeyframe: true, data: data)
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
