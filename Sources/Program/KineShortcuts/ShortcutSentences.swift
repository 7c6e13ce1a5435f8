// Why a desktop binds no keys, in words.
import KineDesktop
import KineProgram

extension GlobalShortcutsSession.Error {
    /// Nothing binds keys, and no person has declined, so that keys may be grabbed.
    var isAbsence: Bool {
        switch self {
        case .noLibrary, .noBus, .noPortal, .refused, .malformed: true
        default: false
        }
    }

    /// Advises to bind the command of `action`.
    func sentence(for action: DesktopAction = .record) -> String {
        let advice = "bind kinecast \(action.arguments.joined(separator: " ")) to a key in the desktop's settings"
        return switch self {
        case .noLibrary: "A desktop is asked for keys by libsystemd, which is missing; install libsystemd0."
        case .noBus: "A desktop is asked for keys by its session bus, which is missing; run kinecast tray in it."
        case .busLost: "The session bus has ended, and the keys with it; run kinecast tray again."
        case .noPortal: "This desktop binds no keys for programs; \(advice)."
        case .portalLost: "The desktop's portal has ended; the keys work again when it is back."
        case .declined: "The desktop has bound no keys; kinecast shortcuts bind shows its dialog."
        case .closed: "The desktop has taken the keys back; kinecast shortcuts bind asks for them again."
        case .refused(let name, let message):
            "The desktop's portal refuses to bind keys (\(message.isEmpty ? name : message)); \(advice)."
        case .malformed(let reason): "The desktop's portal gives a wrong answer (\(reason)); \(advice)."
        }
    }
}
