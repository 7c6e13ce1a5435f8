// Notifications about the take of this process, with the sounds of --sounds. The desktop plays a notification's sound,
// so no library for audio is needed.
import KineClient
import KineMedia
import KineWire

/// Used on the main thread.
final class TakeNotifications {
    // Names of the freedesktop.org sound naming specification, for which every sound theme has a sound.
    static let startSound = "device-added"
    static let endSound = "complete"

    private let notifier: DesktopNotifier
    private let isBroadcast: Bool
    private var hasStarted = false

    /// Nil if the take has none.
    init?(_ configuration: TakeConfiguration, sounds: Bool) {
        guard sounds else { return nil }
        notifier = DesktopNotifier()
        isBroadcast = !configuration.destinations.isEmpty
    }

    /// A second before the take begins, so that the sound is over then.
    func announce() {
        notifier.show(
            .init(title: isBroadcast ? "The broadcast begins" : "The recording begins"), sound: Self.startSound,
            isQuiet: true)
    }

    func report(_ event: SessionEvent) {
        switch event {
        case .started: hasStarted = true
        case .ended(let outcome) where hasStarted: notifier.show(outcome.notification, sound: Self.endSound)
        default: break
        }
    }

    /// As `DesktopNotifier.end`.
    func end() { notifier.end() }
}

extension TakeOutcome {
    /// The outcome for a person who sees no terminal.
    var notification: DesktopNotifier.Contents {
        if let problem { return .problem(problem) }
        guard let summary else { return .init(title: "The take has ended") }
        let progress = summary.progress
        guard let output = summary.output, output != TakeConfiguration.standardOutput else {
            return .init(title: "The take has ended", text: Quantity.length(progress.duration))
        }
        return .saved(output, progress.duration, bytes: progress.bytes)
    }
}
