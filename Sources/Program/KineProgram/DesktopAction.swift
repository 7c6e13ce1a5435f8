// The actions of keys and of the tray's menu. Each is a command that a desktop can also bind itself.

/// An action that a person starts away from a terminal.
public enum DesktopAction: String, CaseIterable, Sendable {
    case record, pause, clip, microphone, mark

    /// The arguments of `kinecast` for it.
    public var arguments: [String] {
        switch self {
        case .record: ["record", "--toggle"]
        case .pause: ["pause", "--toggle"]
        case .clip: ["clip"]
        case .microphone: ["mic", "--toggle"]
        case .mark: ["mark"]
        }
    }
}
