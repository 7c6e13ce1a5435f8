// The options of capture and encoding.
import ArgumentParser
import KineChoices
import KineMedia

enum SettingsOption: String, ExpressibleByArgument, CaseIterable {
    case `default`
    /// The usual settings of a ReplayKit recorder: mono audio, and an average bitrate that depends on the size.
    case replaykit
}

extension EncoderPreset: ExpressibleByArgument {}

struct EncodingOptions: ParsableArguments {
    @Option(
        name: [.customShort("r"), .long],
        help: ArgumentHelp(
            "The most frames a second, such as 60 or 29.97; a still screen needs none. (default: 30)", valueName: "N"),
        transform: FrameRateOption.parse)
    var fps: FrameRateOption?

    @Option(
        help: ArgumentHelp("Scale the whole source into this size; both sides must be even.", valueName: "WxH"),
        transform: SizeOption.parse)
    var size: SizeOption?

    @Option(
        help: ArgumentHelp(
            "Cut the source: fit shows all of it, fill cuts it to the shape of --size, WxH+X+Y is a part. (default: fit)",
            valueName: "CROP"), transform: CropOption.parse)
    var crop: CropOption?

    @Option(help: ArgumentHelp("Turn the source clockwise, by 90, 180 or 270 degrees.", valueName: "DEGREES"))
    var rotate: RotationOption?

    @Option(
        help: ArgumentHelp(
            "Constant quality, from 0 (best) to 51. (default: \(TakeConfiguration.Video.defaultQuality))",
            valueName: "N"))
    var quality: Int?

    @Option(
        help: ArgumentHelp("Average bits a second instead of constant quality, such as 800k or 4M.", valueName: "RATE"),
        transform: BitrateOption.parse)
    var bitrate: BitrateOption?

    @Option(
        help: ArgumentHelp(
            "The encoder's speed, as x264 names it.",
            discussion: """
                A slower one makes a smaller file, and drops frames if the processor cannot keep up. If not given, the encoder \
                is about as fast as veryfast, and set up for text that is typed and scrolled.
                """, valueName: "NAME"))
    var preset: EncoderPreset?

    @Option(
        help: ArgumentHelp(
            "Several options at once.",
            discussion: """
                replaykit is how recordings on iOS are usually set up: 11.4 bit/s for each pixel (23.6 Mbit/s at 1080p), a \
                keyframe every 30 frames, and mono audio at 44.1 kHz and 64 kbit/s. Options given beside it win.
                """, valueName: "NAME"))
    var settings = SettingsOption.default

    @Option(
        help: ArgumentHelp(
            "The longest time between keyframes while the screen changes. (default: 10s; 2s in a broadcast)",
            valueName: "TIME"), transform: DurationOption.parse)
    var keyframeInterval: DurationOption?

    @Flag(help: "Repeat unchanged frames, for editors that need a constant frame rate.")
    var cfr = false

    @Flag(help: ArgumentHelp("Read the whole screen for every frame.", visibility: .hidden))
    var noDamageOptimization = false

    @Flag(help: ArgumentHelp("Encode frames in which nothing changed.", visibility: .hidden))
    var noSkipUnchanged = false

    @Flag(help: ArgumentHelp("Do not tell the encoder which macroblocks are unchanged.", visibility: .hidden))
    var noMacroblockInfo = false

    func validate() throws {
        if let size = size?.size, size != size.roundedUpToEven {
            let even = size.roundedUpToEven
            throw ValidationError(
                "--size \(size.width)x\(size.height) has an odd side; use \(even.width)x\(even.height).")
        }
        if crop?.crop == .fill, size == nil {
            throw ValidationError("--crop fill needs the size to fill; add --size WxH.")
        }
        if let quality, !(0...51).contains(quality) {
            throw ValidationError("--quality \(quality) is out of range; give a whole number from 0 (best) to 51.")
        }
        if quality != nil, bitrate != nil {
            throw ValidationError("--quality and --bitrate cannot be combined; leave one out.")
        }
    }

    func apply(to configuration: inout TakeConfiguration) {
        if settings == .replaykit {
            configuration.video.rateControl = .bitsPerSecondPerPixel(11.4)
            configuration.video.keyframeFrames = 30
            configuration.audio.sampleRate = 44100
            configuration.audio.channels = 1
            configuration.audio.bitrate = 64000
        }
        configuration.video.isRateChosen = quality != nil || bitrate != nil || settings != .default
        if let quality { configuration.video.rateControl = .constantQuality(quality) }
        if let bitrate { configuration.video.rateControl = .averageBitrate(bitrate.bitsPerSecond) }
        if let keyframeInterval { configuration.video.keyframeInterval = keyframeInterval.time }
        configuration.video.preset = preset
        if let fps {
            configuration.video.framesPerSecond = fps.framesPerSecond
            configuration.video.isNTSCRate = fps.isNTSC
        }
        configuration.video.size = size?.size
        configuration.video.crop = crop?.crop ?? .fit
        configuration.video.orientation = rotate?.orientation ?? .up
        configuration.video.constantFrameRate = cfr
        configuration.optimizations.damage = !noDamageOptimization
        configuration.optimizations.skipUnchanged = !noSkipUnchanged
        configuration.optimizations.macroblockInfo = !noMacroblockInfo
    }
}

// The options of the colours in a recording.
extension ColourFormat.Chroma: ExpressibleByArgument {}

struct ColourOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Record colours with all 256 levels of a byte instead of 220.",
            discussion: "For editing: the finest steps of dark and light stay apart. Not for a broadcast."))
    var fullRange = false

    @Option(
        help: ArgumentHelp(
            "444 records the colour of every pixel, 420 of every square of four.",
            discussion: """
                With 444, coloured text stays as sharp as black text. The file is larger, and browsers and many other players \
                cannot show it. Not for a broadcast.
                """, valueName: "420|444"))
    var chroma = ColourFormat.Chroma.yuv420

    var colour: ColourFormat { ColourFormat(chroma: chroma, isFullRange: fullRange) }

    /// Throws if any but the standard colours are requested.
    func refuseForBroadcast() throws {
        guard colour == .standard else {
            throw ValidationError(
                "--full-range and --chroma 444 are for recordings alone; leave them out, or use kinecast record.")
        }
    }
}
