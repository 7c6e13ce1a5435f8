// Notifications of what a command did, for commands that a desktop's key runs, which have no terminal; and for --sounds.
import KineDesktop
import KineMedia
import KinePlatform
import KineText
import SystemPackage

/// Shows notifications, each in place of the one before. Without a session bus or a notification server, nothing is
/// shown, which is no error.
final class DesktopNotifier: Sendable {
    /// Plain texts.
    struct Contents: Equatable {
        var title: String
        var text = ""
    }

    /// The rule of `forKey`, for the help of options.
    static let rule =
        "For a key of the desktop: unless a terminal shows standard error, a notification says what was done, or why not."

    /// The time for the desktop to answer before this process ends, in nanoseconds.
    private static let timeout: Int64 = 2_000_000_000

    private let desktop: Desktop?

    /// Connects in a thread of its own.
    init() {
        desktop = Desktop(BusAddresses(session: BusAddresses.find().session, system: nil)) { _ in }
    }

    /// The notifier of a command that a key may have run; nil for other commands, if a person sees standard error, and
    /// if a program reads JSON.
    static func forKey() -> DesktopNotifier? { isByKey ? DesktopNotifier() : nil }

    /// Whether a key may have run this command.
    static var isByKey: Bool { isForKey(ProcessEnvironment.arguments) && !Terminal.standardError.isWatched }

    /// Whether the command of these arguments is one for keys.
    static func isForKey(_ arguments: [String]) -> Bool {
        let options = arguments.prefix { $0 != "--" }
        if options.contains("--json") { return false }
        return options.contains("--toggle") || ["clip", "mark"].contains(options.first)
    }

    /// Shows one notification if a key may have run this command. Returns when the desktop has answered.
    static func tell(_ contents: Contents, isQuiet: Bool = false) {
        guard let notifier = forKey() else { return }
        notifier.show(contents, isQuiet: isQuiet)
        notifier.end()
    }

    /// - Parameters:
    ///   - sound: a name of the freedesktop.org sound naming specification; nil: no sound.
    ///   - isQuiet: asks the desktop for no banner, which would be in the picture of a running take.
    func show(_ contents: Contents, sound: String? = nil, isQuiet: Bool = false) {
        var notification = Notification(
            sender: "Kinecast", icon: "media-record", title: contents.title.printable(limit: 200),
            text: contents.text.printable(limit: 1000), actions: [], urgency: isQuiet ? .low : .normal,
            isResident: false)
        notification.staysUntilClosed = false
        if let sound { notification.sound = .named(sound) }
        desktop?.post(notification, number: 1)
    }

    /// Returns when the desktop has answered, or after two seconds.
    func end() { desktop?.end(until: MonotonicClock.now() + Self.timeout) }
}

extension DesktopNotifier.Contents {
    static func problem(_ sentence: String) -> Self { Self(title: "Kinecast has a problem", text: sentence) }

    static func recording(_ path: String) -> Self { Self(title: "Recording: \(name(path))") }

    static func saved(_ path: String, _ duration: MediaTime, bytes: Int64) -> Self {
        let directory = FilePath(escaped: path).removingLastComponent()
        return Self(
            title: "Saved \(name(path))",
            text: "\(Quantity.length(duration)), \(Quantity.bytes(bytes)), in \(directory)")
    }

    private static func name(_ path: String) -> String {
        // By code points: as characters, "/" and an accent after it are one.
        path.unicodeScalars.split(separator: "/").last.map { String($0) } ?? path
    }
}
