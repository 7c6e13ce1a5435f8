// The app of a take, for the app itself and for a person.

/// An app's description of itself, in its `kinecast-app.json` or in code.
public struct AppIdentity: Codable, Sendable, Equatable {
    /// The same for all versions of the app, and for no other app: "org.example.Recorder".
    public var identifier: String
    /// The app's display name; nil: `identifier`.
    public var name: String?
    /// A file's absolute path, or a name in the desktop's icon theme.
    public var icon: String?
    /// The ID of the app's desktop file, without ".desktop", if it has one.
    public var desktopFile: String?
    /// The URL schemes that the app opens: "exampleapp" …
    public var urlSchemes: [String] = []
    /// The groups whose container the app shares with its extensions.
    public var groups: [String] = []
    /// The services that `kinecast-app.json` names for each group; the group has no others. An absent group names none.
    /// Not in messages: the engine reads the copy that the library keeps.
    public package(set) var groupServices: [String: [String]] = [:]

    private enum CodingKeys: CodingKey { case identifier, name, icon, desktopFile, urlSchemes, groups }

    public init(identifier: String, name: String? = nil) {
        self.identifier = identifier
        self.name = name
    }
}
