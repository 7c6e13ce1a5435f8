// An encoder that holds frames back and changes its format as a test says, as hardware may.
import KineCodecs
import KineMedia

/// The behaviour of a `ScriptedEncoder`.
protocol EncoderScript: Sendable {
    /// Frames that are held back.
    static var delay: Int { get }
    /// The format that an encoder has when it is opened; nil: none. `isSecond`: it continues another.
    static func openingFormat(isSecond: Bool) -> UInt8?
    /// Formats that come before the sample of a frame, counted from the encoder's first.
    static func change(before frame: Int, isSecond: Bool) -> UInt8?
    /// Whether the encoder makes a keyframe that was not asked for.
    static func isKeyframe(_ frame: Int) -> Bool
}

extension EncoderScript {
    static func isKeyframe(_ frame: Int) -> Bool { false }
}

final class ScriptedEncoder<Script: EncoderScript>: VideoEncoder {
    static var codec: VideoCodec { .hevc }

    let settings: VideoEncoderSettings
    private(set) var format: VideoFormat?
    private let isSecond: Bool
    private var held: [EncodedSample] = []
    private var given = 0

    init(_ settings: VideoEncoderSettings, continuing other: ScriptedEncoder?) throws(VideoEncoderError) {
        self.settings = settings
        isSecond = other != nil
        format = Script.openingFormat(isSecond: isSecond).map(Self.format)
    }

    static func format(_ number: UInt8) -> VideoFormat {
        VideoFormat(
            parameterSets: .hevc(HEVCParameterSets(video: [number], sequence: [number], picture: [number])),
            size: PixelSize(width: 16, height: 16))
    }

    func follow(_ other: ScriptedEncoder) {}

    func setPeak(_ peak: VideoEncoderSettings.Peak) -> Bool { false }

    /// The sample's bytes: which encoder made it, and the time in seconds.
    func encode(
        _ frame: PlanarFrame, changed: DamageRegion, at time: MediaTime, forceKeyframe: Bool,
        output: (VideoEncoderOutput) -> Void
    ) throws(VideoEncoderError) {
        held.append(
            EncodedSample(
                type: .video, presentationTime: time, duration: .zero,
                isKeyframe: forceKeyframe || Script.isKeyframe(given + held.count),
                data: [isSecond ? 2 : 1, UInt8(time.seconds)]))
        while held.count > Script.delay { giveOne(output) }
    }

    func drain(output: (VideoEncoderOutput) -> Void) throws(VideoEncoderError) {
        while !held.isEmpty { giveOne(output) }
    }

    private func giveOne(_ output: (VideoEncoderOutput) -> Void) {
        if let number = Script.change(before: given, isSecond: isSecond) {
            let format = Self.format(number)
            self.format = format
            output(.format(format))
        }
        given += 1
        output(.sample(held.removeFirst()))
    }
}
