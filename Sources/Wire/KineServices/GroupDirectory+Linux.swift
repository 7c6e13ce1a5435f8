// The directories that groups share: `kinecast/groups/ID` in `$XDG_DATA_HOME`. Linux.
import SystemPackage

public enum GroupDirectory {
    /// The name, in a group's directory, of the directory with what the members' library keeps there.
    public static let internals = ".kinecast"

    /// A group's directory. Where it is missing, it is made so that its owner alone may enter it.
    ///
    /// - Parameter environment: of the process that asks, as `NAME=value`; nil: this one's.
    public static func make(
        for group: String, environment: [String]? = nil
    ) throws(UserDataDirectory.Error) -> FilePath {
        precondition(group.isServiceID, "that is no identifier of a group")
        for name in ["defaults", "notifications", "work"] {
            _ = try UserDataDirectory.make(["groups", group, internals, name], environment: environment)
        }
        return try UserDataDirectory.make(["groups", group], environment: environment)
    }
}
