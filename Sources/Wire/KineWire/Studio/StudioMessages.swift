// The messages between the studio's server and the programs that open its windows: another `kinecast studio`, and an app
// that shows a sheet. A sheet is a window in which a person sets up the broadcast of one app, or sees its recording.
import KineMedia

/// A message to the studio's server.
public enum StudioMessage: Codable, ControlMessage, Equatable {
    /// Asks for a link to the studio, or to the recording with this absolute path. Answered by `StudioReply.link`, which answers
    /// apps' questions only if `kinecast-studio` itself asks, for a browser that it opens.
    case open(recording: String?, opensBrowser: Bool)
    /// Begins a sheet. Answered by the link of its window, or by `StudioReply.refused`. The connection then belongs to
    /// the sheet, and its end without `close` means that the app has ended.
    case present(SheetApp)
    /// Replaces the content of the sheet.
    case show(SheetPrompt)
    /// Ends the sheet.
    case close
    /// The progress of a task, from 0 to 1.
    case progress(task: Int, Double)
    /// The end of a task.
    case performed(task: Int, SheetOutcome)

    public static var protocolNumber: Int? { ControlProtocol.number }
}

/// A message from the studio's server.
public enum StudioReply: Codable, ControlMessage, Equatable {
    case link(StudioLink)
    /// There is no sheet; a sentence that says why, and what to do.
    case refused(String)
    /// The person's answer to the sheet's content, or the sheet's end.
    case answer(SheetAnswer)
    /// A request of the person about the recording. Answered by `StudioMessage.performed` with the same number.
    case perform(task: Int, SheetTask)
    /// The person has cancelled the task.
    case stop(task: Int)

    public static var protocolNumber: Int? { ControlProtocol.number }
}

/// A link for one window.
public struct StudioLink: Codable, Sendable, Equatable {
    /// `http://HOST:PORT/#TOKEN`, with `?sheet=ID` for a sheet.
    public var address: String
    /// The path of a file that leads to it, as `String(escaping:)`.
    public var file: String

    public init(address: String, file: String) {
        self.address = address
        self.file = file
    }
}

/// The app of a sheet, as it describes itself.
public struct SheetApp: Codable, Sendable, Equatable {
    public var identifier: String
    public var name: String

    public init(identifier: String, name: String) {
        self.identifier = identifier
        self.name = name
    }
}

/// The content of a sheet.
public enum SheetPrompt: Codable, Sendable, Equatable {
    /// Nothing is asked for.
    case waiting
    /// Answered by `SheetAnswer.service`. `isMicrophoneEnabled`: the state of the switch; nil: there is none.
    case choice([SheetService], isMicrophoneEnabled: Bool?)
    /// Answered by `SheetAnswer.values`.
    case form(SheetForm)
    /// An https address at which the person logs in to the service of that name.
    case login(service: String, address: String)
    /// Seconds until the broadcast begins.
    case countdown(Int)
    /// Answered by `SheetAnswer.finished`, after any number of `StudioReply.perform`.
    case recording(SheetRecording)
}

/// An app's finished recording.
public struct SheetRecording: Codable, Sendable, Equatable {
    /// The absolute path, as `String(escaping:)`.
    public var path: String
    /// Whether the file belongs to the person, and cannot be saved elsewhere by moving it.
    public var isSaved: Bool
    public var activities: [SheetActivity]

    public init(path: String, isSaved: Bool, activities: [SheetActivity]) {
        (self.path, self.isSaved, self.activities) = (path, isSaved, activities)
    }
}

/// A way to share a recording.
public struct SheetActivity: Codable, Sendable, Equatable {
    public var id: String
    public var title: String
    /// Whether the person has to give an address.
    public var takesAddress: Bool

    public init(id: String, title: String, takesAddress: Bool = false) {
        (self.id, self.title, self.takesAddress) = (id, title, takesAddress)
    }
}

/// Work on a recording, which the person requests and the app does. All paths are absolute.
public enum SheetTask: Codable, Sendable, Equatable {
    case share(activity: String, address: String?)
    /// Moves an unsaved recording to that path.
    case save(to: String, replacing: Bool)
    /// Writes the part between two times to that path; without one, the part takes the place of the recording.
    case trim(from: MediaTime, to: MediaTime, into: String?, replacing: Bool)
}

/// The end of a `SheetTask`.
public enum SheetOutcome: Codable, Sendable, Equatable {
    case done, cancelled
    /// A sentence for the person.
    case failed(String)
}

/// A service to choose.
public struct SheetService: Codable, Sendable, Equatable {
    public var id: String
    public var name: String
    public var rights: [SheetRight]
    /// True: its form may stay empty, and is shown only to a person who wants it.
    public var needsNothing: Bool?

    public init(id: String, name: String, rights: [SheetRight], needsNothing: Bool? = nil) {
        self.id = id
        self.name = name
        self.rights = rights
        self.needsNothing = needsNothing
    }
}

/// A right of a service. `subject`: the file, group or variable.
public struct SheetRight: Codable, Sendable, Equatable {
    public enum Kind: String, Codable, Sendable, CaseIterable {
        case connect, bindUDP, listen, read, group, environment
    }

    public var kind: Kind
    public var subject: String?

    public init(_ kind: Kind, _ subject: String? = nil) {
        self.kind = kind
        self.subject = subject
    }
}

/// Fields to fill in.
public struct SheetForm: Codable, Sendable, Equatable {
    /// The name of the service.
    public var service: String
    /// A sentence above the fields.
    public var message: String?
    public var fields: [SetupQuestionField]

    public init(service: String, message: String?, fields: [SetupQuestionField]) {
        self.service = service
        self.message = message
        self.fields = fields
    }
}

/// The person's answer. All but the first two end the sheet.
public enum SheetAnswer: Codable, Sendable, Equatable {
    case service(String, isMicrophoneEnabled: Bool)
    /// By the fields' keys, with the empty ones.
    case values([String: String])
    /// The person needs the recording's window no longer.
    case finished
    case cancelled
    case windowClosed
    /// No window has opened the link in time.
    case notShown
}
