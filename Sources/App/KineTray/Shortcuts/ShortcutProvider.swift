// Keys of the whole desktop, for a loop that polls.
import KineDesktop
import KinePlatform
import SystemPackage

/// Holds keys and says which actions they start. Used by the loop's thread.
public protocol ShortcutProvider: AnyObject {
    /// Readable when there is something to process.
    var descriptor: CInt { get }
    /// Continues without waiting, and returns the actions whose keys were pressed. Throws if no key can work any more.
    func process() throws -> [DesktopAction]
}

public enum ShortcutProviders {
    /// Begins to hold the keys, which takes as long as the desktop's dialog is open. The keys are those of kinecast.conf,
    /// also after it has changed; `kinecast shortcuts` shows them while the providers live.
    ///
    /// - Parameter complain: gets a sentence about each key that could not be bound. Called by this method and by `process`.
    public static func open(complain: @escaping (String) -> Void) -> [any ShortcutProvider] {
        do {
            return [try ShortcutHolder(.current(), complain: complain)]
        } catch let error as Errno {
            complain("No key works, because the system has no descriptors left (\(error)); close some programs.")
        } catch {
            // The errors of the settings' file and of the registry's directory are sentences.
            complain("\(error)")
        }
        return []
    }
}

extension DesktopAction {
    /// For the desktop's dialog.
    var words: String {
        switch self {
        case .record: "Start or finish a recording"
        case .pause: "Pause or resume the recording"
        case .clip: "Save the last moments"
        case .microphone: "Turn the microphone on or off"
        case .mark: "Begin a chapter of the recording"
        }
    }
}

extension GlobalShortcutsSession.Error {
    /// There is nothing that could bind keys, so that keys may be grabbed.
    var isAbsence: Bool {
        switch self {
        case .noLibrary, .noBus, .noPortal: true
        default: false
        }
    }

    var sentence: String {
        let advice = "bind kinecast record --toggle to a key in the desktop's settings"
        return switch self {
        case .noLibrary: "A desktop is asked for keys by libsystemd, which is missing; install libsystemd0."
        case .noBus: "A desktop is asked for keys by its session bus, which is missing; run kinecast tray in it."
        case .busLost: "The session bus has ended, and the keys with it; run kinecast tray again."
        case .noPortal: "This desktop binds no keys for programs; \(advice)."
        case .portalLost: "The desktop's portal has ended; the keys work again when it is back."
        case .declined: "The desktop has bound no keys; kinecast shortcuts bind shows its dialog again."
        case .closed: "The desktop has taken the keys back; kinecast shortcuts bind asks for them again."
        case .refused(let name, let message):
            "The desktop's portal refuses to bind keys (\(message.isEmpty ? name : message)); \(advice)."
        case .malformed(let reason): "The desktop's portal gives a wrong answer (\(reason)); \(advice)."
        }
    }
}
