// The values of audio options as they are typed.
import ArgumentParser
import KineControl

/// `system`, `none` or `app:NAME`.
struct AudioOption: ExpressibleByArgument, Equatable {
    var audio: TakeConfiguration.AppAudio

    init?(argument: String) {
        switch argument {
        case "system": audio = .system(required: true)
        case "none": audio = .none
        default:
            guard argument.hasPrefix("app:"), argument.count > 4 else { return nil }
            audio = .application(String(argument.dropFirst(4)))
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
