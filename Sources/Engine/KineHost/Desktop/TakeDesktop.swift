// A take's use of the desktop: indicator, questions, lock and sleep. Part of the engine, since it outlives the app.
import KineCapture
import KineDesktop
import KineMedia
import KinePlatform
import KineTake
import KineWayland
import KineWire
import KineX11

/// Used by the main thread. No call waits for the desktop.
final class TakeDesktop {
    let desktop: Desktop?
    /// For the take's extensions, and for apps.
    let services: DesktopServices
    /// Covers the screen while it is locked.
    let cover: ScreenCover
    private let isIndicated: Bool
    private var lock: ScreenLockStateMachine
    private var contents: IndicatorContents
    /// Nanoseconds of the lock's earlier pauses, and the start of the present pause.
    private var (lockPauses, lockPauseStart): (Int64, Int64?) = (0, nil)
    private var isRunning = false
    /// The destinations that were announced as live.
    private var liveDestinations: Set<Int> = []
    private var shown: Notification?
    private var inhibition: SleepInhibition?
    private var idleSuspension: X11IdleSuspension?
    private var idleInhibition: WaylandIdleInhibition?
    private var lockWatch: X11LockWatch?

    /// `inbox` passes the desktop's events to the main thread. `program`: the program that started the take, for its
    /// name; nil: a person at the command line.
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
        let reports = LockReports { isLocked in
            // At once: the main thread may be busy while the lock screen is visible.
            cover.screenLocked(isLocked)
            inbox.post(.desktop(.screenLocked(isLocked)))
        }
        let desktop = Desktop(addresses) { event in
            if case .screenLocked(let isLocked) = event {
                reports.report(isLocked, by: .desktop)
            } else {
                inbox.post(.desktop(event))
            }
        }
        self.desktop = desktop
        services = DesktopServices(app: configuration.app, desktop: desktop) { inbox.post(.desktopService($0)) }
        guard configuration.source.showsDesktop else { return }
        lockWatch = X11LockWatch { reports.report($0, by: .x11) }
        if let desktop { desktop.watchLock() } else { cover.screenLocked(false) }
    }

    /// The last lock state that was sent to the clients.
    var isLocked: Bool { lock.isLocked }

    var isThere: Bool { desktop != nil }

    var isIndicatorWanted: Bool { isIndicated && contents.concernsPerson }

    /// Asks the person a question; nil withdraws it.
    func ask(_ question: Notification?) { desktop?.ask(question) }

    /// A client requests a pause: the take stays paused after the screen is unlocked.
    func takeOverPause(at now: Int64) {
        _ = lock.takeOverPause()
        timeLock(at: now)
    }

    /// Handles a change of the screen's lock or of the take; returns the actions for the take.
    func handle(_ event: ScreenLockStateMachine.Event, at now: Int64) -> [ScreenLockStateMachine.Action] {
        defer {
            update { $0.contents.isCardShown = lock.isCardShown }
            timeLock(at: now)
        }
        return lock.handle(event)
    }

    /// Nanoseconds of pauses by the screen's lock until `now`.
    func pausedByLock(at now: Int64) -> Int64 { lockPauses + (lockPauseStart.map { now - $0 } ?? 0) }

    private func timeLock(at now: Int64) {
        if lock.isPausing {
            lockPauseStart = lockPauseStart ?? now
        } else {
            (lockPauses, lockPauseStart) = (pausedByLock(at: now), nil)
        }
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

    /// The take continues without a file.
    func recordingEnded() { update { $0.contents.isRecorded = false } }

    func ended() { update { $0.isRunning = false } }

    private func update(_ change: (TakeDesktop) -> Void) {
        change(self)
        let wanted = isRunning && isIndicatorWanted ? contents.notification : nil
        if wanted != shown { desktop?.indicate(wanted) }
        shown = wanted
        let reason = isRunning && !contents.isPaused ? contents.inhibition : nil
        if reason != inhibition {
            desktop?.inhibitSleep(reason)
            let keepsScreenOn = reason?.keepsScreenOn == true
            idleSuspension = keepsScreenOn ? X11IdleSuspension() : nil
            idleInhibition = keepsScreenOn ? WaylandIdleInhibition { WaylandSession.compositor } : nil
        }
        inhibition = reason
    }

    /// Notifies the person that a broadcast is live, or has ended without a request. The first has low urgency: its
    /// banner would be in the picture.
    func tell(_ event: DestinationEvent, at now: Int64) {
        guard isIndicatorWanted else { return }
        switch event.kind {
        case .phase(.live) where liveDestinations.insert(event.destination).inserted:
            services.tell(
                "\(event.label): live", "The broadcast has begun.", destination: event.destination, urgency: .low,
                at: now)
        case .ended(let ending):
            guard let sentence = ending.sentence else { return }
            services.tell(
                "\(event.label): ended", sentence, destination: event.destination, urgency: .normal, at: now)
        default: break
        }
    }

    /// Removes everything from the desktop before the process ends. Waits at most one second.
    func leave() { desktop?.end(until: MonotonicClock.now() + 1_000_000_000) }
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
