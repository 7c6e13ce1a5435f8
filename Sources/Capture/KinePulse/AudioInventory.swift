// An audio server's devices and applications as values, and the choice of a target's devices. Pure.
import KineMedia
import KinePlatform

/// The server's devices and playing applications at one moment.
public struct AudioInventory: Sendable, Equatable {
    public struct Output: Sendable, Equatable {
        public var index: UInt32
        public var name: String
        public var description: String
        /// The source with the audio of this output.
        public var monitor: String
        var monitorIndex = UInt32.max
        var links: Set<AudioLink> = []
        public var level = AudioLevel.audible
    }

    public struct Microphone: Sendable, Equatable {
        public var name: String
        public var description: String
    }

    /// One stream that an application plays (PulseAudio: a sink input).
    public struct Playback: Sendable, Equatable {
        public var index: UInt32
        /// The output to which it plays.
        public var output: UInt32
        /// `application.name`; empty if the application sets none.
        public var application: String
        /// `application.process.binary`; empty if the application sets none.
        public var binary: String
        /// It is paused.
        public var isCorked = false
        var links: Set<AudioLink> = []
        public var level = AudioLevel.audible

        func belongs(to name: String) -> Bool {
            let name = name.lowercased()
            return application.lowercased() == name || binary.lowercased() == name
        }
    }

    public var outputs: [Output] = []
    /// Sources that are not monitors of outputs.
    public var microphones: [Microphone] = []
    public var playbacks: [Playback] = []
    /// By name, the number of channels of sources whose channels have no place in a room, as those of cards in the profile Pro Audio.
    var numberedChannels: [String: Int] = [:]
    var recordings: [Recording] = []
    /// The server's own name and version, for `kinecast doctor`: "pulseaudio 16.1".
    public var server: String?
    public var defaultOutput: String?
    /// The server's default source; may name a monitor.
    public var defaultSource: String?

    /// The default microphone. The server's default source may be the monitor of an output, which replaces a microphone
    /// if a program plays into it.
    public var defaultMicrophone: String? { defaultMicrophone(besides: []) }

    /// `recorded`: sources recorded already. A monitor among them is not recorded twice: a real microphone replaces it.
    func defaultMicrophone(besides recorded: Set<AudioSource>) -> String? {
        let monitors = outputs.map(\.monitor).filter { !recorded.contains(.source($0)) }
        return (microphones.map(\.name) + monitors).first { $0 == defaultSource } ?? microphones.first?.name
    }
}

extension AudioInventory {
    /// A source's description; its name, if it has none.
    func description(ofSource name: String) -> String {
        microphones.first { $0.name == name }?.description
            ?? outputs.first { $0.monitor == name }?.description ?? name
    }

    /// The number of a source's numbered channels; nil: its channels have places.
    func numberedChannels(of source: AudioSource) -> Int? {
        if case .source(let name) = source { numberedChannels[name] } else { nil }
    }
}

/// The level at which the audio of a device or an application reaches its recorders.
public enum AudioLevel: Sendable, Equatable {
    case audible
    case muted
    /// Turned down below −60 dB.
    case faint
}

/// Audio that a take records.
public enum AudioTarget: Hashable, Sendable {
    /// The audio of the default output, whichever output is the default.
    case defaultOutput
    /// The audio of one output, by its PulseAudio name.
    case output(String)
    /// The audio of all outputs, each sound once.
    case everything
    /// All audio of one application, by `application.name` or the binary's name. Case does not matter.
    case application(String)
    case defaultMicrophone
    case microphone(String)

    /// Whether it is not an output of programs.
    public var isMicrophone: Bool {
        switch self {
        case .defaultMicrophone, .microphone: true
        case .defaultOutput, .output, .everything, .application: false
        }
    }

    /// Whether it is the audio of one output or of all.
    public var isOutput: Bool {
        switch self {
        case .defaultOutput, .output, .everything: true
        case .application, .defaultMicrophone, .microphone: false
        }
    }

    /// An application may play several streams, and there may be several outputs.
    package var hasSeveralStreams: Bool {
        switch self {
        case .everything, .application: true
        case .defaultOutput, .output, .defaultMicrophone, .microphone: false
        }
    }

    /// Whether a take needs it to begin. The default output and applications may come later.
    var isNeededAtStart: Bool {
        if case .output = self { true } else { isMicrophone }
    }
}

// What a take asks for.
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

/// One stream to record for a target.
enum AudioSource: Hashable, Sendable {
    /// A source by name: a microphone, or the monitor of an output.
    case source(String)
    /// One application's stream to an output. The output is part of the identity: if the stream moves to another
    /// output, the recording must be opened again.
    case playback(UInt32, output: UInt32)
}

extension AudioTarget {
    /// The sources to record for this target now, which may be none. `recorded`: those of other targets.
    func sources(in inventory: AudioInventory, besides recorded: Set<AudioSource> = []) -> [AudioSource] {
        switch self {
        case .defaultOutput, .output: outputs(in: inventory).map { .source($0.monitor) }
        case .everything: inventory.everything
        case .application(let name):
            inventory.playbacks.filter { $0.belongs(to: name) }.map { .playback($0.index, output: $0.output) }
        case .defaultMicrophone:
            inventory.defaultMicrophone(besides: recorded).map { [.source($0)] } ?? []
        case .microphone(let name):
            (inventory.microphones.map(\.name) + inventory.outputs.map(\.monitor)).contains(name) ? [.source(name)] : []
        }
    }

    private func outputs(in inventory: AudioInventory) -> [AudioInventory.Output] {
        switch self {
        case .defaultOutput: inventory.outputs.filter { $0.name == inventory.defaultOutput }
        case .output(let name): inventory.outputs.filter { $0.name == name }
        case .everything, .application, .defaultMicrophone, .microphone: []
        }
    }

    /// Whether this target's audio can be recorded now. `recorded`: the sources of other targets.
    func condition(in inventory: AudioInventory, besides recorded: Set<AudioSource>) -> AudioCondition {
        guard !sources(in: inventory, besides: recorded).isEmpty else { return .missing }
        switch self {
        case .defaultOutput, .output:
            for output in outputs(in: inventory) where output.level != .audible {
                return .inaudible(InaudibleAudio(target: self, name: output.description, level: output.level))
            }
        case .application(let name):
            let playbacks = inventory.playbacks.filter { $0.belongs(to: name) }
            if let first = playbacks.first, playbacks.allSatisfy({ $0.level != .audible }) {
                return .inaudible(InaudibleAudio(target: self, name: name, level: first.level))
            }
        case .everything, .defaultMicrophone, .microphone: break
        }
        return .audible
    }

    /// The fault that this target has nothing to record, with the existing names.
    func missing(in inventory: AudioInventory) -> MissingAudio {
        let names: [String] =
            switch self {
            case .defaultOutput, .everything, .defaultMicrophone: []
            case .output: inventory.outputs.map(\.name)
            case .application: inventory.playbacks.map { $0.application.isEmpty ? $0.binary : $0.application }
            case .microphone: inventory.microphones.map(\.name)
            }
        var existing: [String] = []
        for name in names where !name.isEmpty && !existing.contains(name) { existing.append(name) }
        let output =
            inventory.microphones.isEmpty ? nil : inventory.outputs.first { $0.monitor == inventory.defaultSource }
        return MissingAudio(
            target: self, existing: existing, monitoredOutput: self == .defaultMicrophone ? output?.description : nil)
    }
}

/// Whether the audio of a target is available, as far as the server reports.
enum AudioCondition: Equatable {
    case audible
    case inaudible(InaudibleAudio)
    case missing

    /// The warning, if any, for a change of `target` to this condition from `last`, which is nil at the start.
    func warning(of target: AudioTarget, in inventory: AudioInventory, after last: AudioCondition?) -> AudioWarning? {
        guard self != last else { return nil }
        switch (self, target) {
        case (.audible, _): return nil
        case (.inaudible(let audio), _): return .inaudible(audio)
        // Applications stop and play again all the time.
        case (.missing, .application): return last == nil ? .missing(target.missing(in: inventory)) : nil
        case (.missing, .defaultOutput), (.missing, .everything): return .missing(target.missing(in: inventory))
        case (.missing, .output), (.missing, .defaultMicrophone), (.missing, .microphone):
            return last == nil ? .missing(target.missing(in: inventory)) : .gone(target)
        }
    }
}

// Lists the devices and applications of an audio server, for `kinecast sources`.
public enum PulseSources {
    /// Asks the server once. Blocks, three seconds at most: not for Swift's cooperative pool.
    ///
    /// `server` as in PULSE_SERVER; nil: by the environment.
    public static func list(server: String? = nil) throws(AudioCapture.Error) -> AudioInventory {
        let connection: PulseConnection
        do { connection = try PulseConnection(server: server) } catch { throw .noServer(error) }
        defer { connection.close() }
        connection.connect()
        var result: AudioInventory?
        var hasAsked = false
        let deadline = MonotonicClock.now() + 3_000_000_000
        while MonotonicClock.now() < deadline {
            if case .failed(let fault) = connection.state { throw .noServer(fault) }
            if connection.state == .ready && !hasAsked {
                hasAsked = true
                connection.askInventory { result = $0 }
            }
            if let result { return result }
            connection.runOnce(until: deadline)
        }
        throw .noServer(.noAnswer(seconds: 3))
    }
}
