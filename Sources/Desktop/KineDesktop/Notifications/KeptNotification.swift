// Carries out a KeptNotificationStateMachine with a server: for the indicator, and for a question about a capture.

/// A notification that stays on the desktop until its owner removes it. Used on one thread.
final class KeptNotification {
    private let server: NotificationServer?
    private let tell: (Desktop.QuestionEvent) -> Void
    private var machine = KeptNotificationStateMachine()
    private var isWanted = false

    init(_ server: NotificationServer?, tell: @escaping (Desktop.QuestionEvent) -> Void) {
        self.server = server
        self.tell = tell
        if server?.capabilities != nil { handle(.serverFound) }
    }

    var isAtRest: Bool { server == nil || machine.isAtRest }

    func want(_ notification: Notification?) {
        isWanted = notification != nil
        if isWanted { server?.seek() }
        handle(.want(notification))
        if isWanted, server?.isAbsent != false { tell(.notShown) }
    }

    func received(_ event: NotificationServer.Event) {
        switch event {
        case .found: handle(.serverFound)
        case .absent: if isWanted { tell(.notShown) }
        case .lost:
            handle(.serverLost)
            if isWanted { tell(.notShown) }
        case .disappeared(let id):
            let wasShown = machine.isShown(id)
            handle(.disappeared(id: id))
            if wasShown { tell(.closed) }
        case .action(let id, let key): handle(.action(id: id, key: key))
        }
    }

    private func handle(_ input: KeptNotificationStateMachine.Input) {
        for action in machine.handle(input) {
            switch action {
            case .notify(let notification, let id):
                server?.notify(notification, replacing: id) { [weak self] shown in
                    guard let self else { return }
                    handle(shown.map { .shown(id: $0) } ?? .refused)
                    if isWanted { tell(shown == nil ? .notShown : .shown) }
                }
            case .close(let id): server?.close(id) { [weak self] in self?.handle(.closed) }
            case .perform(let key): tell(.answered(key: key))
            }
        }
    }
}
