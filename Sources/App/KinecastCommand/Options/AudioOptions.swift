// The options that choose audio.
import ArgumentParser
import KineMedia

struct AudioOptions: ParsableArguments {
    @Option(
        name: [.customShort("a"), .long],
        help: ArgumentHelp(
            "Whose audio to record: system for the default output's, output:NAME for another one's, app:NAME for one application's, or none.",
            discussion: "If not given, the system's, where there is any. kinecast sources lists the names.",
            valueName: "WHICH"))
    var audio: AudioOption?

    @Option(
        help: ArgumentHelp(
            "Record a microphone too: default, a name that kinecast sources lists, or none although one is configured.",
            valueName: "NAME|default|none"))
    var mic: MicrophoneOption?

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
        if separateTracks, mic == nil || mic?.microphone == TakeConfiguration.Microphone.none {
            throw ValidationError(
                "--separate-tracks needs a second source of audio; add --mic default or leave it out.")
        }
        if separateTracks, audio?.audio == TakeConfiguration.AppAudio.none {
            throw ValidationError(
                "--separate-tracks needs two sources of audio, and --audio none leaves one; leave either out.")
        }
    }

    func apply(to audio: inout TakeConfiguration.Audio) {
        if let chosen = self.audio { audio.app = chosen.audio }
        if let mic { audio.microphone = mic.microphone }
        audio.separateTracks = separateTracks
        if let audioBitrate { audio.bitrate = audioBitrate.bitsPerSecond }
    }
}

/// `system`, `none`, `output:NAME` or `app:NAME`.
struct AudioOption: ExpressibleByArgument, Equatable {
    var audio: TakeConfiguration.AppAudio

    init?(argument: String) {
        switch argument {
        case "system": audio = .system(required: true)
        case "none": audio = .none
        default:
            let parts = argument.split(separator: ":", maxSplits: 1).map(String.init)
            switch (parts.first, parts.last) {
            case ("app", let name?) where parts.count == 2: audio = .application(name)
            case ("output", let name?) where parts.count == 2: audio = .output(name)
            default: return nil
            }
        }
    }
}

/// `default`, or a microphone's name.
struct MicrophoneOption: ExpressibleByArgument, Equatable {
    var microphone: TakeConfiguration.Microphone

    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        microphone =
            switch argument {
            case "default": .defaultDevice
            case "none": .none
            default: .named(argument)
            }
    }
}
