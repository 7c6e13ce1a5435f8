// Checks for what a take does on the desktop. None of it is needed to record.
import KineDesktop
import KineMedia
import KinePlatform

extension Doctor {
    /// Nanoseconds for the desktop's answers.
    private static let patience: Int64 = 3_000_000_000

    static func desktop() -> [DoctorCheck] {
        desktop(DesktopSurvey.ask(.find(), until: MonotonicClock.now() + patience))
    }

    static func desktop(_ survey: DesktopSurvey) -> [DoctorCheck] {
        guard survey.hasLibrary else {
            return [.passed("desktop", "libsystemd0 is not installed, so takes neither show nor ask anything there")]
        }
        guard survey.hasSession || survey.hasSystem else {
            return [.passed("desktop", "there is no bus here, so takes neither show nor ask anything there")]
        }
        return [notifications(survey), lock(survey)]
    }

    private static func notifications(_ survey: DesktopSurvey) -> DoctorCheck {
        guard let name = survey.notifications?.printable(limit: 60) else {
            return .failed(
                "notifications", "nothing on this desktop shows what is captured",
                remedy: "start a notification daemon such as dunst, if somebody is to see it")
        }
        guard survey.capabilities.hasActions else {
            return .failed(
                "notifications", "\(name) shows what is captured, but no button that stops it",
                remedy: "use kinecast stop, or another notification daemon such as dunst")
        }
        return .passed("notifications", "\(name) shows what is captured, with a button that stops it")
    }

    private static func lock(_ survey: DesktopSurvey) -> DoctorCheck {
        let awake = survey.hasLogind ? "logind keeps the machine awake" : "logind does not answer"
        switch survey.isLocked {
        case nil:
            return .failed(
                "screen lock", "nobody says whether the screen is locked; \(awake)",
                remedy: "pause takes by hand before the screen is locked, or log in to a desktop with logind")
        case false: return .passed("screen lock", "takes pause while the screen is locked; \(awake)")
        case true: return .passed("screen lock", "the screen is locked; \(awake)")
        }
    }
}
