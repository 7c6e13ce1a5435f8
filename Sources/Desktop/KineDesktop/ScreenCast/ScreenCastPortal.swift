// The names and calls of the desktop's portal for screen casts. org.freedesktop.portal.ScreenCast, version 5, with
// org.freedesktop.portal.Request and org.freedesktop.portal.Session.

/// The properties of a portal's interface.
struct ScreenCastOffer: Sendable, Equatable {
    /// Sessions can be restored.
    static let firstVersionWithTokens: UInt32 = 4

    var version: UInt32
    var sourceTypes: UInt32
    var cursorModes: UInt32

    /// The mode to request; nil: requests none, and the portal then hides the cursor.
    func cursorMode(showsCursor: Bool) -> CursorMode? {
        let wanted: [CursorMode] = showsCursor ? [.metadata, .embedded] : [.hidden, .metadata]
        return wanted.first { cursorModes & $0.flag != 0 }
    }
}

/// A running portal, and its calls.
struct ScreenCastPortal: Sendable, Equatable {
    static let name = "org.freedesktop.portal.Desktop"
    static let path = "/org/freedesktop/portal/desktop"
    static let screenCast = "org.freedesktop.portal.ScreenCast"
    static let request = "org.freedesktop.portal.Request"
    static let session = "org.freedesktop.portal.Session"

    /// The unique name of the portal's connection. Calls use it: a call to the well-known name could start another
    /// portal after this one has ended, and that portal does not know the session.
    let owner: String
    let offer: ScreenCastOffer
    /// This connection's unique name in the form for paths.
    private let sender: String

    /// - Parameter ownName: the unique name of this connection.
    init(owner: String, offer: ScreenCastOffer, ownName: String) {
        self.owner = owner
        self.offer = offer
        sender = ownName.filter { $0 != ":" }.replacing(".", with: "_")
    }

    static let readProperties = BusCall(
        name, path: path, interface: "org.freedesktop.DBus.Properties", "GetAll", [.string(screenCast)])
    static let findPortal = BusDaemon.method("GetNameOwner", [.string(name)])

    /// The path of the request object for this token (org.freedesktop.portal.Request).
    func requestPath(_ token: String) -> String { "\(Self.path)/request/\(sender)/\(token)" }

    func createSession(token: String, sessionToken: String) -> BusCall {
        call(
            "CreateSession",
            [.properties(["handle_token": .string(token), "session_handle_token": .string(sessionToken)])])
    }

    /// - Parameter restoreToken: only for a portal of `firstVersionWithTokens`.
    func selectSources(
        _ request: ScreenCastRequest, of session: String, restoreToken: String?, token: String
    ) -> BusCall {
        var options: [String: BusValue] = [
            "handle_token": .string(token), "types": .uint32(request.target.sourceType), "multiple": .boolean(false),
        ]
        if let mode = offer.cursorMode(showsCursor: request.showsCursor) {
            options["cursor_mode"] = .uint32(mode.flag)
        }
        if offer.version >= ScreenCastOffer.firstVersionWithTokens {
            options["persist_mode"] = .uint32(2)  // until the person revokes it
            options["restore_token"] = restoreToken.map(BusValue.string)
        }
        return call("SelectSources", [.objectPath(session), .properties(options)])
    }

    func start(_ session: String, token: String) -> BusCall {
        // The dialog has no parent window.
        call("Start", [.objectPath(session), .string(""), .properties(["handle_token": .string(token)])])
    }

    func openRemote(_ session: String) -> BusCall {
        call("OpenPipeWireRemote", [.objectPath(session), .properties([:])])
    }

    /// Cancels a request: its dialog closes.
    func closeRequest(_ path: String) -> BusCall { BusCall(owner, path: path, interface: Self.request, "Close") }

    func closeSession(_ path: String) -> BusCall { BusCall(owner, path: path, interface: Self.session, "Close") }

    private func call(_ member: String, _ arguments: [BusValue]) -> BusCall {
        BusCall(owner, path: Self.path, interface: Self.screenCast, member, arguments)
    }
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

    /// The path that the portal returned, else the expected one.
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
