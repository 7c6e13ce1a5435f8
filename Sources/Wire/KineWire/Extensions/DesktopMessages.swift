// The requests of an app or an extension to the desktop, and their answers. An extension sends these on its control channel, an app
// to `kinecast-engine --desktop`.
import FoundationEssentials
import KineText

/// A request to the desktop.
public struct DesktopRequest: Codable, Sendable, Equatable, ControlMessage {
    /// The answer repeats it.
    public var number: Int
    public var task: DesktopTask

    public init(number: Int, task: DesktopTask) {
        self.number = number
        self.task = task
    }

    private enum CodingKeys: CodingKey { case number, task }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        number = try container.decode(Int.self, forKey: .number)
        // A task of a later version must be answered, or its sender would wait for ever.
        task = (try? container.decode(DesktopTask.self, forKey: .task)) ?? .unknown
    }
}

public enum DesktopTask: Codable, Sendable, Equatable {
    case post(NotificationContents)
    /// Withdraws a notification, shown or pending.
    case withdraw(identifier: String)
    /// Opens the app of the take, or raises its window. `token`: the one of the click that caused this, if any.
    case activateApp(token: String?)
    /// Puts a text on the clipboard for the members of a group.
    case setText(PasteboardText, group: String)
    /// Requests the text that a member of the group has put on the clipboard.
    case text(group: String)
    /// A task of a later version. Never sent.
    case unknown
}

/// A notification. Its texts are plain.
public struct NotificationContents: Codable, Sendable, Equatable {
    public struct Action: Codable, Sendable, Equatable {
        public var identifier: String
        public var title: String

        public init(identifier: String, title: String) {
            self.identifier = identifier
            self.title = title
        }
    }

    /// Replaces the same sender's notification with the same identifier.
    public var identifier: String
    public var title: String
    public var text: String
    /// A name of the freedesktop.org sound naming specification; "": the desktop's own choice; nil: no sound.
    public var sound: String?
    /// Returned to the sender when the person opens the notification.
    public var payload: [String: String]
    /// In seconds.
    public var delay: Double
    public var actions: [Action]

    public init(
        identifier: String, title: String, text: String = "", sound: String? = nil, payload: [String: String] = [:],
        delay: Double = 0, actions: [Action] = []
    ) {
        self.identifier = identifier
        self.title = title
        self.text = text
        self.sound = sound
        self.payload = payload
        self.delay = delay
        self.actions = actions
    }
}

/// A text for the clipboard. Its JSON is base64: the length does not depend on the characters.
public struct PasteboardText: Codable, Sendable, Equatable {
    /// The most bytes of UTF-8; the text then fits into a message.
    public static let limit = 512 << 10

    private var data: Data

    public init(_ text: String) { data = Data(text.utf8) }

    public var text: String { String(decoding: data, as: UTF8.self) }
    public var byteCount: Int { data.count }
}

/// The answer to a request, or a person's action.
public enum DesktopAnswer: Codable, Sendable, Equatable, ControlMessage {
    case done(number: Int)
    /// The clipboard's text; nil if it is not that group's.
    case text(PasteboardText?, number: Int)
    case failed(DesktopFailure, number: Int)
    /// The person has clicked on a notification or pressed one of its buttons. Answers no request.
    case activated(NotificationActivation)

    /// The number of the answered request.
    public var number: Int? {
        switch self {
        case .done(let number), .text(_, let number), .failed(_, let number): number
        case .activated: nil
        }
    }
}

/// The reason why a request failed.
public struct DesktopFailure: Codable, Sendable, Equatable, Error {
    public enum Code: String, Codable, Sendable {
        /// The desktop does not support the request.
        case unavailable
        /// Too many requests in a short time.
        case tooMany
        /// The request breaks a rule.
        case invalid
        /// The sender is not a member of the group.
        case notMember
        /// The app could not be opened, and a notification tells the person so.
        case personTold
        /// The desktop refused or did not answer.
        case failed

        public init(from decoder: any Decoder) throws {
            self = Code(rawValue: try String(from: decoder)) ?? .failed
        }
    }

    public var code: Code
    /// One sentence: what happened, and what to do.
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// A click on a notification.
public struct NotificationActivation: Codable, Sendable, Equatable {
    public var identifier: String
    /// The button's identifier; nil: the notification itself.
    public var action: String?
    public var payload: [String: String]
    /// The desktop's permission to come to the front, for XDG_ACTIVATION_TOKEN.
    public var token: String?

    public init(identifier: String, action: String? = nil, payload: [String: String] = [:], token: String? = nil) {
        self.identifier = identifier
        self.action = action
        self.payload = payload
        self.token = token
    }
}

// The limits of requests to the desktop. Their texts come from another program, and a person will read them.
extension NotificationContents {
    public static let titleLimit = 200
    public static let textLimit = 1000
    public static let identifierLimit = 100
    public static let actionLimit = 3
    public static let payloadLimit = 32
    /// In seconds.
    public static let longestDelay = 86400.0
    private static let buttonLimit = 40
    private static let payloadTextLimit = 1000

    /// The notification in a form for a person: each text on one line, without control characters and these secrets,
    /// and cut to its limit. Throws if an identifier, a sound or the delay is invalid.
    ///
    /// - Parameters:
    ///   - secrets: texts to remove.
    ///   - service: the name to put before the title, if any.
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
            // "default" is the desktop's name for a click on the notification itself.
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

    /// A name in the form of the sound naming specification. It cannot be a path: it has neither a slash nor a dot.
    fileprivate var isSoundName: Bool {
        utf8.count <= 60 && utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
    }
}
