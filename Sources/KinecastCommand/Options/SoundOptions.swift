// Which sound to take.
import ArgumentParser
import KineControl

struct SoundOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Whose sound: system, none, or app:NAME for one application's.",
            discussion: "Without this option it is the system's sound where there is any.", valueName: "which"))
    var audio: AudioOption?

    @Option(
        defaultAsFlag: MicrophoneOption.defaultDevice, parsing: .next,
        help: ArgumentHelp("A microphone too, the default one or that of a name.", valueName: "name"))
    var mic: MicrophoneOption?

    @Flag(help: "Keep the microphone on a track of its own instead of mixing it in.")
    var separateTracks = false

    func validate() throws {
        if separateTracks, mic == nil {
            throw ValidationError("--separate-tracks needs a second sound; add --mic or leave it out.")
        }
        if separateTracks, audio?.audio == TakeConfiguration.AppAudio.none {
            throw ValidationError("--separate-tracks needs two sounds, and --audio none leaves one; leave either out.")
        }
    }

    func apply(to audio: inout TakeConfiguration.Audio) {
        if let chosen = self.audio { audio.app = chosen.audio }
        if let mic { audio.microphone = mic.microphone }
        audio.separateTracks = separateTracks
    }
}
