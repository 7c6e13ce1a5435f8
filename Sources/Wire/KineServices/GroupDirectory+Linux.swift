// The directories that groups share: `kinecast/groups/ID` in `$XDG_DATA_HOME`. Linux.
import SystemPackage

public enum GroupDirectory {
    /// The name of the directory, inside a group's directory, for files of the members' library.
    public static let internals = ".kinecast"

    /// A group's directory. Creates it if it is missing; only its owner may enter it.
    ///
    /// - Parameter environment: `NAME=value` entries of the asking process; nil: this process's.
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
