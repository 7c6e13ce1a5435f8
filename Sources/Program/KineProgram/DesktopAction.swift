// The actions of keys, of the tray's menu and of the desktop entry (packaging/org.kinecast.Kinecast.desktop, which a test compares). Each is
// a command that a desktop can also bind itself.
import KineTakes
import KineWire

/// An action that a person starts away from a terminal. The raw value is its name in kinecast.conf.
public enum DesktopAction: String, CaseIterable, Sendable {
    case record, pause, clip, microphone, mark

    /// The arguments of `kinecast` for it.
    public var arguments: [String] { facts.arguments }
    /// The desktop entry's name for it.
    public var title: String { facts.title }
    /// The name as an entry of a menu, in which only the first word has a capital letter.
    package var label: String { title.prefix(1) + title.dropFirst().lowercased() }
    /// For the desktop's dialog about keys.
    public var sentence: String { facts.sentence }
    /// The key that is proposed for it.
    public var usualKey: String { facts.usualKey }

    private var facts: (arguments: [String], title: String, sentence: String, usualKey: String) {
        switch self {
        case .record:
            (["record", "--toggle"], "Start or Stop Recording", "Start or finish a recording", "Super+Shift+R")
        case .pause: (["pause", "--toggle"], "Pause or Resume", "Pause or resume the recording", "Super+Shift+P")
        case .clip: (["clip"], "Save the Last Moments", "Save the last moments", "Super+Shift+C")
        case .microphone:
            (["mic", "--toggle"], "Mute or Unmute the Microphone", "Turn the microphone on or off", "Super+Shift+M")
        case .mark: (["mark"], "Begin a Chapter", "Begin a chapter of the recording", "Super+Shift+K")
        }
    }
}

// The tray asks a take's engine itself where it needs no process of `kinecast`.
extension DesktopAction {
    /// Makes the request to a running take, which depends on the take's state; nil: `kinecast` carries the action out, with
    /// `arguments`.
    package var request: ((TakeView) -> ClientRequest)? {
        switch self {
        case .record, .clip: return nil
        case .pause: return { $0.phase == .paused ? .resume : .pause }
        case .microphone: return { .setMicrophone(on: $0.status.isMicrophoneOn != true) }
        case .mark: return { _ in .mark(title: nil) }
        }
    }

    /// Whether the take can carry it out now. A key asks anyway: the engine's refusal says why not.
    package func isPossible(in take: TakeView) -> Bool {
        switch self {
        case .record: true
        case .pause: [.recording, .paused].contains(take.phase)
        case .clip: take.record.clipBuffer != nil
        case .microphone: take.status.isMicrophoneOn != nil
        case .mark: take.file != nil && [.recording, .paused].contains(take.phase)
        }
    }
}
