// The common part of the desktop's portals: org.freedesktop.portal.Request and org.freedesktop.portal.Session.

enum Portal {
    static let name = "org.freedesktop.portal.Desktop"
    static let path = "/org/freedesktop/portal/desktop"
    static let request = "org.freedesktop.portal.Request"
    static let session = "org.freedesktop.portal.Session"

    static let findOwner = BusDaemon.method("GetNameOwner", [.string(name)])

    /// The path of the request object for this token (org.freedesktop.portal.Request). The response is a signal of that
    /// object, and may come before the answer to the call. Portals before 0.9 chose another path; Debian 12 has 1.16.
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
