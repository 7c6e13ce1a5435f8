// The desktop's notification server, on the user's bus: whether it runs, its capabilities, and the buttons pressed.

/// Used on one thread.
final class NotificationServer {
    enum Event {
        case found
        case lost
        /// No server runs, and the bus cannot start one.
        case absent
        case disappeared(id: UInt32)
        case action(id: UInt32, key: String)
    }

    static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"

    private let bus: BusConnection
    var tell: (Event) -> Void = { _ in }
    private(set) var capabilities: NotificationCapabilities?
    /// The last search found no server.
    private(set) var isAbsent = false
    /// Counts the servers, to drop the answers of one that was lost.
    private var generation = 0
    private var isSought = false
    private var isAsked = false
    /// The last activation token for the app that a click opens, and its notification. It arrives before the click.
    private var token: (id: UInt32, text: String)?

    init(_ bus: BusConnection) { self.bus = bus }

    /// Looks for the server, and starts one if the bus can. Called when there is something to show, so that other takes
    /// start nothing.
    func seek() {
        guard !isSought else { return }
        isSought = true
        bus.match("type='signal',sender='\(Self.name)',interface='\(Self.name)',path='\(Self.path)'") {
            [weak self] signal in self?.received(signal)
        }
        bus.matchOwner(of: Self.name) { [weak self] owner in
            guard let self else { return }
            if capabilities != nil { lose() }
            if owner != nil { find() }
        }
        find()
    }

    /// As `seek`, but looks again if no server was found: the bus may be able to start one by now.
    func seekAgain() {
        if isSought, capabilities == nil, !isAsked { find() } else { seek() }
    }

    /// The activation token of a click on this notification. Returned once.
    func takeToken(of id: UInt32) -> String? {
        defer { if token?.id == id { token = nil } }
        return token?.id == id ? token?.text : nil
    }

    private func lose() {
        capabilities = nil
        generation += 1
        tell(.lost)
    }

    private func find() {
        isAsked = true
        bus.call(Self.method("GetCapabilities")) { [weak self] answer in
            self?.isAsked = false
            guard let self, capabilities == nil else { return }
            guard case .success(let values) = answer else {
                isAbsent = true
                return tell(.absent)
            }
            isAbsent = false
            capabilities = NotificationCapabilities(values.first?.asStrings ?? [])
            tell(.found)
        }
    }

    private func received(_ signal: BusSignal) {
        guard let id = signal.arguments.first?.asUInt32 else { return }
        switch signal.member {
        case "NotificationClosed": tell(.disappeared(id: id))
        case "ActivationToken":
            if signal.arguments.count > 1, let text = signal.arguments[1].asString { token = (id, text) }
        case "ActionInvoked":
            if signal.arguments.count > 1, let key = signal.arguments[1].asString { tell(.action(id: id, key: key)) }
        default: break
        }
    }

    /// `answer`: the notification's ID; nil if it was not shown.
    func notify(_ notification: Notification, replacing id: UInt32, answer: @escaping (UInt32?) -> Void) {
        let arguments = notification.arguments(replacing: id, capabilities ?? NotificationCapabilities())
        ask("Notify", arguments) { answer((try? $0.get())?.first?.asUInt32) }
    }

    func close(_ id: UInt32, answer: @escaping () -> Void) {
        ask("CloseNotification", [.uint32(id)]) { _ in answer() }
    }

    private func ask(_ member: String, _ arguments: [BusValue], answer: @escaping (BusConnection.Answer) -> Void) {
        bus.call(Self.method(member, arguments)) { [weak self, generation] result in
            if self?.generation == generation { answer(result) }
        }
    }

    static func method(_ member: String, _ arguments: [BusValue] = []) -> BusCall {
        BusCall(name, path: path, interface: name, member, arguments)
    }
}
