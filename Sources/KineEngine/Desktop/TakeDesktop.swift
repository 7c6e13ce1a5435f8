// What a take shows on the desktop, and what it asks of it. The engine does this, since it outlives the app.
import KineControl
import KineDesktop
import KinePlatform

/// Used by the main thread. Nothing here waits for the desktop.
final class TakeDesktop {
    private let desktop: Desktop?
    private let isIndicated: Bool
    private var contents: IndicatorContents
    private var isRunning = false
    private var shown: Notification?

    /// `inbox` brings what happens on the desktop to the main thread.
    init(_ configuration: TakeConfiguration, inbox: Inbox, addresses: BusAddresses = .find()) {
        contents = IndicatorContents(configuration)
        isIndicated = configuration.isIndicated
        desktop = Desktop(addresses) { inbox.post(.desktop($0)) }
    }

    /// The first frame was captured.
    func began() { update { $0.isRunning = true } }
    func paused() { update { $0.contents.isPaused = true } }
    func resumed() { update { $0.contents.isPaused = false } }
    func microphone(isOn: Bool) { update { $0.contents.isMicrophoneOn = isOn } }

    func destinations(_ statuses: [DestinationStatus]) {
        update { $0.contents.destinations = statuses.filter { $0.phase != .ended }.map(\.label) }
    }

    /// Nothing is captured any more.
    func ended() { update { $0.isRunning = false } }

    private func update(_ change: (TakeDesktop) -> Void) {
        change(self)
        let wanted = isRunning && isIndicated && contents.concernsPerson ? contents.notification : nil
        guard wanted != shown else { return }
        shown = wanted
        desktop?.indicate(wanted)
    }

    /// Takes everything back before the process ends. A desktop that does not answer gets a second.
    func leave() { desktop?.end(until: MonotonicClock.now() + 1_000_000_000) }
}
