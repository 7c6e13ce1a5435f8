// Reads the common part of all portals' answers. Any program can own the portal's name on the bus, so everything is
// checked.
import KineText

enum PortalAnswers {
    private static let longestPath = 1024

    /// Reads the answer of `GetNameOwner`: a unique name.
    static func owner(_ values: [BusValue]) throws(PortalError) -> String {
        guard values.count == 1, case .string(let name) = values[0], name.hasPrefix(":") else {
            throw wrongTypes(values)
        }
        return name
    }

    /// Checks the answer of the methods that begin a request: its path, which follows from the request's token since version 0.9
    /// (org.freedesktop.portal.Request). A response from another path would never be recognized.
    static func checkRequest(_ values: [BusValue], at path: String) throws(PortalError) {
        guard values.count == 1, case .objectPath(let own) = values[0] else { throw wrongTypes(values) }
        guard own == path else { throw .malformed("\(own.printable(limit: 100)) is not the path of its request") }
    }

    /// Reads the signal of a request.
    static func response(_ values: [BusValue]) throws(PortalError) -> (code: UInt32, results: [String: BusValue]) {
        guard values.count == 2, let code = values[0].asUInt32, let results = values[1].asProperties else {
            throw wrongTypes(values)
        }
        return (code, results)
    }

    /// Reads the results of `CreateSession`. Portals send the path as a string.
    static func session(_ results: [String: BusValue]) throws(PortalError) -> String {
        guard let path = results["session_handle"]?.asString else {
            throw .malformed("the session's path is missing")
        }
        return try checked(path)
    }

    /// D-Bus Specification, "Valid Object Paths".
    private static func checked(_ path: String) throws(PortalError) -> String {
        guard path.utf8.count <= longestPath, path.hasPrefix("/"), !path.hasSuffix("/"), !path.contains("//"),
            path.percentEncoded(except: "_/") == path
        else { throw .malformed("\(path.printable(limit: 100)) is no object's path") }
        return path
    }

    static func wrongTypes(_ values: [BusValue]) -> PortalError {
        .malformed("it has the type (\(values.map(\.type).joined().printable(limit: 100)))")
    }
}
