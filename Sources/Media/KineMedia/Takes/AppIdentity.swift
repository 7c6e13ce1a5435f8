// Which app a take belongs to: so that the app finds it again, and a person sees whose it is.

/// An app as it describes itself, in its `kinecast-app.json` or in code.
public struct AppIdentity: Codable, Sendable, Equatable {
    /// The same for all versions of the app, and for no other: "org.example.Recorder".
    public var identifier: String
    /// The name that people know; nil: `identifier`.
    public var name: String?
    /// A file's absolute path, or a name in the desktop's icon theme.
    public var icon: String?
    /// The id of the app's desktop file, without ".desktop"; nil where it has none.
    public var desktopFile: String?
    /// Schemes of the addresses that the app opens: "exampleapp" …
    public var urlSchemes: [String] = []
    /// The groups whose container the app shares with its extensions.
    public var groups: [String] = []
    /// The services that `kinecast-app.json` names for its groups, which it then shares with no others; a group that is absent names
    /// none. It is in no message: the engine reads what the library has kept of it.
    public package(set) var groupServices: [String: [String]] = [:]

    private enum CodingKeys: CodingKey { case identifier, name, icon, desktopFile, urlSchemes, groups }

    public init(identifier: String, name: String? = nil) {
        self.identifier = identifier
        self.name = name
    }
}
