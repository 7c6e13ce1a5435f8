// Keeps one notification on the desktop until its owner removes it. No bus, no clock.

/// The states of a notification that tells or asks a person about a capture.
///
/// After the person closes it, it is not shown again until its contents change. A new server gets it again.
struct KeptNotificationStateMachine: Sendable {
    enum Input: Sendable, Equatable {
        /// Nil: show nothing.
        case want(Notification?)
        case serverFound
        /// The server has ended, and its notifications with it.
        case serverLost
        /// The answer to `notify`.
        case shown(id: UInt32)
        case refused
        /// The answer to `close`.
        case closed
        case disappeared(id: UInt32)
        case action(id: UInt32, key: String)
    }

    enum Action: Sendable, Equatable {
        /// `replacing`: 0: none.
        case notify(Notification, replacing: UInt32)
        case close(id: UInt32)
        /// The person has pressed that button.
        case perform(key: String)
    }

    private enum State: Equatable {
        case nothing
        case requested(Notification, replacing: UInt32)
        case shown(Notification, id: UInt32)
        /// Closed by the person.
        case dismissed(Notification)
        case refused(Notification)
        case closing(id: UInt32)
    }

    private var state = State.nothing
    private var wanted: Notification?
    private var hasServer = false

    /// No answer is outstanding and nothing has to be shown.
    var isAtRest: Bool {
        switch state {
        case .nothing, .dismissed, .refused: wanted == nil || !hasServer
        case .requested, .shown, .closing: false
        }
    }

    func isShown(_ id: UInt32) -> Bool { if case .shown(_, id) = state { true } else { false } }

    mutating func handle(_ input: Input) -> [Action] {
        switch input {
        case .want(let notification): wanted = notification
        case .serverFound: hasServer = true
        case .serverLost:
            hasServer = false
            if case .dismissed = state {} else { state = .nothing }
        case .shown(let id):
            guard case .requested(let notification, _) = state else { return [] }
            state = .shown(notification, id: id)
        case .refused:
            guard case .requested(let notification, _) = state else { return [] }
            state = .refused(notification)
        case .closed:
            guard case .closing = state else { return [] }
            state = .nothing
        case .disappeared(let id):
            guard case .shown(let notification, id) = state else { return [] }
            state = .dismissed(notification)
        case .action(let id, let key):
            guard id == shownID else { return [] }
            return [.perform(key: key)]
        }
        return proceed()
    }

    /// The notification whose buttons can be pressed.
    private var shownID: UInt32? {
        switch state {
        case .shown(_, let id), .requested(_, replacing: let id): id
        case .nothing, .dismissed, .refused, .closing: nil
        }
    }

    private mutating func proceed() -> [Action] {
        guard hasServer else { return [] }
        switch (state, wanted) {
        case (.requested, _), (.closing, _), (.nothing, nil): return []
        case (.dismissed(let notification), let wanted?) where notification == wanted: return []
        case (.refused(let notification), let wanted?) where notification == wanted: return []
        case (.shown(let notification, _), let wanted?) where notification == wanted: return []
        case (.shown(_, let id), let wanted?): return request(wanted, replacing: id)
        case (.nothing, let wanted?), (.dismissed, let wanted?), (.refused, let wanted?):
            return request(wanted, replacing: 0)
        case (.dismissed, nil), (.refused, nil):
            state = .nothing
            return []
        case (.shown(_, let id), nil):
            state = .closing(id: id)
            return [.close(id: id)]
        }
    }

    private mutating func request(_ notification: Notification, replacing id: UInt32) -> [Action] {
        state = .requested(notification, replacing: id)
        return [.notify(notification, replacing: id)]
    }
}
