// An audio server's devices and applications as values, and those that a target means. Pure: `PulseConnection` asks for them.

/// The server's devices and playing applications at one moment.
public struct AudioInventory: Sendable, Equatable {
    public struct Output: Sendable, Equatable {
        public var index: UInt32
        public var name: String
        public var description: String
        /// The source that carries the audio of this output.
        public var monitor: String
    }

    public struct Microphone: Sendable, Equatable {
        public var name: String
        public var description: String
    }

    /// One stream that an application plays (PulseAudio: a sink input).
    public struct Playback: Sendable, Equatable {
        public var index: UInt32
        /// The output it plays to.
        public var output: UInt32
        /// `application.name`; empty where the application gives none.
        public var application: String
        /// `application.process.binary`; empty where the application gives none.
        public var binary: String

        func belongs(to name: String) -> Bool {
            let name = name.lowercased()
            return application.lowercased() == name || binary.lowercased() == name
        }
    }

    public var outputs: [Output] = []
    /// Sources that are not monitors of outputs.
    public var microphones: [Microphone] = []
    public var playbacks: [Playback] = []
    /// The server's own name and version, as for `kinecast doctor`: "pulseaudio 16.1".
    public var server: String?
    public var defaultOutput: String?
    /// The server's default source; may name a monitor.
    public var defaultSource: String?

    /// The microphone that "the default" means. The server's default source may be a monitor; that would record the output a
    /// second time, so the first real microphone is used instead.
    public var defaultMicrophone: String? {
        microphones.first { $0.name == defaultSource }?.name ?? microphones.first?.name
    }
}

/// Audio that a take records.
public enum AudioTarget: Hashable, Sendable {
    /// The audio of the default output, whichever output is the default.
    case defaultOutput
    /// Everything one application plays: `application.name` or the binary's name, upper or lower case.
    case application(String)
    case defaultMicrophone
    case microphone(String)

    /// Whether it is no output of programs.
    public var isMicrophone: Bool {
        switch self {
        case .defaultMicrophone, .microphone: true
        case .defaultOutput, .application: false
        }
    }
}

/// One stream to record in order to satisfy a target.
enum AudioSource: Hashable, Sendable {
    /// A source by name: a microphone, or the monitor of an output.
    case source(String)
    /// One application's stream to an output. The output is part of the identity: when the stream moves to another one, its
    /// recording has to be opened again.
    case playback(UInt32, output: UInt32)
}

extension AudioTarget {
    /// The sources to record for this target now; empty if there are none at the moment.
    func sources(in inventory: AudioInventory) -> [AudioSource] {
        switch self {
        case .defaultOutput:
            inventory.outputs.filter { $0.name == inventory.defaultOutput }.map { .source($0.monitor) }
        case .application(let name):
            inventory.playbacks.filter { $0.belongs(to: name) }.map { .playback($0.index, output: $0.output) }
        case .defaultMicrophone:
            inventory.defaultMicrophone.map { [.source($0)] } ?? []
        case .microphone(let name):
            inventory.microphones.contains { $0.name == name } ? [.source(name)] : []
        }
    }

    /// Says that there is nothing to record for this target, and names the existing ones.
    func missing(in inventory: AudioInventory) -> MissingAudio {
        let names: [String] =
            switch self {
            case .defaultOutput, .defaultMicrophone: []
            case .application: inventory.playbacks.map { $0.application.isEmpty ? $0.binary : $0.application }
            case .microphone: inventory.microphones.map(\.name)
            }
        var existing: [String] = []
        for name in names where !name.isEmpty && !existing.contains(name) { existing.append(name) }
        return MissingAudio(target: self, existing: existing)
    }
}
