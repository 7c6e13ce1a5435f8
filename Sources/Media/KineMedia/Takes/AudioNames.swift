// The texts that name audio: values of options and of kinecast.conf, and of the studio's requests.

extension TakeConfiguration.AppAudio {
    /// `system`, `everything`, `none`, `output:NAME` or `app:NAME`; nil for another text.
    package init?(option text: String) {
        switch text {
        case "system": self = .system(required: true)
        case "everything": self = .everything
        case "none": self = .none
        default:
            let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
            switch (parts.first, parts.last) {
            case ("app", let name?) where parts.count == 2: self = .application(name)
            case ("output", let name?) where parts.count == 2: self = .output(name)
            default: return nil
            }
        }
    }
}

extension TakeConfiguration.Microphone {
    /// `default`, `none` or a microphone's name; nil for an empty text.
    package init?(option text: String) {
        switch text {
        case "": return nil
        case "default": self = .defaultDevice
        case "none": self = .none
        default: self = .named(text)
        }
    }
}
