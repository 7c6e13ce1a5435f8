// The limits of requests to the desktop. Their words come from another program, and a person will read them.
import KinePlatform

extension NotificationContents {
    public static let titleLimit = 200
    public static let textLimit = 1000
    public static let identifierLimit = 100
    public static let actionLimit = 3
    public static let payloadLimit = 32
    /// Seconds.
    public static let longestDelay = 86400.0
    private static let buttonLimit = 40
    private static let payloadTextLimit = 1000

    /// The notification as a person may see it: each text on one line, without control characters and these secrets, and cut
    /// behind its limit. Throws where an identifier, a sound or the delay is none.
    ///
    /// - Parameters:
    ///   - secrets: texts that are left out.
    ///   - service: the name that stands in front of the title; nil: none.
    public func cleaned(of secrets: [String] = [], service: String? = nil) throws(DesktopFailure)
        -> NotificationContents
    {
        var shown = self
        shown.title = title.cleaned(of: secrets, limit: Self.titleLimit)
        if let service { shown.title = "\(service.printable(limit: 60)): \(shown.title)" }
        shown.text = text.cleaned(of: secrets, limit: Self.textLimit)
        guard identifier.isShortName(limit: Self.identifierLimit) else {
            throw DesktopFailure(
                .invalid, "A notification's identifier has 1 to 100 characters on one line; choose another.")
        }
        if let sound, !sound.isEmpty, !sound.isSoundName {
            throw DesktopFailure(
                .invalid, "A sound is a name of the sound theme, of small letters, digits and hyphens; choose another.")
        }
        guard delay >= 0, delay <= Self.longestDelay else {
            throw DesktopFailure(.invalid, "A notification's delay is at most a day; post it later.")
        }
        guard actions.count <= Self.actionLimit, Set(actions.map(\.identifier)).count == actions.count,
            // The desktop's own word for a click on the notification.
            actions.allSatisfy({
                $0.identifier.isShortName(limit: Self.identifierLimit) && $0.identifier != "default"
            })
        else {
            throw DesktopFailure(
                .invalid, "A notification has at most three actions, each with an identifier of its own but “default”.")
        }
        shown.actions = actions.map {
            Action(
                identifier: $0.identifier, title: $0.title.cleaned(of: secrets, limit: Self.buttonLimit))
        }
        guard payload.count <= Self.payloadLimit,
            payload.allSatisfy({ max($0.key.utf8.count, $0.value.utf8.count) <= Self.payloadTextLimit })
        else {
            throw DesktopFailure(.invalid, "A payload has at most 32 entries of 1000 bytes; keep the rest yourself.")
        }
        return shown
    }
}

extension String {
    fileprivate func isShortName(limit: Int) -> Bool { !isEmpty && utf8.count <= limit && isPrintable }

    /// A name as the sound naming specification has them. No file has such a name: it has neither a slash nor a dot.
    fileprivate var isSoundName: Bool {
        utf8.count <= 60 && utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
    }
}
