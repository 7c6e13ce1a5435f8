// The common part of the desktop's portals: org.freedesktop.portal.Request and org.freedesktop.portal.Session.

enum Portal {
    static let name = "org.freedesktop.portal.Desktop"
    static let path = "/org/freedesktop/portal/desktop"
    static let request = "org.freedesktop.portal.Request"
    static let session = "org.freedesktop.portal.Session"

    static let findOwner = BusDaemon.method("GetNameOwner", [.string(name)])

    /// The path of the request object for this token (org.freedesktop.portal.Request).
    ///
    /// - Parameter ownName: the unique name of the connection that makes the request.
    static func requestPath(_ token: String, of ownName: String) -> String {
        "\(path)/request/\(ownName.filter { $0 != ":" }.replacing(".", with: "_"))/\(token)"
    }
}

/// The calls of a state machine.
struct PortalCalls<Event: Sendable & Equatable>: Sendable {
    private let tokenPrefix: String
    private var tokenCount = 0
    /// The number of the last call: only its answer counts.
    private(set) var last = 0

    /// - Parameter tokenPrefix: the prefix of the tokens in paths; no other connection has it.
    init(tokenPrefix: String) { self.tokenPrefix = tokenPrefix }

    mutating func newToken() -> String {
        tokenCount += 1
        return "\(tokenPrefix)_\(tokenCount)"
    }

    mutating func call(_ call: BusCall) -> PortalAction<Event> {
        last += 1
        return .call(call, number: last)
    }

    /// Ignores an answer that is still to come.
    mutating func drop() { last += 1 }
}

/// A request to the portal, and its response. org.freedesktop.portal.Request.
///
/// The response is a signal of the request object, and may come before the answer to the call. The token determines the
/// object's path, but portals before 0.9 choose another path; the answer to the call has it.
struct PortalRequest: Sendable {
    /// The most responses to keep before the answer says which one belongs to this request.
    private static let mostEarly = 8

    private let expectedPath: String
    private var returnedPath: String?
    private var early: [(path: String, values: [BusValue])] = []

    init(expectedPath: String) { self.expectedPath = expectedPath }

    var path: String { returnedPath ?? expectedPath }

    /// Handles the answer to the call. Returns the response if it came before.
    mutating func answered(path: String) -> [BusValue]? {
        returnedPath = path
        defer { early = [] }
        return early.first { isOwn($0.path) }?.values
    }

    /// Handles a response. Returns it if it belongs to this request and the call was answered.
    mutating func responded(path: String, _ values: [BusValue]) -> [BusValue]? {
        if returnedPath != nil { return isOwn(path) ? values : nil }
        if early.count < Self.mostEarly { early.append((path, values)) }
        return nil
    }

    private func isOwn(_ path: String) -> Bool { path == expectedPath || path == returnedPath }
}
