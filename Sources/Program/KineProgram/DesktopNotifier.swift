// Notifications of what a program did, for what a person starts away from a terminal; and for --sounds.
import KineDesktop
import KineMedia
import KinePlatform
import KineText
import KineWire
import SystemPackage

/// Shows notifications, each in place of the one before. Without a session bus or a notification server, nothing is
/// shown, which is no error.
package final class DesktopNotifier: Sendable {
    /// Plain texts.
    package struct Contents: Equatable, Sendable {
        package var title: String
        package var text: String
        /// Asks the desktop for no banner, which would be in the picture of a running take.
        package var isQuiet: Bool

        package init(title: String, text: String = "", isQuiet: Bool = false) {
            (self.title, self.text, self.isQuiet) = (title, text, isQuiet)
        }
    }

    /// The time for the desktop to answer before this process ends, in nanoseconds.
    private static let timeout: Int64 = 2_000_000_000

    private let desktop: Desktop?

    /// Connects in a thread of its own.
    ///
    /// - Parameter bus: the address of the session bus; nil: there is none.
    package init(bus: String? = BusAddresses.find().session) {
        desktop = Desktop(BusAddresses(session: bus, system: nil)) { _ in }
    }

    /// - Parameters:
    ///   - sound: a name of the freedesktop.org sound naming specification; nil: no sound.
    ///   - isApart: whether it replaces, and is replaced by, only notifications of that kind.
    package func show(_ contents: Contents, sound: String? = nil, isApart: Bool = false) {
        var notification = Notification(
            sender: "Kinecast", icon: "media-record", title: contents.title.printable(limit: 200),
            text: contents.text.printable(limit: 1000), actions: [], urgency: contents.isQuiet ? .low : .normal,
            isResident: false)
        notification.staysUntilClosed = false
        if let sound { notification.sound = .named(sound) }
        desktop?.post(notification, number: isApart ? 2 : 1)
    }

    /// Returns when the desktop has answered, or after two seconds.
    package func end() { desktop?.end(until: MonotonicClock.now() + Self.timeout) }
}

extension DesktopNotifier.Contents {
    /// The words for a request that was carried out; nil: there is nothing to say.
    package static func done(_ request: ClientRequest, _ reply: EngineReply) -> Self? {
        switch (request, reply) {
        case (.pause, _): .paused(true)
        case (.resume, _): .paused(false)
        case (.setMicrophone(let isOn), _): .microphone(isOn: isOn)
        case (_, .marked(let chapter)): .marked(chapter)
        default: nil
        }
    }

    package static func problem(_ sentence: String) -> Self { Self(title: "Kinecast has a problem", text: sentence) }

    package static func recording(_ path: String) -> Self { Self(title: "Recording: \(name(path))", isQuiet: true) }

    package static func saved(_ path: String, _ duration: MediaTime, bytes: Int64, isQuiet: Bool = false) -> Self {
        let directory = FilePath(escaped: path).removingLastComponent()
        return Self(
            title: "Saved \(name(path))",
            text: "\(Quantity.length(duration)), \(Quantity.bytes(bytes)), in \(directory)", isQuiet: isQuiet)
    }

    package static func paused(_ isPaused: Bool) -> Self {
        Self(title: isPaused ? "Paused" : "Resumed", isQuiet: !isPaused)
    }

    package static func microphone(isOn: Bool) -> Self {
        Self(title: "Microphone \(isOn ? "on" : "off")", isQuiet: true)
    }

    package static func marked(_ chapter: Chapter) -> Self {
        Self(title: "Marked \(Quantity.clock(chapter.start)) as “\(chapter.title)”.", isQuiet: true)
    }

    private static func name(_ path: String) -> String {
        // By code points: as characters, "/" and an accent after it are one.
        path.unicodeScalars.split(separator: "/").last.map { String($0) } ?? path
    }
}
