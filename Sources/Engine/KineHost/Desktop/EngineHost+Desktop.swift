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

// Connects a take's extensions with the desktop, and notifies the person of destinations that go live or end.
extension EngineHost {
    /// Notifies the person that a broadcast is live, or has ended without a request. The first has low urgency: its
    /// banner would be in the picture.
    func tellPerson(_ event: DestinationEvent, at now: Int64) {
        guard desktop?.isIndicatorWanted == true, let desktopServices else { return }
        switch event.kind {
        case .phase(.live) where liveDestinations.insert(event.destination).inserted:
            desktopServices.tell(
                "\(event.label): live", "The broadcast has begun.", destination: event.destination, urgency: .low,
                at: now)
        case .ended(let ending):
            guard let sentence = ending.sentence else { return }
            desktopServices.tell(
                "\(event.label): ended", sentence, destination: event.destination, urgency: .normal, at: now)
        default: break
        }
    }
}

extension DestinationEnding {
    /// For a notification; nil if the ending was requested.
    fileprivate var sentence: String? {
        switch self {
        case .finished: nil
        case .failed(let reason): reason
        case .crashed(let how): "Its program crashed (\(how))."
        case .memoryLimitExceeded(_, let limit): "Its program used more memory than its \(limit >> 20) MiB."
        case .stalled(let how): "Its program stopped working: it \(how)."
        }
    }
}
