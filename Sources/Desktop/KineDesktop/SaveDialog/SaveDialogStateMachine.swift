// Asks the portal for its file dialog, step by step. No bus, no clock: `SaveDialogSession` carries out the actions.
// org.freedesktop.portal.FileChooser, version 1.
import KineText

struct SaveDialogStateMachine: Sendable {
    typealias Event = SaveDialogSession.Event
    typealias Action = PortalAction<Event>
    typealias Input = PortalDialogInput

    private enum State {
        case connecting
        case readingVersion(ownName: String)
        case findingPortal(ownName: String)
        case asking(path: String, owner: String)
        case over
    }

    private static let interface = "org.freedesktop.portal.FileChooser"

    /// Nil: only looks whether there is such a portal.
    private let request: SaveDialogRequest?
    private var calls: PortalCalls<Event>
    private var state = State.connecting

    init(_ request: SaveDialogRequest?, tokenPrefix: String) {
        self.request = request
        calls = PortalCalls(tokenPrefix: tokenPrefix)
    }

    mutating func handle(_ input: Input) -> [Action] {
        switch input {
        case .connected(let name):
            guard case .connecting = state else { return [] }
            state = .readingVersion(ownName: name)
            return [
                calls.call(
                    BusCall(
                        Portal.name, path: Portal.path, interface: "org.freedesktop.DBus.Properties", "Get",
                        [.string(Self.interface), .string("version")]))
            ]
        case .answered(let number, let answer):
            guard number == calls.last else { return [] }
            do throws(PortalError) { return try answered(answer) } catch { return end(.failed(error)) }
        case .responded(let path, let values):
            guard case .asking(path: path, _) = state else { return [] }
            return responded(values)
        case .sessionClosed: return []
        case .portalLost: return end(.failed(.portalLost))
        case .busLost:
            if case .connecting = state { return end(.failed(.noBus)) }
            return end(.failed(.busLost))
        case .cancel:
            defer { state = .over }
            guard case .asking(let path, let owner) = state else { return [] }
            return [.send(BusCall(owner, path: path, interface: Portal.request, "Close"))]
        }
    }

    private mutating func answered(_ answer: BusConnection.Answer) throws(PortalError) -> [Action] {
        switch state {
        case .readingVersion(let ownName):
            _ = try answer.portalValues(isFirst: true)
            guard request != nil else { return end(.found) }
            state = .findingPortal(ownName: ownName)
            return [calls.call(Portal.findOwner)]
        case .findingPortal(let ownName):
            let owner = try PortalAnswers.owner(answer.portalValues())
            let token = calls.newToken()
            state = .asking(path: Portal.requestPath(token, of: ownName), owner: owner)
            return [.subscribe(portal: owner), calls.call(saveFile(owner, token))]
        case .asking(let path, _):
            try PortalAnswers.checkRequest(answer.portalValues(), at: path)
            return []
        case .connecting, .over: return []
        }
    }

    private func saveFile(_ owner: String, _ token: String) -> BusCall {
        var options: [String: BusValue] = ["handle_token": .string(token)]
        options["current_name"] = request.map { .string($0.name) }
        // The bytes of a path, which end with a null.
        options["current_folder"] = request?.directory.map { .array(of: "y", ($0.unescaped + [0]).map(BusValue.byte)) }
        // The dialog has no parent window.
        return BusCall(
            owner, path: Portal.path, interface: Self.interface, "SaveFile",
            [.string(""), .string(request?.title ?? ""), .properties(options)])
    }

    private mutating func responded(_ values: [BusValue]) -> [Action] {
        do throws(PortalError) {
            let (code, results) = try PortalAnswers.response(values)
            switch code {
            case 0: return end(.chosen(path: try Self.path(results["uris"]?.asStrings?.first)))
            case 1: return end(.failed(.declined))
            default: return end(.failed(.closed))
            }
        } catch {
            return end(.failed(error))
        }
    }

    /// The path of a file's address (RFC 8089).
    static func path(_ address: String?) throws(PortalError) -> String {
        guard let address, address.hasPrefix("file:///"),
            let bytes = address.dropFirst("file://".count).percentDecoded, !bytes.contains(0)
        else { throw .malformed("\(address?.printable(limit: 100) ?? "nothing") is no file of this machine") }
        return String(escaping: bytes)
    }

    private mutating func end(_ event: Event) -> [Action] {
        if case .over = state { return [] }
        state = .over
        return [.tell(event)]
    }
}
