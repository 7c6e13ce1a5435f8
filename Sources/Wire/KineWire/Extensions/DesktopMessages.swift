// The requests of an app or an extension to the desktop, and their answers. An extension sends these on its control channel, an app
// to `kinecast-engine --desktop`.
import FoundationEssentials

/// Something to be done on the desktop.
public struct DesktopRequest: Codable, Sendable, Equatable, ControlMessage {
    /// Repeated by the answer.
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
        // A task of a later version is answered, or its sender would wait for ever.
        task = (try? container.decode(DesktopTask.self, forKey: .task)) ?? .unknown
    }
}

public enum DesktopTask: Codable, Sendable, Equatable {
    case post(NotificationContents)
    /// Takes back a notification, shown or pending.
    case withdraw(identifier: String)
    /// Opens the app that the take belongs to, or has its window raised. `token`: that of the click which is the reason.
    case activateApp(token: String?)
    /// Puts a text on the clipboard for the members of a group.
    case setText(PasteboardText, group: String)
    /// Asks for the text that a member of the group has put there.
    case text(group: String)
    /// One of a later version. Never sent.
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

    /// One of the same sender with the same identifier replaces it.
    public var identifier: String
    public var title: String
    public var text: String
    /// A name of the freedesktop.org sound naming specification; "": the desktop's own choice; nil: no sound.
    public var sound: String?
    /// Only for the sender, when the person opens the notification.
    public var payload: [String: String]
    /// Seconds.
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
    /// The most bytes of UTF-8, so that the text fits in a message.
    public static let limit = 512 << 10

    private var data: Data

    public init(_ text: String) { data = Data(text.utf8) }

    public var text: String { String(decoding: data, as: UTF8.self) }
    public var byteCount: Int { data.count }
}

/// The answer to a request, or what the person has done.
public enum DesktopAnswer: Codable, Sendable, Equatable, ControlMessage {
    case done(number: Int)
    /// The clipboard's text; nil: it is not that group's.
    case text(PasteboardText?, number: Int)
    case failed(DesktopFailure, number: Int)
    /// The person has clicked on a notification or pressed one of its buttons. Answers no request.
    case activated(NotificationActivation)

    /// The number of the request that is answered.
    public var number: Int? {
        switch self {
        case .done(let number), .text(_, let number), .failed(_, let number): number
        case .activated: nil
        }
    }
}

/// The reason why something was not done.
public struct DesktopFailure: Codable, Sendable, Equatable, Error {
    public enum Code: String, Codable, Sendable {
        /// The desktop has nothing that does it.
        case unavailable
        /// Too many in a short time.
        case tooMany
        /// The request breaks a rule.
        case invalid
        /// The sender is no member of the group.
        case notMember
        /// The app could not be opened, and the person was told by a notification.
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
    /// The button's; nil: the notification itself.
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
