// The values of audio options as they are typed.
import ArgumentParser
import KineMedia

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
        microphone = argument == "default" ? .defaultDevice : .named(argument)
    }
}
