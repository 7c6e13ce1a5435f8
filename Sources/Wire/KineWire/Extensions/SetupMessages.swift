// The messages between a client and a service's setup program, on the program's descriptor 3, with the same frames as
// an extension's. docs/extensions.md describes them for programs that do not use the library.
import KineMedia

/// A message from a client to a setup program.
public enum SetupRequest: Codable, ControlMessage, Equatable {
    /// The first message, once.
    case start(SetupStart)
    /// The answers to the question with that number, by field key. A field that was left empty is absent.
    case answers([String: String], question: Int)
    /// The setup is cancelled. The program must end, or it is killed.
    case cancel
    /// A request of a later version, by its name. Never sent.
    case unknown(String)

    public static func replacement(forUnknown name: String) -> SetupRequest? { .unknown(name) }
}

/// The data that a setup program starts with.
public struct SetupStart: Codable, Sendable, Equatable {
    /// The service's id.
    public var service: String
    /// The app that wants to broadcast, as it identifies itself.
    public var app: AppIdentity

    public init(service: String, app: AppIdentity) {
        self.service = service
        self.app = app
    }
}

/// A message from a setup program to the client, which skips unknown ones.
public enum SetupReport: Codable, ControlMessage, Equatable {
    /// Fields for the person. Send the next message only after the answers.
    case ask(SetupQuestion)
    /// An https address that the person opens to log in. The program finds out when the login is complete.
    case login(String)
    /// The setup is complete. The program ends.
    case finished(SetupResult)
    /// The setup cannot be completed; one sentence. The program ends.
    case failed(String)
}

/// Fields for the person to fill in.
public struct SetupQuestion: Codable, Sendable, Equatable {
    /// 1 for the first question, 2 for the second …
    public var question: Int
    /// A sentence above the fields.
    public var message: String?
    public var fields: [SetupQuestionField]

    public init(question: Int, message: String? = nil, fields: [SetupQuestionField]) {
        self.question = question
        self.message = message
        self.fields = fields
    }
}

/// A field, with the keys of a setting in a manifest of format version 2.
public struct SetupQuestionField: Codable, Sendable, Equatable {
    public enum Kind: String, Codable, Sendable {
        case text, secret, choice, number
    }

    public struct Choice: Codable, Sendable, Equatable {
        public var value: String
        public var title: String?

        public init(value: String, title: String? = nil) {
            self.value = value
            self.title = title
        }
    }

    public var key: String
    public var title: String?
    public var type: Kind?
    public var required: Bool?
    public var hint: String?
    public var advanced: Bool?
    public var `default`: String?
    public var choices: [Choice]?
    public var minimum: Double?
    public var maximum: Double?
    public var whole: Bool?
    public var minimumLength: Int?
    public var maximumLength: Int?
    public var pattern: String?
    public var format: String?

    public init(key: String, title: String? = nil, type: Kind? = nil, required: Bool = false) {
        self.key = key
        self.title = title
        self.type = type
        self.required = required ? true : nil
    }
}

/// The result of a setup program.
public struct SetupResult: Codable, Sendable, Equatable {
    /// The settings for the extension, by the keys of the manifest.
    public var setupInfo: [String: String]
    /// The address at which the broadcast can be watched; nil if unknown, or if the extension reports it later.
    public var broadcastURL: String?

    public init(setupInfo: [String: String], broadcastURL: String? = nil) {
        self.setupInfo = setupInfo
        self.broadcastURL = broadcastURL
    }
}

/// The client's end: reports come in, requests go out.
public typealias SetupClientConnection = ControlConnection<SetupReport, SetupRequest>
/// The setup program's end.
public typealias SetupProgramConnection = ControlConnection<SetupRequest, SetupReport>
