// Whose sound is recorded, as it is typed.
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

/// The microphone's name, or none where `--mic` stands alone.
struct MicrophoneOption: ExpressibleByArgument, Equatable, CustomStringConvertible {
    var microphone: TakeConfiguration.Microphone

    static let defaultDevice = MicrophoneOption(microphone: .defaultDevice)

    init(microphone: TakeConfiguration.Microphone) { self.microphone = microphone }

    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        microphone = argument == "default" ? .defaultDevice : .named(argument)
    }

    var description: String {
        if case .named(let name) = microphone { name } else { "default" }
    }
}
