// What a take's configuration asks an audio server for.
import KineMedia

extension AudioTarget {
    /// Nil: no audio.
    package init?(_ audio: TakeConfiguration.AppAudio) {
        switch audio {
        case .none: return nil
        case .system: self = .defaultOutput
        case .output(let name): self = .output(name)
        case .everything: self = .everything
        case .application(let name): self = .application(name)
        }
    }

    /// Nil: no microphone.
    package init?(_ microphone: TakeConfiguration.Microphone) {
        switch microphone {
        case .none: return nil
        case .defaultDevice: self = .defaultMicrophone
        case .named(let name): self = .microphone(name)
        }
    }
}
