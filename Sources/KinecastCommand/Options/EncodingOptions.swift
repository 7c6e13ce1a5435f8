// How frames are captured and encoded.
import ArgumentParser
import KineControl
import KineMedia

enum SettingsOption: String, ExpressibleByArgument, CaseIterable {
    case `default`
    /// What ReplayKit's users set by hand: an average bitrate that follows the size, and mono audio.
    case replaykit
}

extension EncoderPreset: ExpressibleByArgument {}

struct EncodingOptions: ParsableArguments {
    @Option(
        name: [.customShort("r"), .long],
        help: ArgumentHelp("At most so many frames a second; a still screen costs none.", valueName: "N"))
    var fps = 30

    @Option(help: ArgumentHelp("Scale the whole source into that size, sides even.", valueName: "WxH"))
    var size: SizeOption?

    @Flag(help: "Leave the mouse pointer out.")
    var noCursor = false

    @Option(
        help: ArgumentHelp(
            "Constant quality, from 0 (best) to 51; without it, \(TakeConfiguration.Video.defaultQuality).",
            valueName: "N"))
    var quality: Int?

    @Option(
        help: ArgumentHelp("Average bits a second instead of constant quality, such as 800k or 4M.", valueName: "RATE"))
    var bitrate: BitrateOption?

    @Option(
        help: ArgumentHelp(
            "The encoder's speed, as x264 names it.",
            discussion: """
                A slower one makes a smaller file, and leaves out frames where the processor cannot keep up. Without this \
                option the encoder is about as fast as veryfast, and set up for text that is typed and scrolled.
                """, valueName: "NAME"))
    var preset: EncoderPreset?

    @Option(
        help: ArgumentHelp(
            "Settings that belong together.",
            discussion: """
                replaykit: as recordings on iOS are set up by hand, 11.4 bit/s for each pixel (23.6 Mbit/s at 1080p), a \
                keyframe every 30 frames, audio mono at 44.1 kHz and 64 kbit/s. Other options given beside it win.
                """, valueName: "NAME"))
    var settings = SettingsOption.default

    @Option(
        help: ArgumentHelp(
            "The longest time between keyframes while the screen changes; without it, 10s, and 2s in a broadcast.",
            valueName: "TIME"))
    var keyframeInterval: DurationOption?

    @Flag(help: "Constant frame rate, for editors that need it: repeats unchanged frames.")
    var cfr = false

    @Flag(help: ArgumentHelp("Read the whole screen for every frame.", visibility: .hidden))
    var noDamageOptimization = false

    @Flag(help: ArgumentHelp("Encode frames in which nothing changed.", visibility: .hidden))
    var noSkipUnchanged = false

    @Flag(help: ArgumentHelp("Do not tell the encoder which macroblocks are unchanged.", visibility: .hidden))
    var noMacroblockInfo = false

    func validate() throws {
        guard (1...240).contains(fps) else {
            throw ValidationError("--fps \(fps) is out of range; give a whole number from 1 to 240.")
        }
        if let size = size?.size, size != size.roundedUpToEven {
            let even = size.roundedUpToEven
            throw ValidationError(
                "--size \(size.width)x\(size.height) has an odd side; use \(even.width)x\(even.height).")
        }
        if let quality, !(0...51).contains(quality) {
            throw ValidationError("--quality \(quality) is out of range; give a whole number from 0 (best) to 51.")
        }
        if quality != nil, bitrate != nil {
            throw ValidationError("--quality and --bitrate exclude each other; leave one out.")
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
        configuration.video.framesPerSecond = fps
        configuration.video.size = size?.size
        configuration.video.showsCursor = !noCursor
        configuration.video.constantFrameRate = cfr
        configuration.optimizations.damage = !noDamageOptimization
        configuration.optimizations.skipUnchanged = !noSkipUnchanged
        configuration.optimizations.macroblockInfo = !noMacroblockInfo
    }
}
