// The messages between a client and a service's setup program, on the program's descriptor 3: the same frames as those of an extension.
// docs/extensions.md describes them for programs that do not use the library.
import KineMedia

/// From a client to a setup program.
public enum SetupRequest: Codable, ControlMessage, Equatable {
    /// The first message, once.
    case start(SetupStart)
    /// The answers to the question of that number, by the keys of its fields. A field that was left empty is absent.
    case answers([String: String], question: Int)
    /// Nothing comes of the setup. The program is to end, and is killed if it does not.
    case cancel
    /// One of a later version, by its name. Never sent.
    case unknown(String)

    public static func replacement(forUnknown name: String) -> SetupRequest? { .unknown(name) }
}

/// What a setup program has to know.
public struct SetupStart: Codable, Sendable, Equatable {
    /// The service's id.
    public var service: String
    /// The app that wants to broadcast, as it says of itself.
    public var app: AppIdentity

    public init(service: String, app: AppIdentity) {
        self.service = service
        self.app = app
    }
}

/// From a setup program to the client, which skips those that it does not know.
public enum SetupReport: Codable, ControlMessage, Equatable {
    /// Fields for the person. The next message is sent when the answers have come.
    case ask(SetupQuestion)
    /// An address that the person opens to log in, https only. The program sees itself when they have.
    case login(String)
    /// The setup is complete. The program ends.
    case finished(SetupResult)
    /// It cannot be completed; one sentence. The program ends.
    case failed(String)
}

/// Fields that the person is to fill in.
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

/// A field, with the keys that a setting has in a manifest of form 2.
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
    public var `default`: String?
    public var choices: [Choice]?
    public var minimum: Double?
    public var maximum: Double?
    public var whole: Bool?
    public var minimumLength: Int?
    public var maximumLength: Int?
    public var pattern: String?

    public init(key: String, title: String? = nil, type: Kind? = nil, required: Bool = false) {
        self.key = key
        self.title = title
        self.type = type
        self.required = required ? true : nil
    }
}

/// What a setup program has found out.
public struct SetupResult: Codable, Sendable, Equatable {
    /// For the extension, by the keys of the manifest's settings.
    public var setupInfo: [String: String]
    /// The address at which the broadcast can be watched. Nil where the extension tells it later, or where there is none.
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
