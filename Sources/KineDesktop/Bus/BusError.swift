// What goes wrong on a bus. None of it ends a take: the desktop is a courtesy, and without one there is none.
import SystemPackage

/// The failure of a call, or of the connection.
public enum BusError: Error, Equatable, Sendable {
    /// libsystemd is not installed.
    case noLibrary
    /// The environment names no bus, or nobody listens there.
    case unreachable(Errno)
    /// The other side answered with an error; its name, such as `org.freedesktop.DBus.Error.AccessDenied`, and its words.
    case refused(name: String, message: String)
    /// A call of libsystemd failed.
    case system(call: String, Errno)
    /// A message whose values are nested too deeply, or are of a type that the specification does not have.
    case malformed
    /// The connection has ended.
    case closed
}
