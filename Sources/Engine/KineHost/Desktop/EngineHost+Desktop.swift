// Handles events of the desktop while a take runs.
import KineDesktop
import KineWire

extension EngineHost {
    func received(_ event: Desktop.Event, at now: Int64) {
        switch event {
        case .action(key: IndicatorContents.stop.key): handle(.stopRequested(.stoppedAtDesktop, at: now))
        case .action: break
        case .posted, .activated: desktopServices?.received(event, at: now)
        case .question(.shown): permission(.shownOnDesktop)
        case .question(.notShown): permission(.notOnDesktop)
        case .question(.closed): permission(.closed)
        case .question(.answered(let key)):
            permission(.answeredOnDesktop(isAllowed: key == PermissionQuestion.allow.key))
        case .lockLost:
            screenLock(.lockLost, at: now)
            let advice = machine.phase == .recording ? "pause it and resume it." : "resume it."
            clients.tellAll(
                .warning(
                    "The desktop's service for the screen's lock went away while the screen was locked; if the take does not "
                        + "go on once you have unlocked it, \(advice)"))
        case .screenLocked(let isLocked):
            screenLock(.lockChanged(isLocked: isLocked), at: now)
            desktop?.cover.settle()
            opened?.take.coverChanged()
        }
    }

    /// Handles a screen lock event, and carries out the actions for the take.
    func screenLock(_ event: ScreenLockStateMachine.Event, at now: Int64) {
        for action in desktop?.handle(event, at: now) ?? [] {
            switch action {
            case .announce(let isLocked):
                clients.tellAll(.screenLocked(isLocked))
                destinations?.request(.screenLockChanged(isLocked), at: now)
            case .pause: handle(.pauseRequested(at: now))
            case .resume: handle(.resumeRequested(at: now))
            case .uncover:
                desktop?.cover.uncover()
                opened?.take.coverChanged()
            }
        }
    }
}
