// One sentence for each reason why a screen cast ends: what happened, to what, and what to do.
import KineCapture
import KineDesktop
import KineText

extension ScreenCastHelper.Error {
    /// The source's error. A person's refusal and an end by the desktop are separate: the take ends differently.
    package var videoSourceError: VideoSourceError {
        switch self {
        case .cast(.declined): .screenCastDeclined
        case .closed: .screenCastClosed
        default: VideoSourceError(sentence)
        }
    }

    var sentence: String {
        switch self {
        case .cannotStart(let error):
            "The process that asks the desktop for its screen did not start: \(error); raise the limits of ulimit, or install "
                + "Kinecast completely."
        case .connection(let error): error.description
        case .died:
            "The process that asks the desktop for its screen ended unexpectedly; record again."
        case .cast(let error): error.sentence
        case .closed: VideoSourceError.screenCastClosed.sentence
        case .givenUp: "The take was ended before the desktop's question was answered."
        }
    }
}

extension VideoSourceError {
    /// The person did not permit it.
    static let screenCastDeclined = Self(
        "The desktop asked whether its screen may be recorded, and the answer was no; record again, and choose what to share."
    )
}

extension ScreenCastOrder.Monitor {
    /// For `differs`.
    var mismatchSentence: String {
        "The desktop shows another monitor than \(name.printable(limit: 60)), since that was chosen in its dialog, and asks again next time; "
            + "choose \(name.printable(limit: 60)) there."
    }
}

extension ScreenCastSession.Error {
    var sentence: String {
        switch self {
        case .noLibrary:
            "Recording this desktop needs Debian's libsystemd0, which is not installed; install it."
        case .noBus:
            "There is no session bus on which the desktop could be asked for its screen; run inside a desktop session, where "
                + "DBUS_SESSION_BUS_ADDRESS is set."
        case .busLost:
            "The session bus went away, and with it the desktop's permission to record its screen; log in again."
        case .noPortal:
            "This desktop has no portal that shares its screen; install xdg-desktop-portal and the desktop's part of it "
                + "(xdg-desktop-portal-gnome, -kde or -wlr), and log in again."
        case .portalLost:
            "The desktop's portal went away or does not answer, so its screen cannot be recorded; record again, and log in again if "
                + "that does not help."
        case .notOffered(.monitor): "The desktop's portal shares no monitors; record a window."
        case .notOffered(.window): "The desktop's portal shares no windows; record a monitor."
        case .declined: VideoSourceError.screenCastDeclined.sentence
        case .interrupted(let step):
            "The desktop's portal gave up \(step.words) without a reason; record again, and see its log (journalctl --user) if "
                + "that does not help."
        case .refused(let step, let name, let message):
            "The desktop's portal refused \(step.words) (\(message.isEmpty ? name : message)); update xdg-desktop-portal, or record "
                + "again."
        case .malformed(let step, let reason):
            "The answer of the desktop's portal to \(step.words) cannot be understood (\(reason)); update xdg-desktop-portal."
        case .closed: "The desktop ended the request for its screen before it was answered; record again."
        }
    }
}

extension ScreenCastSession.Step {
    /// For the middle of a sentence.
    fileprivate var words: String {
        switch self {
        case .readProperties: "the question what it can do"
        case .findPortal: "the question who it is"
        case .createSession: "the request for a session"
        case .selectSources: "the choice of a source"
        case .start: "the request for the screen"
        case .openRemote: "the connection to PipeWire"
        }
    }
}
