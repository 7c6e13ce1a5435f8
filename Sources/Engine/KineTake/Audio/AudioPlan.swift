// The audio tracks of a take, from its configuration and its feeds: their devices, their encoders, their place in the file. Pure.
import KineContainers
import KineMedia
import KinePulse

/// The forms in which a feed wants a take's audio; nil: not wanted.
package struct AudioRequirements: Sendable, Equatable {
    var app: AudioCodec?
    var microphone: AudioCodec?
}

extension AudioRequirements {
    package init(_ samples: SampleRequirements) { self.init(app: samples.appAudio, microphone: samples.micAudio) }
}

/// A source that a person may turn off while the take runs.
package enum AudioSource: Sendable { case app, microphone }

/// The devices to capture, and the tracks to make of them.
struct AudioPlan: Equatable {
    /// The mix of some targets.
    struct Track: Equatable {
        var type: SampleType
        /// Indices of `targets`.
        var targets: [Int]
        /// Several streams can meet on this track.
        var isMixed: Bool
        /// The codec in which the file has it; nil: it is not in the file.
        var recorded: AudioCodec?
        /// The forms that feeds or the recording want: each codec has an encoder of its own.
        var forms: [AudioCodec]
    }

    /// A track in one form.
    struct Output: Hashable {
        var track: Int
        var form: AudioCodec
    }

    private(set) var targets: [AudioTarget] = []
    /// The file's tracks first, in the file's order.
    private(set) var tracks: [Track] = []
    /// The take must not begin without audio.
    private(set) var isRequired = false
    private var appTarget: Int?
    private var microphoneTarget: Int?

    /// `isRecorded`: there is a file. Leaves out unwanted tracks, and all targets if no track remains.
    init(_ configuration: TakeConfiguration.Audio, isRecorded: Bool = true, requirements: [AudioRequirements] = []) {
        addTargets(configuration)
        addFileTracks(areSeparate: configuration.separateTracks, isRecorded: isRecorded)
        for required in requirements {
            if let form = required.app { require(form, of: .audioApp, appTarget, required) }
            if let form = required.microphone { require(form, of: .audioMic, microphoneTarget, required) }
        }
        tracks.removeAll(where: \.forms.isEmpty)
        if tracks.isEmpty { targets = [] }
    }

    var microphones: Set<Int> { targets(of: .microphone) }

    /// Indices of the targets of one source, at most one.
    func targets(of source: AudioSource) -> Set<Int> {
        let target =
            switch source {
            case .app: appTarget
            case .microphone: microphoneTarget
            }
        return tracks.isEmpty ? [] : Set([target].compactMap(\.self))
    }

    /// The first track that has the audio of a source; nil: the take does not have it.
    func track(of source: AudioSource) -> Int? {
        let indices = targets(of: source)
        return tracks.firstIndex { !indices.isDisjoint(with: $0.targets) }
    }

    /// Indices of the targets whose first audio the take waits for. An application may begin to play at any time.
    var awaited: Set<Int> {
        Set(targets.indices.filter { if case .application = targets[$0] { false } else { true } })
    }

    private mutating func addTargets(_ configuration: TakeConfiguration.Audio) {
        func add(_ target: AudioTarget) -> Int {
            targets.append(target)
            return targets.count - 1
        }
        if let target = AudioTarget(configuration.app) {
            appTarget = add(target)
            isRequired = if case .system(let required) = configuration.app { required } else { true }
        }
        guard let target = AudioTarget(configuration.microphone) else { return }
        microphoneTarget = add(target)
        if configuration.isMicrophoneOff || configuration.isMicrophoneOptional { return }
        isRequired = true
    }

    /// Adds the tracks of a file, even if there is none: a feed of access units gets the same tracks.
    private mutating func addFileTracks(areSeparate: Bool, isRecorded: Bool) {
        let codec: AudioCodec? = isRecorded ? MP4Writer.audioCodec : nil
        let present = [appTarget, microphoneTarget].compactMap(\.self)
        for part in areSeparate ? present.map({ [$0] }) : [present] where !part.isEmpty {
            tracks.append(
                Track(
                    type: part.first == appTarget ? .audioApp : .audioMic, targets: part, isMixed: isMixed(part),
                    recorded: codec, forms: codec.map { [$0] } ?? []))
        }
    }

    private func isMixed(_ targets: [Int]) -> Bool {
        targets.count > 1 || targets.contains { self.targets[$0].hasSeveralStreams }
    }

    /// The choices for a feed with these requirements, at most one for the app and one for the microphone. In a take that mixes
    /// the two, a feed that wants access units of the app gets the mix, and nothing more for the microphone.
    func choices(for required: AudioRequirements) -> [Output] {
        var choices: [Output] = []
        if let form = required.app, let track = track(for: form, of: appTarget, required) {
            choices.append(Output(track: track, form: form))
        }
        if let form = required.microphone, let track = track(for: form, of: microphoneTarget, required),
            !choices.contains(where: { $0.track == track })
        {
            choices.append(Output(track: track, form: form))
        }
        return choices
    }

    /// The kinds of audio that a feed with these requirements wants and that the take captures, but has no track for: the feed came
    /// after the tracks were made.
    func missing(for required: AudioRequirements) -> [SampleType] {
        let wanted: [(SampleType, AudioCodec?, Int?)] = [
            (.audioApp, required.app, appTarget), (.audioMic, required.microphone, microphoneTarget),
        ]
        return wanted.compactMap { type, form, target in
            guard let form, let target else { return nil }
            let track = track(for: form, of: target, required).map { tracks[$0] }
            return track.map { form == .pcm || $0.forms.contains(form) } == true ? nil : type
        }
    }

    /// The track that has one target in one form.
    private func track(for form: AudioCodec, of target: Int?, _ required: AudioRequirements) -> Int? {
        guard let target else { return nil }
        // A second encoder for the app without the microphone is not worth it; but a feed of the microphone alone must not
        // have what the machine plays.
        let acceptsMix = form != .pcm && form == required.app
        let mix = tracks.firstIndex { acceptsMix && $0.targets.count > 1 && $0.targets.contains(target) }
        return mix ?? tracks.firstIndex { $0.targets == [target] }
    }

    private mutating func require(
        _ form: AudioCodec, of type: SampleType, _ target: Int?, _ required: AudioRequirements
    ) {
        guard let target else { return }
        let index = track(for: form, of: target, required) ?? tracks.count
        if index == tracks.count {
            tracks.append(
                Track(type: type, targets: [target], isMixed: isMixed([target]), recorded: nil, forms: []))
        }
        if !tracks[index].forms.contains(form) { tracks[index].forms.append(form) }
    }
}
