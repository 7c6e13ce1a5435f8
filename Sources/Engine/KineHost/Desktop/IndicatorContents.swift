// The texts of the indicator: the source, the app, and the destinations.
import KineDesktop
import KineMedia
import KineText

/// The state of a take that its indicator shows.
struct IndicatorContents: Sendable, Equatable {
    static let stop = Notification.Action(key: "stop", title: "Stop")

    var app: AppIdentity?
    var source: TakeConfiguration.Source
    var isRecorded: Bool
    /// The names of the destinations that have not ended.
    var destinations: [String]
    var isMicrophoneOn: Bool
    var isCameraOn: Bool
    /// The real screen may turn off.
    let letsIdle: Bool
    var isPaused = false
    /// The screen is locked, and a card replaces it.
    var isCardShown = false

    init(_ configuration: TakeConfiguration) {
        app = configuration.app
        source = configuration.source
        isRecorded = configuration.output != nil
        destinations = configuration.destinations.map(\.label)
        isMicrophoneOn = configuration.audio.microphone != .none && !configuration.audio.isMicrophoneOff
        isCameraOn = configuration.video.camera?.showsPerson == true
        letsIdle = configuration.letsIdle
    }

    /// Whether it captures a person: their screen, voice or face. A private screen and a pattern do not.
    var concernsPerson: Bool { source.showsDesktop || isMicrophoneOn || isCameraOn }

    var notification: Notification {
        Notification(
            sender: name, icon: app?.icon ?? "media-record", desktopEntry: app?.desktopFile,
            title: isPaused ? "\(name) has paused \(deed)" : "\(name) is \(deed)", text: text,
            actions: [Self.stop], urgency: .low, isResident: true)
    }

    /// The inhibition that keeps the machine awake. For a private screen, the real one may turn off. It stays equal
    /// while other contents change: between two inhibitions the machine could fall asleep.
    var inhibition: SleepInhibition {
        SleepInhibition(who: name, why: "The take goes on.", keepsScreenOn: source.showsDesktop && !letsIdle)
    }

    private var name: String { app.map { ($0.name ?? $0.identifier).printable(limit: 60) } ?? "Kinecast" }

    private var deed: String {
        switch (isRecorded, destinations.isEmpty) {
        case (true, true): "recording \(source.words)"
        case (false, false): "broadcasting \(source.words)"
        case (true, false): "recording and broadcasting \(source.words)"
        // An app receives the samples itself.
        case (false, true): "capturing \(source.words)"
        }
    }

    private var text: String {
        var sentences: [String] = []
        if isCardShown { sentences.append("The screen is locked: a plain card is captured instead.") }
        if isMicrophoneOn {
            sentences.append(isPaused ? "The microphone is paused too." : "The microphone is on.")
        }
        if isCameraOn { sentences.append("The camera is on.") }
        if !destinations.isEmpty {
            let names = destinations.map { $0.printable(limit: 60) }
            sentences.append("It goes to \(names.joined(separator: ", ")).")
        }
        sentences.append(isRecorded ? "Stop ends it; what was recorded is kept." : "Stop ends it.")
        return sentences.joined(separator: " ")
    }
}

extension TakeConfiguration.Source {
    /// For the middle of a sentence.
    fileprivate var words: String {
        switch self {
        case .screen(nil): "the screen"
        case .screen(let monitor?): "the monitor \(monitor.printable(limit: 40))"
        case .region, .drawnRegion: "a part of the screen"
        case .window, .focusedWindow, .windowTitled, .chosenWindow: "a window"
        case .application(let name, _): "the windows of \(name.printable(limit: 40))"
        case .commandWindow(let window): window.named?.words ?? "a window"
        case .virtual, .virtualWayland: "a private screen"
        case .pattern: "a test pattern"
        }
    }
}
