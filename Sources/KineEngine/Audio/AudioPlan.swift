// What a take's configuration and its listeners mean for the sound server, for the encoders and for the file. Pure.
import KineCapture
import KineControl
import KineMedia
import KineServices

/// In which forms one extension wants a take's sounds; nil: not this sound.
public struct SoundWish: Sendable, Equatable {
    public var app: AudioCodec?
    public var microphone: AudioCodec?

    public init(app: AudioCodec? = nil, microphone: AudioCodec? = nil) {
        self.app = app
        self.microphone = microphone
    }

    public init(_ manifest: ServiceManifest) { self.init(app: manifest.appAudio, microphone: manifest.micAudio) }
}

/// Which devices are listened to, and which sounds are made of them.
struct AudioPlan: Equatable {
    /// One sound of the take: what some targets play together, in the forms that somebody wants.
    struct Track: Equatable {
        var type: SampleType
        /// Indices of `targets`.
        var targets: [Int]
        /// Several sounds can meet on this track.
        var isMixed: Bool
        /// It is in the file.
        var isRecorded = true
        /// Somebody wants access units. A recording always does.
        var isEncoded = true
        /// Somebody wants the samples themselves.
        var isPlain = false
    }

    /// What an extension gets: a track in one form.
    struct Choice: Equatable {
        var track: Int
        var form: AudioCodec
    }

    var targets: [SoundTarget] = []
    /// Those of the file first, in its order.
    var tracks: [Track] = []
    /// Without sound the take must not begin.
    var isRequired = false
    private var appTarget: Int?
    private var microphoneTarget: Int?

    /// `isRecorded`: there is a file. Tracks that nobody wants are left out, and with the last of them the targets.
    init(_ configuration: TakeConfiguration.Audio, isRecorded: Bool = true, wishes: [SoundWish] = []) {
        var appIsMany = false
        switch configuration.app {
        case .none: break
        case .system(let required):
            targets.append(.defaultOutput)
            isRequired = required
        case .application(let name):
            targets.append(.application(name))
            isRequired = true
            appIsMany = true
        }
        appTarget = targets.isEmpty ? nil : 0
        switch configuration.microphone {
        case .none: break
        case .defaultDevice: targets.append(.defaultMicrophone)
        case .named(let name): targets.append(.microphone(name))
        }
        microphoneTarget = targets.count > (appTarget == nil ? 0 : 1) ? targets.count - 1 : nil
        isRequired = isRequired || microphoneTarget != nil
        if let appTarget, let microphoneTarget, !configuration.separateTracks {
            tracks = [Track(type: .audioApp, targets: [appTarget, microphoneTarget], isMixed: true)]
        } else {
            if let appTarget { tracks.append(Track(type: .audioApp, targets: [appTarget], isMixed: appIsMany)) }
            if let microphoneTarget {
                tracks.append(Track(type: .audioMic, targets: [microphoneTarget], isMixed: false))
            }
        }
        for index in tracks.indices {
            tracks[index].isRecorded = isRecorded
            tracks[index].isEncoded = isRecorded
        }
        for wish in wishes {
            if let form = wish.app { want(form, of: .audioApp, appTarget, isMixed: appIsMany, wish) }
            if let form = wish.microphone { want(form, of: .audioMic, microphoneTarget, isMixed: false, wish) }
        }
        tracks.removeAll { !$0.isEncoded && !$0.isPlain }
        if tracks.isEmpty { targets = [] }
    }

    /// What the extension with these wishes gets, at most one choice for each of its sounds. One that wants access units of
    /// the app in a take that mixes app and microphone gets the mix, and then no second sound for the microphone's.
    func choices(for wish: SoundWish) -> [Choice] {
        var choices: [Choice] = []
        if let form = wish.app, let track = track(for: form, of: appTarget, wish) {
            choices.append(Choice(track: track, form: form))
        }
        if let form = wish.microphone, let track = track(for: form, of: microphoneTarget, wish),
            !choices.contains(where: { $0.track == track })
        {
            choices.append(Choice(track: track, form: form))
        }
        return choices
    }

    /// The track that serves a wish for one target's sound.
    private func track(for form: AudioCodec, of target: Int?, _ wish: SoundWish) -> Int? {
        guard let target else { return nil }
        // Encoding twice for one who wants the app without the microphone is not worth it; but who asked for the
        // microphone alone must not hear what the machine plays.
        let takesMix = form == .aac && wish.app == .aac
        let mix = tracks.firstIndex { takesMix && $0.targets.count > 1 && $0.targets.contains(target) }
        return mix ?? tracks.firstIndex { $0.targets == [target] }
    }

    private mutating func want(
        _ form: AudioCodec, of type: SampleType, _ target: Int?, isMixed: Bool, _ wish: SoundWish
    ) {
        guard let target else { return }
        let index: Int
        if let found = track(for: form, of: target, wish) {
            index = found
        } else {
            index = tracks.count
            tracks.append(
                Track(type: type, targets: [target], isMixed: isMixed, isRecorded: false, isEncoded: false))
        }
        switch form {
        case .aac: tracks[index].isEncoded = true
        case .pcm: tracks[index].isPlain = true
        }
    }
}
