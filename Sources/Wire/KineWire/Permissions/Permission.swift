// A person's decisions about the apps that ask to capture.

/// A kind of a person's data that an app asks to capture.
public enum PermissionKind: String, Codable, Sendable, CaseIterable {
    /// The screen, or a part of it, with the machine's audio. A private screen or a pattern needs no permission.
    case screen
    case microphone
    case camera

    /// In words, for a sentence.
    public var words: String {
        switch self {
        case .screen: "the screen"
        case .microphone: "the microphone"
        case .camera: "the camera"
        }
    }

    /// "the screen, the microphone and the camera".
    public static func words(_ kinds: Set<PermissionKind>) -> String {
        let words = allCases.filter(kinds.contains).map(\.words)
        guard words.count > 1, let last = words.last else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }
}

/// A program that asks for permission, as the engine sees it.
public struct PermissionSubject: Codable, Sendable, Equatable, Hashable {
    /// The app's own name for itself, `AppIdentity.identifier`.
    public var identifier: String
    /// The path of its executable, with links resolved. A program with the same path and identifier is the same app,
    /// also after an update.
    public var executable: String

    public init(identifier: String, executable: String) {
        self.identifier = identifier
        self.executable = executable
    }
}

/// An app's open question to the person, for a program that shows it.
public struct PermissionInquiry: Codable, Sendable, Equatable {
    /// Counts the questions of an engine. An answer names it, so that a late one is not the next one's.
    public var number: Int
    /// The app's own name for itself, for a person.
    public var name: String
    public var subject: PermissionSubject
    /// In the order of `PermissionKind.allCases`.
    public var kinds: [PermissionKind]

    public init(number: Int, name: String, subject: PermissionSubject, kinds: [PermissionKind]) {
        (self.number, self.name, self.subject, self.kinds) = (number, name, subject, kinds)
    }
}

/// The decisions about one app, in the file and in `kinecast permissions --json`.
public struct AppPermissions: Codable, Sendable, Equatable {
    public enum Decision: String, Codable, Sendable {
        case granted, declined
    }

    private var identifier: String
    private var executable: String
    public var subject: PermissionSubject { PermissionSubject(identifier: identifier, executable: executable) }
    /// The app's name for a person; nil: the identifier.
    public var name: String?
    /// Nil: the person was not asked, or did not answer.
    public var screen: Decision?
    public var microphone: Decision?
    public var camera: Decision?
    /// The time of the last decision, in seconds since 1970.
    public var decided: Double

    init(subject: PermissionSubject, decided: Double) {
        (identifier, executable) = (subject.identifier, subject.executable)
        self.decided = decided
    }

    public subscript(kind: PermissionKind) -> Decision? {
        get {
            switch kind {
            case .screen: screen
            case .microphone: microphone
            case .camera: camera
            }
        }
        set {
            switch kind {
            case .screen: screen = newValue
            case .microphone: microphone = newValue
            case .camera: camera = newValue
            }
        }
    }

    public init(from decoder: any Decoder) throws {
        let entry = try decoder.container(keyedBy: CodingKeys.self)
        identifier = try entry.decode(String.self, forKey: .identifier)
        executable = try entry.decode(String.self, forKey: .executable)
        name = try entry.decodeIfPresent(String.self, forKey: .name)
        // An unknown decision of a later version is ignored: the person is asked.
        screen = try entry.decodeIfPresent(String.self, forKey: .screen).flatMap(Decision.init)
        microphone = try entry.decodeIfPresent(String.self, forKey: .microphone).flatMap(Decision.init)
        camera = try entry.decodeIfPresent(String.self, forKey: .camera).flatMap(Decision.init)
        decided = try entry.decodeIfPresent(Double.self, forKey: .decided) ?? 0
    }
}
