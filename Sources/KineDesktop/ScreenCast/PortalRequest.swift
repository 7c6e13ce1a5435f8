// A request to the portal, and its response. org.freedesktop.portal.Request.

/// What has come of a request. The response is a signal of the request's object, and may come before the call that made the object is
/// answered. The object has the path that its token gives; portals before 0.9 choose another one, which the answer tells.
struct PortalRequest: Sendable {
    /// Responses that are kept until the answer says whose they are.
    private static let mostEarly = 8

    private let expectedPath: String
    private var returnedPath: String?
    private var early: [(path: String, values: [BusValue])] = []

    init(expectedPath: String) { self.expectedPath = expectedPath }

    /// The request's path, as far as it is known.
    var path: String { returnedPath ?? expectedPath }

    /// The call is answered. Returns the response if it is there already.
    mutating func answered(path: String) -> [BusValue]? {
        returnedPath = path
        defer { early = [] }
        return early.first { isOwn($0.path) }?.values
    }

    /// A response is there. Returns it if it is this request's, and its call is answered.
    mutating func responded(path: String, _ values: [BusValue]) -> [BusValue]? {
        if returnedPath != nil { return isOwn(path) ? values : nil }
        if early.count < Self.mostEarly { early.append((path, values)) }
        return nil
    }

    private func isOwn(_ path: String) -> Bool { path == expectedPath || path == returnedPath }
}
