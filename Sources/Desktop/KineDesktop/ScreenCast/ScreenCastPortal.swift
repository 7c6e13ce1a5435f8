// The names and calls of the desktop's portal for screen casts. org.freedesktop.portal.ScreenCast, version 5.

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
    static let screenCast = "org.freedesktop.portal.ScreenCast"

    /// The unique name of the portal's connection. Calls use it: a call to the well-known name could start another
    /// portal after this one has ended, and that portal does not know the session.
    let owner: String
    let offer: ScreenCastOffer
    /// The unique name of this connection.
    let ownName: String

    static let readProperties = BusCall(
        Portal.name, path: Portal.path, interface: "org.freedesktop.DBus.Properties", "GetAll", [.string(screenCast)])

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
    func closeRequest(_ path: String) -> BusCall { BusCall(owner, path: path, interface: Portal.request, "Close") }

    func closeSession(_ path: String) -> BusCall { BusCall(owner, path: path, interface: Portal.session, "Close") }

    private func call(_ member: String, _ arguments: [BusValue]) -> BusCall {
        BusCall(owner, path: Portal.path, interface: Self.screenCast, member, arguments)
    }
}
