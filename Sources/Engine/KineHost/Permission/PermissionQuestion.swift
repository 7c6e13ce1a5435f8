// The words of the question whether an app may capture, and of a refusal.
import KineDesktop
import KineMedia
import KinePlatform
import KineWire

/// What a person is asked.
struct PermissionQuestion {
    static let allow = Notification.Action(key: "allow", title: "Allow")
    static let decline = Notification.Action(key: "decline", title: "Deny")

    let app: AppIdentity?
    let subject: PermissionSubject
    let kinds: Set<PermissionKind>

    private var name: String { (app?.name ?? subject.identifier).printable(limit: 60) }

    /// Without its question mark, for the terminal and the desktop.
    private var request: String { "\(name) asks to record \(PermissionKind.words(kinds))" }

    var notification: Notification {
        Notification(
            sender: "Kinecast", icon: app?.icon ?? "media-record", desktopEntry: app?.desktopFile, title: "\(request).",
            text: "The program is \(subject.executable.printable(limit: 200)). "
                + "Your answer is kept; kinecast permissions takes it back.",
            actions: [Self.allow, Self.decline], urgency: .critical, isResident: false)
    }

    var sentence: String { "\(request) (\(subject.executable.printable(limit: 200))). Allow it, from now on?" }
}

extension PermissionKind {
    /// The command with which a person grants these kinds and nothing else.
    static func grantCommand(_ kinds: Set<PermissionKind>, to executable: String, identifier: String? = nil) -> String {
        let id = identifier.map { ["--id", $0.printable(limit: 200).shellWord] } ?? []
        let flags = allCases.filter(kinds.contains).map { "--\($0.rawValue)" }
        let program = executable.printable(limit: 400).shellWord
        return (["kinecast permissions grant", program] + id + flags).joined(separator: " ")
    }
}

extension PermissionStateMachine.Refusal {
    /// One sentence: what happened, on what, and what to do. `kinds`: what is declined, or not decided.
    func sentence(_ kinds: Set<PermissionKind>, _ subject: PermissionSubject) -> String {
        let words = PermissionKind.words(kinds)
        let command = PermissionKind.grantCommand(kinds, to: subject.executable, identifier: subject.identifier)
        switch self {
        case .declinedBefore:
            return "The person at this machine does not allow \(subject.identifier.printable(limit: 200)) to record "
                + "\(words); they can change that with \(command)."
        case .declined: return "The person at the screen did not allow it to record \(words); nothing was recorded."
        case .notAnswered:
            return "Nobody has answered whether it may record \(words); start it again and answer, or run \(command)."
        case .nobodyToAsk:
            return "Nobody can be asked here whether it may record \(words); run \(command) beforehand."
        }
    }
}
