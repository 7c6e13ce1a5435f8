// The options that choose audio.
import ArgumentParser
import KineChoices
import KineMedia

extension TakeConfiguration.MicrophoneChannels: ExpressibleByArgument {}

extension TakeConfiguration.AppAudio: ExpressibleByArgument {
    public init?(argument: String) { self.init(option: argument) }
}

extension TakeConfiguration.Microphone: ExpressibleByArgument {
    public init?(argument: String) { self.init(option: argument) }
}

struct AudioOptions: ParsableArguments {
    @Option(
        name: [.customShort("a"), .long],
        help: ArgumentHelp(
            "What audio to record: system is the default output, output:NAME another output, everything all outputs, app:NAME one application; or none.",
            discussion: "If not given, the system's, where there is any. kinecast sources lists the names.",
            valueName: "WHICH"))
    var audio: TakeConfiguration.AppAudio?

    @Option(
        help: ArgumentHelp(
            "Record a microphone too: default, a name that kinecast sources lists, or none although one is configured.",
            valueName: "NAME|default|none"))
    var mic: TakeConfiguration.Microphone?

    @Option(
        help: ArgumentHelp(
            "What becomes of a microphone's two channels: auto, which is the default, brings a voice that only one of them has to the middle, left and right "
                + "use that one for both, mono mixes them, stereo keeps them.",
            valueName: "auto|left|right|stereo|mono"))
    var micChannels: TakeConfiguration.MicrophoneChannels?

    @Flag(help: "Keep the microphone on a track of its own instead of mixing it in.")
    var separateTracks = false

    @Option(
        help: ArgumentHelp("Bits a second of each audio track. (default: 160k)", valueName: "RATE"),
        transform: BitrateOption.parse)
    var audioBitrate: BitrateOption?

    func validate() throws {
        if let audioBitrate, !(8000...512_000).contains(audioBitrate.bitsPerSecond) {
            throw ValidationError("--audio-bitrate is out of range; give 8k to 512k.")
        }
        if separateTracks, mic == nil || mic == TakeConfiguration.Microphone.none {
            throw ValidationError(
                "--separate-tracks needs a second source of audio; add --mic default or leave it out.")
        }
        if micChannels != nil, mic == nil || mic == TakeConfiguration.Microphone.none {
            throw ValidationError("--mic-channels is about a microphone; add --mic default or leave it out.")
        }
        if separateTracks, audio == TakeConfiguration.AppAudio.none {
            throw ValidationError(
                "--separate-tracks needs two sources of audio, and --audio none leaves one; leave either out.")
        }
    }

    func apply(to audio: inout TakeConfiguration.Audio) {
        if let chosen = self.audio { audio.app = chosen }
        if let mic { audio.microphone = mic }
        if let micChannels { audio.microphoneChannels = micChannels }
        audio.separateTracks = separateTracks
        if let audioBitrate { audio.bitrate = audioBitrate.bitsPerSecond }
    }
}
