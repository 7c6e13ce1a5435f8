// Notifications about the take of this process: of a toggle, which has no terminal, and with the sounds of --sounds.
// The desktop plays a notification's sound, so no library for audio is needed.
import KineClient
import KineMedia
import KinePlatform
import KineProgram
import KineWire

/// Used on the main thread.
final class TakeNotifications {
    // Names of the freedesktop.org sound naming specification that its own sound theme has.
    static let startSound = "device-added"
    static let endSound = "complete"

    private let notifier: DesktopNotifier
    /// Whether a key began the take; otherwise only the sounds are wanted.
    private let isForKey: Bool
    private let sounds: Bool
    private var hasStarted = false

    /// Nil if the take has no notifications.
    init?(sounds: Bool) {
        let forKey = DesktopNotifier.forKey()
        guard let notifier = forKey ?? (sounds ? DesktopNotifier() : nil) else { return nil }
        self.notifier = notifier
        isForKey = forKey != nil
        self.sounds = sounds
    }

    /// Called a second before the take begins, so that the sound has ended by then.
    func announce() {
        if sounds { notifier.show(.init(title: "The take begins", isQuiet: true), sound: Self.startSound) }
    }

    /// The person has cancelled the take, so that is no problem.
    func countdownCancelled() {
        if isForKey { notifier.show(.init(title: "The countdown is cancelled")) }
    }

    func report(_ event: SessionEvent) {
        switch event {
        case .engine(.started(let take)):
            hasStarted = true
            if isForKey, let file = take.file { notifier.show(.recording(file)) }
        case .ended(let outcome) where isForKey || hasStarted:
            notifier.show(outcome.notification, sound: sounds && hasStarted ? Self.endSound : nil)
        default: break
        }
    }

    func end() { notifier.end() }
}

extension TakeOutcome {
    /// The outcome for a person who sees no terminal.
    var notification: DesktopNotifier.Contents {
        if case .failed(let failure) = self, failure.exitStatus == ExitStatus.noPermission {
            // A person's answer: a dialog that they declined, or a region that they did not draw.
            return .init(title: "Nothing is recorded", text: failure.sentence)
        }
        if let problem { return .problem(problem) }
        guard let summary else { return .init(title: "The take has ended") }
        let progress = summary.progress
        guard let output = summary.output, output != TakeConfiguration.standardOutput else {
            return .init(title: "The take has ended", text: Quantity.length(progress.duration))
        }
        return .saved(output, progress.duration, bytes: progress.bytes)
    }
}
