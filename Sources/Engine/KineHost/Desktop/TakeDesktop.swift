// What a take shows on the desktop, and what it asks of it. The engine does this, since it outlives the app.
import KineDesktop
import KineMedia
import KinePlatform
import KineTake
import KineWire

/// Used by the main thread. Nothing here waits for the desktop.
final class TakeDesktop {
    let desktop: Desktop?
    /// Covers the screen while it is locked.
    let cover: ScreenCover
    private let isIndicated: Bool
    private var lock: ScreenLockStateMachine
    private var contents: IndicatorContents
    private var isRunning = false
    private var shown: Notification?
    private var inhibition: SleepInhibition?

    /// `inbox` brings what happens on the desktop to the main thread. `program`: the one that asked for the take, for its name where it
    /// gives none; nil: a person at the command line.
    init(
        _ configuration: TakeConfiguration, of program: PermissionSubject?, inbox: Inbox,
        addresses: BusAddresses = .find()
    ) {
        contents = IndicatorContents(configuration)
        contents.app = configuration.app ?? program.map { AppIdentity(identifier: $0.identifier) }
        isIndicated = configuration.isIndicated
        lock = ScreenLockStateMachine(configuration.whenLocked)
        let cover = ScreenCover(isKnown: !configuration.source.showsDesktop)
        self.cover = cover
        desktop = Desktop(addresses) { event in
            // At once: the main thread may be busy, and the lock screen is there already.
            if case .screenLocked(let isLocked) = event { cover.screenLocked(isLocked) }
            inbox.post(.desktop(event))
        }
        guard configuration.source.showsDesktop else { return }
        if let desktop { desktop.watchLock() } else { cover.screenLocked(false) }
    }

    /// The screen is locked, as the clients were told.
    var isLocked: Bool { lock.isLocked }

    var isThere: Bool { desktop != nil }

    /// Whether the person is to see what the take does.
    var isIndicatorWanted: Bool { isIndicated && contents.concernsPerson }

    /// Asks the person something; nil withdraws the question.
    func ask(_ question: Notification?) { desktop?.ask(question) }

    /// A client asks for a pause. Where a locked screen has paused the take already, unlocking does not end the pause
    /// any more.
    func takeOverPause() { _ = lock.takeOverPause() }

    /// What follows for the take from a change of the screen's lock, or from its own changes.
    func handle(_ event: ScreenLockStateMachine.Event) -> [ScreenLockStateMachine.Action] {
        defer { update { $0.contents.isCardShown = lock.isCardShown } }
        return lock.handle(event)
    }

    /// The first frame was captured.
    func began() { update { $0.isRunning = true } }
    func paused() { update { $0.contents.isPaused = true } }
    func resumed() { update { $0.contents.isPaused = false } }
    func shows(_ source: TakeConfiguration.Source) { update { $0.contents.source = source } }
    func microphone(isOn: Bool) { update { $0.contents.isMicrophoneOn = isOn } }
    func camera(isOn: Bool) { update { $0.contents.isCameraOn = isOn } }

    func destinations(_ statuses: [DestinationStatus]) {
        update { $0.contents.destinations = statuses.filter { $0.phase != .ended }.map(\.label) }
    }

    /// The take goes on without a file.
    func recordingEnded() { update { $0.contents.isRecorded = false } }

    /// Nothing is captured any more.
    func ended() { update { $0.isRunning = false } }

    private func update(_ change: (TakeDesktop) -> Void) {
        change(self)
        let wanted = isRunning && isIndicatorWanted ? contents.notification : nil
        if wanted != shown { desktop?.indicate(wanted) }
        shown = wanted
        let reason = isRunning && !contents.isPaused ? contents.inhibition : nil
        if reason != inhibition { desktop?.inhibitSleep(reason) }
        inhibition = reason
    }

    /// Takes everything back before the process ends. A desktop that does not answer gets a second.
    func leave() { desktop?.end(until: MonotonicClock.now() + 1_000_000_000) }
}
